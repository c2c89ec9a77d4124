import { GLOBAL_SCOPE } from '@factmill/contracts';
import type { VersionedMemory } from '@factmill/database';
import { pathOfMemory } from './layout.ts';
import { renderFile } from './render-file.ts';

/** A memory as the file that a vault would first write for it: its path in the vault, and its text. */
export function toVaultFile(memory: VersionedMemory): Readonly<{ path: string; text: string }> {
  const { id, userId, conversationId, createdAt } = memory;
  const scope = conversationId === '' ? GLOBAL_SCOPE : conversationId;
  return { path: pathOfMemory({ id, userId, scope, createdAt }), text: renderFile(memory, null) };
}
