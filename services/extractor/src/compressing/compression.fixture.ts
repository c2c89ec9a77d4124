import { randomUUID } from 'node:crypto';
import {
  type CompressionKind,
  type CompressionRun,
  findCompressionRun,
  insertCompressionRuns,
} from '@factmill/database';
import { localDateOf, periodOf } from '@factmill/extraction';
import { writeMemories } from '@factmill/memories';
import { compressJob } from '@factmill/queue';
import { type ScriptedReply, waitFor } from '@factmill/testkit';
import { v7 as uuidv7 } from 'uuid';
import { type ExtractorUnderTest, TENANT } from '../extractor.fixture.ts';

const DAY_MS = 86_400_000;

export type Remembered = Readonly<{
  content: string;
  tier?: 1 | 2 | 3;
  category?: string;
  key?: string;
  project?: string;
  topic?: string;
  importance?: number;
  messageIds?: string[];
  /** How long ago it was said; default two days. */
  daysAgo?: number;
  /** From when on it holds; default when it was said. */
  validFrom?: Date;
}>;

/** Stores memories the one way there is; resolves to their ids, in order. */
export async function remember(
  under: ExtractorUnderTest,
  userId: string,
  memories: readonly Remembered[],
): Promise<string[]> {
  const written = await under.database.transaction((tx) =>
    writeMemories(tx, {
      tenantId: TENANT,
      userId,
      memories: memories.map((memory) => ({
        project: memory.project ?? null,
        topic: memory.topic ?? null,
        candidate: {
          kind: memory.tier === 3 ? 'event' : memory.key === undefined ? 'note' : 'fact',
          tier: memory.tier ?? 2,
          category: memory.category ?? 'general',
          key: memory.key ?? null,
          value: memory.key === undefined ? null : memory.content,
          content: memory.content,
          question: null,
          answer: null,
          tags: [],
          importance: memory.importance ?? 0.5,
          confidence: 70,
          source: 'conversation',
          sourceContext: null,
          messageIds: memory.messageIds ?? [],
          statedAt: new Date(Date.now() - (memory.daysAgo ?? 2) * DAY_MS),
          ...(memory.validFrom === undefined ? {} : { validFrom: memory.validFrom }),
        },
      })),
      actor: { actor: 'test', extractionId: null },
      wantsEmbedding: false,
      newId: uuidv7,
      now: new Date(),
    }),
  );
  return written.map(({ id }) => id ?? '');
}

/** Adds a run for a period that ends yesterday and puts it into the queue, as the command does. */
export async function startRun(
  under: ExtractorUnderTest,
  kind: CompressionKind,
  userId: string,
  options: Readonly<{ dryRun?: boolean; queued?: boolean; period?: string }> = {},
): Promise<string> {
  const yesterday = localDateOf(new Date(Date.now() - DAY_MS), 'UTC');
  const { date, until } = periodOf(options.period ?? yesterday, new Date(), 'UTC');
  const id = randomUUID();
  const added = await insertCompressionRuns(under.database, [
    { id, tenantId: TENANT, userId, kind, period: date, until, dryRun: options.dryRun ?? false },
  ]);
  if (options.queued !== false) await under.queues.enqueue(added.map(compressJob));
  return id;
}

/** The run once it has ended, or once `until` holds. */
export function untilRun(
  under: ExtractorUnderTest,
  id: string,
  until: (run: CompressionRun) => boolean = (run) => run.finishedAt !== null,
  timeoutMs = 20_000,
): Promise<CompressionRun> {
  return waitFor(
    async () => {
      const run = await findCompressionRun(under.database, TENANT, id);
      return run !== undefined && until(run) ? run : undefined;
    },
    { timeoutMs, describe: 'the compression run to get there' },
  );
}

/** What the model is asked, told by the wording of its instruction. */
export function questionOf(body: Readonly<Record<string, unknown>>): 'events' | 'merge' | 'profile' | null {
  const text = JSON.stringify(body);
  if (text.includes('You read the log')) return 'events';
  if (text.includes('You tidy')) return 'merge';
  return text.includes('You keep the profile') ? 'profile' : null;
}

/** Lets the model answer the questions of compression with these objects; without one, that there is nothing to do. */
export function answerWith(
  under: ExtractorUnderTest,
  answers: Readonly<Partial<Record<'events' | 'merge' | 'profile', unknown>>>,
): void {
  under.model.setReply(({ endpoint, body }): ScriptedReply | undefined => {
    const question = endpoint === 'chat' ? questionOf(body) : null;
    return question === null ? undefined : { content: JSON.stringify(answers[question] ?? { facts: [] }) };
  });
}

/** How often compression has asked the model. */
export function questions(under: ExtractorUnderTest): number {
  return under.model.calls.filter(({ endpoint, body }) => endpoint === 'chat' && questionOf(body) !== null)
    .length;
}

export type StoredMemory = Readonly<{
  id: string;
  tier: number;
  category: string;
  key: string | null;
  content: string;
  project: string | null;
  topic: string | null;
  current: boolean;
  archived: boolean;
  compressed: boolean;
  supersededBy: string | null;
  messageIds: string[];
  metadata: Record<string, unknown>;
  operations: string[];
}>;

/** All memories of a user with the operations of their versions, by content. */
export async function stored(under: ExtractorUnderTest, userId: string): Promise<StoredMemory[]> {
  const { rows } = await under.database.query<StoredMemory>(
    `select id, tier, category, key, content, project, topic, is_current as current,
       archived_at is not null as archived, compressed_at is not null as compressed,
       superseded_by as "supersededBy", message_ids as "messageIds", metadata,
       array(select v.operation from memory_versions v where v.memory_id = m.id order by v.number) as operations
     from memories m where tenant_id = $1::uuid and user_id = $2::text order by content`,
    [TENANT, userId],
  );
  return rows;
}
