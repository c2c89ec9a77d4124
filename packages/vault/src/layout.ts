import { GLOBAL_SCOPE, MAX_ID_LENGTH, UNKNOWN_USER, userIdSchema } from '@factmill/contracts';
import { decodeName, encodeName } from './names.ts';

/** What the vault keeps for itself; no memories are read from here. */
export const OWN_FOLDER = '.factmill';
/** Beside `entries` in the folder of a user: edits that met a change of the memory. No memories are read from here. */
export const CONFLICTS_FOLDER = 'conflicts';
export const ENTRIES_FOLDER = 'entries';

type Placed = Readonly<{ id: string; userId: string; scope: string; createdAt: Date }>;

/**
 * Where the file of a memory is written first: `<user>/entries/<conversation or global>/facts/<time>__<id>.md`. It may
 * be moved and renamed afterwards, within the `entries` of its user.
 */
export function pathOfMemory({ id, userId, scope, createdAt }: Placed): string {
  const time = createdAt.toISOString().replaceAll(/[:.]/g, '-');
  return [encodeName(userId), ENTRIES_FOLDER, encodeName(scope), 'facts', `${time}__${id}.md`].join('/');
}

export type Place = Readonly<{ userId: string; scope: string }>;

/**
 * Whose memory a file is, by its folder.
 *
 * @param knownUsers folder → user, for names that end in a hash
 * @returns a sentence when the folder is not that of a user or conversation
 */
export function placeOf(path: string, knownUsers: ReadonlyMap<string, string>): Place | string {
  const [folder = '', , conversation = ''] = path.split('/');
  const userId = knownUsers.get(folder) ?? decodeName(folder);
  if (userId === null || !userIdSchema.safeParse(userId).success || userId === UNKNOWN_USER) {
    return 'the first folder is not the name of a user; docs/vault.md says how names are written';
  }
  const isInConversation = path.split('/').length > 3;
  const scope = isInConversation ? decodeName(conversation) : GLOBAL_SCOPE;
  if (scope === null || scope.length > MAX_ID_LENGTH) {
    return 'the folder below entries is not the name of a conversation; docs/vault.md says how names are written';
  }
  return { userId, scope };
}
