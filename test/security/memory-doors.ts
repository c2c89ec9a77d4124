import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@factmill/client';
import { createPool, type DatabasePool, migrate } from '@factmill/database';
import {
  createScriptedModel,
  createTestDatabase,
  type DoorAttempt,
  freePort,
  readPromptRequest,
  type RunningProcess,
  type ScriptedReply,
  type ScriptedRequest,
  startProcess,
  type TestDatabase,
  waitFor,
} from '@factmill/testkit';
import { entryOf } from '../support/service-process.ts';

const quiet = { info: () => undefined, warn: () => undefined };
const PATIENCE = { timeoutMs: 30_000 };

type Of<D extends DoorAttempt['door']> = Extract<DoorAttempt, { door: D }>;
type Messages = Of<'answer'>['messages'];

/** What an attempt leaves behind: every text of the user's current memories, and of summaries. */
export type MemoryDoors = Readonly<{
  attempt: (attempt: DoorAttempt) => Promise<readonly string[]>;
  /** The users who have a memory or a summary. */
  users: () => Promise<string[]>;
  close: () => Promise<void>;
}>;

/** One instance of Factmill on a database of its own. */
type Instance = Readonly<{ client: Client; url: string; database: DatabasePool }>;

export function userOf(attempt: Pick<DoorAttempt, 'name' | 'door'>): string {
  return `victim of ${attempt.door}: ${attempt.name}`;
}

/**
 * Two instances as they are started in production, with a scripted model and without any, and every way by which a
 * model's words become memory or a summary. Attempts run one after the other: the model's reply is the attempt's.
 */
