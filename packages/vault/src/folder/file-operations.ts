import { link, rename, rm, unlink, writeFile } from 'node:fs/promises';

/** The operations that change files of people. */
export type FileOperations = Readonly<{
  link: (existing: string, path: string) => Promise<void>;
  rename: (from: string, to: string) => Promise<void>;
  rm: (path: string, options: { recursive?: boolean; force: boolean }) => Promise<void>;
  unlink: (path: string) => Promise<void>;
  writeFile: (path: string, text: string, options?: { flush: boolean }) => Promise<void>;
}>;

export const FILES_OF_THIS_SYSTEM: FileOperations = { link, rename, rm, unlink, writeFile };
