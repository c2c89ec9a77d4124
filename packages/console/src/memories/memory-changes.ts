import type { Memory } from '@factmill/contracts';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { client } from '../client.ts';
import { useCallback } from 'react';
import type { ListData } from '../ui/list-query.ts';
import { type Tell, useTell } from '../ui/toasts.tsx';

export type MemoryAction = 'archive' | 'restore' | 'delete';
export type RunAction = (action: MemoryAction, memories: readonly Memory[]) => Promise<void>;

const DONE: Readonly<Record<MemoryAction, string>> = {
  archive: 'archived',
  restore: 'restored',
  delete: 'deleted',
};

/** So many calls of a bulk action are under way at once. */
const AT_ONCE = 6;
/** The key of all lists of memories. */
export const LISTS = ['memories', 'list'] as const;

/** Archives, restores and deletes memories, one or many, and offers to take it back. */
export function useMemoryActions(): RunAction {
  const queries = useQueryClient();
  const tell = useTell();
  // The same function each time: the columns of a list are made with it.
  return useCallback(
    async (action, memories) => {
      const { done, refused } = await performAll(action, memories);
      const shown = queries.getQueriesData<ListData<Memory>>({ queryKey: LISTS });
      takeOut(queries, done);
      afterChange(queries);
      const undo = () => void takeBack(queries, tell, action, done, shown);
      tell(toSentence(action, done.length, refused), done.length === 0 ? undefined : undo);
    },
    [queries, tell],
  );
}

/** The memories that were changed, and why others were not. */
async function performAll(
  action: MemoryAction,
  memories: readonly Memory[],
): Promise<Readonly<{ done: readonly Memory[]; refused: readonly string[] }>> {
  const done: Memory[] = [];
  const refused: string[] = [];
  const waiting = [...memories];
  const work = async () => {
    for (let memory = waiting.shift(); memory !== undefined; memory = waiting.shift()) {
      try {
        await perform(action, memory.id);
        done.push(memory);
      } catch (error) {
        refused.push(error instanceof Error ? error.message : String(error));
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { done, refused };
}

function perform(action: MemoryAction, id: string): Promise<unknown> {
  if (action === 'archive') return client.memories.archive(id);
  return action === 'delete' ? client.memories.delete(id) : client.memories.restore(id);
}

async function takeBack(
  queries: QueryClient,
  tell: Tell,
  action: MemoryAction,
  memories: readonly Memory[],
  shown: readonly (readonly [readonly unknown[], ListData<Memory> | undefined])[],
): Promise<void> {
  const back = (memory: Memory): MemoryAction => {
    if (action !== 'restore') return 'restore';
    return memory.state === 'archived' ? 'archive' : 'delete';
  };
  const results = [];
  for (const wanted of ['archive', 'delete', 'restore'] as const) {
    results.push(
      await performAll(
        wanted,
        memories.filter((memory) => back(memory) === wanted),
      ),
    );
  }
  for (const [key, data] of shown) queries.setQueryData(key, data);
  afterChange(queries);
  const refused = results.flatMap((result) => result.refused);
  tell(
    refused.length === 0 ? 'Taken back.' : `${refused.length} could not be taken back: ${refused[0] ?? ''}`,
  );
}

function toSentence(action: MemoryAction, done: number, refused: readonly string[]): string {
  const count = `${done} ${done === 1 ? 'memory' : 'memories'} ${DONE[action]}`;
  return refused.length === 0 ? `${count}.` : `${count}, ${refused.length} not: ${refused[0] ?? ''}`;
}

/** Rows leave their lists at once: fetching a long list again would mean every page of it. */
function takeOut(queries: QueryClient, changed: readonly Memory[]): void {
  const ids = new Set(changed.map(({ id }) => id));
  changeLists(queries, ids, (rows) => rows.filter(({ id }) => !ids.has(id)));
}

/** Shows a memory as it is now wherever it is listed. */
export function replaceInLists(queries: QueryClient, changed: Memory): void {
  changeLists(queries, new Set([changed.id]), (rows) =>
    rows.map((row) => (row.id === changed.id ? changed : row)),
  );
}

function changeLists(
  queries: QueryClient,
  ids: ReadonlySet<string>,
  change: (rows: readonly Memory[]) => readonly Memory[],
): void {
  queries.setQueriesData<ListData<Memory>>({ queryKey: LISTS }, (list) => {
    if (list === undefined) return list;
    const pages = list.pages.map((page) =>
      page.data.some(({ id }) => ids.has(id)) ? { ...page, data: change(page.data) } : page,
    );
    return { ...list, pages };
  });
}

/** What else shows memories is fetched again; lists only when they are opened the next time. */
export function afterChange(queries: QueryClient): void {
  void queries.invalidateQueries({ queryKey: LISTS, refetchType: 'none' });
  for (const subject of ['memory', 'stats', 'profile'])
    void queries.invalidateQueries({ queryKey: [subject] });
}