export async function openMemoryDoors(): Promise<MemoryDoors> {
  const model = await createScriptedModel();
  const closing: (() => Promise<unknown>)[] = [() => model.close()];
  const byModel = await start({
    LLM_BASE_URL: model.url,
    LLM_MODEL: 'scripted-model',
    EMBEDDING_PROVIDER: 'openai',
    EMBEDDING_BASE_URL: model.url,
    EMBEDDING_MODEL: 'scripted-embedding',
  });
  const byRules = await start({});

  async function start(env: Readonly<Record<string, string>>): Promise<Instance> {
    const own: TestDatabase = await createTestDatabase({
      migrate: (url, how) => migrate(url, { logger: quiet, ...how }),
    });
    const { connectionString, serviceUrl } = own;
    const folder = await mkdtemp(join(tmpdir(), 'factmill-doors-'));
    const database = createPool({ connectionString, max: 2, applicationName: 'doors', logger: quiet });
    const url = `http://127.0.0.1:${await freePort()}`;
    const running: RunningProcess = await startProcess({
      entry: entryOf('standalone'),
      env: {
        DATABASE_URL: serviceUrl,
        DATA_DIR: folder,
        GATEWAY_PORT: new URL(url).port,
        RETRIEVAL_PORT: String(await freePort()),
        EXTRACTOR_PORT: String(await freePort()),
        EMBEDDING_PROVIDER: 'none',
        COMPRESS_DAILY_AT: 'off',
        COMPRESS_WEEKLY_AT: 'off',
        ...env,
      },
      cwd: folder,
      readyWhen: `${url}/readyz`,
      timeoutMs: 60_000,
    });
    closing.push(async () => {
      await running.kill('SIGTERM');
      await running.exit;
      await database.close();
      await own.drop();
      await rm(folder, { recursive: true, force: true });
    });
    return { client: createClient({ baseUrl: url }), url, database };
  }

  /** Has the model answer each kind of question with what is given, and others with nothing that matters. */
  function script(replies: Readonly<Record<string, unknown>>): void {
    model.setReply((request): ScriptedReply | undefined => {
      if (request.endpoint !== 'chat') return undefined;
      const kind = kindOf(request);
      const reply = replies[kind === 'again' ? 'extract' : kind];
      const text = typeof reply === 'function' ? reply(request) : (reply ?? '{"facts": []}');
      return { content: typeof text === 'string' ? text : JSON.stringify(text) };
    });
  }

  async function say(
    { client }: Instance,
    userId: string,
    messages: Messages,
    options: Readonly<{
      preset?: NonNullable<Of<'answer'>['preset']>;
      conversation?: string;
      day?: number;
    }> = {},
  ): Promise<void> {
    const at = new Date(Date.now() - (options.day ?? 0) * 86_400_000).toISOString();
    const accepted = await client.extractions.create({
      user_id: userId,
      messages: messages.map(({ tool_calls, ...message }) => ({
        ...message,
        ...(tool_calls === undefined ? {} : { tool_calls: JSON.parse(JSON.stringify(tool_calls)) }),
        created_at: at,
      })),
      ...(options.preset === undefined ? {} : { preset: options.preset }),
      ...(options.conversation === undefined ? {} : { conversation_id: options.conversation }),
    });
    const extraction = await client.extractions.waitFor(accepted.id ?? '', PATIENCE);
    if (extraction.state !== 'done') throw new Error(`the extraction ended ${extraction.state}`);
  }

  async function untilSummary({ database }: Instance, userId: string, of: 'user' | 'conversation') {
    await waitFor(
      async () => {
        // The waits between changes and their refresh are for people.
        await database.query('update summaries set refresh_at = now() where refresh_at is not null');
        const { rows } = await database.query(
          `select 1 from summaries where user_id = $1::text and (conversation_id = '') = $2::boolean
             and refresh_at is null and stale_since is null`,
          [userId, of === 'user'],
        );
        return rows.length > 0 ? true : undefined;
      },
      { ...PATIENCE, describe: 'the summary' },
    );
  }

  async function compress({ client }: Instance, userId: string, kind: 'daily' | 'weekly') {
    const date = new Date().toISOString().slice(0, 10);
    const { compression } = await client.compressions.start({ user_id: userId, kind, date });
    if (compression === null) throw new Error('there is nothing to compress');
    const run = await waitFor(
      async () => {
        const found = await client.compressions.get(compression.id);
        return found.finished_at === null ? undefined : found;
      },
      { ...PATIENCE, describe: 'the compression' },
    );
    if (run.state !== 'done') throw new Error(`compress ${kind} ended ${run.state}`);
  }

  const run: { [D in DoorAttempt['door']]: (attempt: Of<D>, userId: string) => Promise<Instance> } = {
    async answer({ messages, reply, preset }, userId) {
      script({
        extract: reply,
        reconcile: [],
        'user-summary': 'Nothing yet.',
        'conversation-summary': 'Nothing yet.',
      });
      await say(byModel, userId, messages, { preset: preset ?? 'standard' });
      return byModel;
    },
    async rules({ messages }, userId) {
      await say(byRules, userId, messages);
      return byRules;
    },
    async reconcile({ known, says, finds, decisions }, userId) {
      const quietly = { 'conversation-summary': 'Nothing yet.' };
      // Neighbours are those of the same conversation.
      const there = { preset: 'reconciled' as const, conversation: `of-${userId}` };
      script({ extract: { facts: [known] }, ...quietly });
      await say(byModel, userId, [{ role: 'user', content: known }], { ...there, day: 1 });
      let asked = 0;
      script({ extract: { facts: [finds] }, reconcile: () => ((asked += 1), decisions), ...quietly });
      await say(byModel, userId, [{ role: 'user', content: says }], there);
      if (asked === 0 && /^[\p{ASCII}]*$/u.test(known + finds))
        throw new Error('the model was not asked to reconcile');
      return byModel;
    },
    async summary({ of, says, summary }, userId) {
      script({
        extract: of === 'user' ? says.map((content) => ({ category: 'general', content })) : { facts: says },
        reconcile: [],
        [`${of}-summary`]: summary,
      });
      const preset = of === 'user' ? 'categorised' : 'reconciled';
      await say(byModel, userId, [{ role: 'user', content: says.join('\n') }], {
        preset,
        conversation: userId,
      });
      await untilSummary(byModel, userId, of);
      return byModel;
    },
    async compression({ question, known, statements }, userId) {
      const asked: string[] = [];
      script({
        [question]: (request: ScriptedRequest) => {
          asked.push(question);
          const text = JSON.stringify(request.body);
          const from = (place: number) => {
            const quoted = JSON.stringify(known[place - 1] ?? '').slice(1, -1);
            const before = text.slice(0, text.indexOf(JSON.stringify(quoted).slice(1, -1)));
            return Number(/(\d+)\. \([\d-]+\) $/.exec(before)?.[1] ?? place);
          };
          return { facts: statements.map((made) => ({ ...made, from: made.from.map(from) })) };
        },
      });
      // A question about fewer than four memories is not asked.
      const others =
        question === 'events' ? [] : ['The sky was blue today.', 'Rain fell.', 'Snow fell.', 'Wind blew.'];
      for (const content of [...known, ...others]) {
        await byModel.client.memories.create({
          user_id: userId,
          content,
          tier: question === 'events' ? 3 : 2,
          importance: 0.9,
        });
      }
      await compress(byModel, userId, question === 'events' ? 'daily' : 'weekly');
      if (asked.length === 0) throw new Error('the model was not asked to compress');
      return byModel;
    },
    async tool({ arguments: given }, userId) {
      const response = await fetch(`${byModel.url}/v1/tools/memory`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...given, user_id: userId }),
      });
      if (response.status >= 500) throw new Error(`the tool answered ${response.status}`);
      await response.body?.cancel();
      return byModel;
    },
  };

  return {
    async attempt(attempt) {
      const userId = userOf(attempt);
      // Each door takes its own kind of attempt.
      const instance = await (run[attempt.door] as (of: DoorAttempt, userId: string) => Promise<Instance>)(
        attempt,
        userId,
      );
      return remembered(instance.database, userId);
    },
    async users() {
      const found = await Promise.all(
        [byModel, byRules].map(({ database }) =>
          database.query<{ user: string }>(
            'select user_id as user from memories union select user_id from summaries where content is not null',
          ),
        ),
      );
      return found.flatMap(({ rows }) => rows.map(({ user }) => user));
    },
    async close() {
      for (const close of closing.toReversed()) await close();
    },
  };
}

function kindOf(request: ScriptedRequest): string {
  const { purpose, system } = readPromptRequest(request);
  if (purpose !== 'other') return purpose;
  if (system.includes('You read the log')) return 'events';
  if (system.includes('You tidy')) return 'merge';
  return system.includes('You keep the profile') ? 'profile' : 'other';
}

async function remembered(database: DatabasePool, userId: string): Promise<string[]> {
  const { rows } = await database.query<{ texts: (string | null)[] }>(
    `select array[content, key, value, question, answer, category, project, topic, source, source_context,
       metadata::text] || tags as texts
     from memories where user_id = $1::text and is_current
     union all select array[content] from summaries where user_id = $1::text`,
    [userId],
  );
  return rows.flatMap(({ texts }) => texts.filter((text) => text !== null));
}
