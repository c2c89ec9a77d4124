import type { VaultFile } from '@factmill/database';

/**
 * What has to be done for one memory and its file:
 * - `none`: both are as they were agreed on
 * - `write`: the file gets what the memory says
 * - `remove`: the memory is gone, so the file goes
 * - `take`: the memory gets what the file says
 * - `delete`: the file is gone, so the memory is deleted
 * - `conflict`: both have changed; the file is kept aside and written anew
 * - `conflict_gone`: the memory is gone, and the file has changed; it is kept aside
 * - `rewrite`: the file is gone, and the memory has changed; the file is written anew
 * - `forget`: both are gone
 */
export type Decision =
  'none' | 'write' | 'remove' | 'take' | 'delete' | 'conflict' | 'conflict_gone' | 'rewrite' | 'forget';

export type Sides = Readonly<{
  /** What both agreed on last; null for a memory without a file. */
  base: VaultFile | null;
  /** The file at the path of `base`; null when there is none. `version`: of its front matter, null for none. */
  file: Readonly<{ hash: string; version: number | null }> | null;
  /** The version of the memory; null when lists do not show it any more. */
  version: number | null;
}>;

/** A three-way comparison: what has changed since both sides agreed is taken over; if both have, both are kept. */
export function decide({ base, file, version }: Sides): Decision {
  if (base === null) return version === null ? 'none' : 'write';
  const hasChanged = version !== versionOf(base, file);
  if (file === null) return decideMissing(base, version, hasChanged);
  const isOurs = file.hash === base.fileHash || file.hash === base.writingHash;
  if (isOurs) {
    if (version === null) return 'remove';
    return hasChanged || base.isStale || base.writingHash !== null ? 'write' : 'none';
  }
  if (version === null) return 'conflict_gone';
  return hasChanged ? 'conflict' : 'take';
}

/** A file that is missing while it is written was taken away by the writer, not by a person. */
function decideMissing(base: VaultFile, version: number | null, hasChanged: boolean): Decision {
  if (version === null) return 'forget';
  if (base.fileHash === null || base.writingHash !== null) return 'write';
  return hasChanged ? 'rewrite' : 'delete';
}

/** Which version the file was made from: the one that was about to be written when its front matter names it. */
function versionOf(base: VaultFile, file: Sides['file']): number {
  if (base.writingVersion !== null && file?.version === base.writingVersion) return base.writingVersion;
  return base.version;
}
