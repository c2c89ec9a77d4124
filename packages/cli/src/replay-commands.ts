import type { Client } from '@factmill/client';
import { type PresetName, presetNameSchema, type Replay, timestampSchema } from '@factmill/contracts';
import { AppError } from '@factmill/errors';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { parseWhole } from './parse-whole.ts';
import { printTable } from './print-table.ts';
import { print } from './with-database.ts';
import { gatewayOf } from './with-operator.ts';

type StartOptions = Readonly<{
  user?: string;
  all?: true;
  since?: string;
  until?: string;
  preset?: PresetName;
  model?: string;
  prompt?: string;
  dryRun?: true;
  timeout: number;
}>;

type Replays = Client['replays'];

const POLL_MS = 250;
const UNDER_WAY: ReadonlySet<Replay['state']> = new Set(['running', 'applying', 'undoing']);

/** `factmill replays start · list · show · diff · apply · undo · discard · delete`. */
export function addReplayCommands(program: Command): void {
  const replays = program
    .command('replays')
    .description('what extractions would have made with other settings, by way of a running gateway');
  addStart(replays);

  replays
    .command('list')
    .description('the latest replays, newest first')
    .option('--user <id>', 'of one user only')
    .action(async ({ user }: { user?: string }, command: Command) => {
      const whose = user === undefined ? { all_users: true } : { user_id: user };
      const { data } = await gatewayOf(command).replays.list(whose);
      printTable(
        ['id', 'state', 'user', 'preset', 'model', 'runs', 'failed'],
        data.map(({ id, state, user_id: of, preset, model, progress }) => [
          id ?? '-',
          state,
          of ?? '(all)',
          preset ?? '-',
          model ?? '-',
          `${progress.done}/${progress.runs}`,
          String(progress.failed),
        ]),
      );
    });

  withId(replays.command('show').description('how far a replay is, and what it has cost')).action(
    async (id: string, _options: object, command: Command) => show(await gatewayOf(command).replays.get(id)),
  );

  withId(replays.command('diff').description('what would change: + added, ~ changed, - gone'))
    .option('--all', 'also what stays the same (=)')
    .action(async (id: string, { all }: { all?: true }, command: Command) => {
      const { replays: api } = gatewayOf(command);
      await printDiff(api, id);
      if (all === true) print((await api.diffText(id, { change: 'same', limit: 500 })).trimEnd());
    });

  for (const [name, about] of [
    ['apply', 'put the shadow in the place of what it was compared with; it can be undone'],
    ['undo', 'take back what applying has changed'],
  ] as const) {
    withId(replays.command(name).description(about))
      .option('--timeout <seconds>', 'how long to wait for the end', parseWhole(1, 86_400), 600)
      .action(async (id: string, { timeout }: { timeout: number }, command: Command) => {
        const { replays: api } = gatewayOf(command);
        await api[name](id);
        show(await untilOver(api, id, timeout));
      });
  }

  withId(replays.command('discard').description('throw the shadow away, and keep the record')).action(
    async (id: string, _options: object, command: Command) =>
      show(await gatewayOf(command).replays.discard(id)),
  );

  withId(replays.command('delete').description('delete a replay with its shadow')).action(
    async (id: string, _options: object, command: Command) => {
      await gatewayOf(command).replays.delete(id);
      print('Deleted.');
    },
  );
}

function withId(command: Command): Command {
  return command.argument('<id>', 'of the replay');
}

function addStart(replays: Command): void {
  replays
    .command('start')
    .description('extract anew into a shadow, and show what would change; running extractors do the work')
    .option('--user <id>', 'whose conversations')
    .option('--all', 'those of all users')
    .option('--since <time>', 'extractions accepted from then on, such as 2026-11-01T00:00:00Z', parseTime)
    .option('--until <time>', 'and before then', parseTime)
    .addOption(
      new Option('--preset <name>', 'in place of that of each extraction').choices(presetNameSchema.options),
    )
    .option('--model <name>', 'in place of LLM_MODEL; extractive for the rules')
    .option('--prompt <file>', 'a prompt template in place of the preset’s')
    .option('--dry-run', 'only estimate the cost')
    .option('--timeout <seconds>', 'how long to wait for the end', parseWhole(1, 86_400), 600)
    .action(async (options: StartOptions, command: Command) => {
      const { replays: api } = gatewayOf(command);
      const started = await api.start({
        ...(options.user === undefined ? {} : { user_id: options.user }),
        ...(options.all === undefined ? {} : { all_users: true }),
        ...(options.since === undefined ? {} : { since: options.since }),
        ...(options.until === undefined ? {} : { until: options.until }),
        ...(options.preset === undefined ? {} : { preset: options.preset }),
        ...(options.model === undefined ? {} : { model: options.model }),
        ...(options.prompt === undefined ? {} : { prompt: await readFile(options.prompt, 'utf8') }),
        dry_run: options.dryRun === true,
      });
      printEstimate(started);
      if (started.id === null) return;
      print(`Replay ${started.id}`);
      show(await untilOver(api, started.id, options.timeout));
      await printDiff(api, started.id);
    });
}

function printEstimate({ estimate }: Replay): void {
  const { extractions, users, messages, model, model_calls: calls, cost } = estimate;
  const tokens = `${estimate.prompt_tokens} + ${estimate.completion_tokens} tokens`;
  const price = cost === null ? 'no price known' : `cost ${cost.toFixed(4)}`;
  print(`${extractions} extractions of ${users} users, ${messages} messages`);
  print(calls === 0 ? 'No model is asked.' : `About ${calls} calls of ${model ?? '-'}, ${tokens}, ${price}`);
}

function show({ id, state, progress, reason, deferred_until: until, error, usage }: Replay): void {
  const { model_calls: calls, prompt_tokens: input, completion_tokens: output } = usage;
  print(`${id ?? '-'} ${state}: ${progress.done} of ${progress.runs} done, ${progress.failed} failed`);
  print(`${calls} model calls, ${input} + ${output} tokens`);
  if (until !== null) print(`Waits until ${until} for a budget (${reason ?? '-'}).`);
  if (error !== null) print(`${error.class}: ${error.message}`);
}

async function printDiff(replays: Replays, id: string): Promise<void> {
  print((await replays.diffText(id, { limit: 500 })).trimEnd());
}

async function untilOver(replays: Replays, id: string, timeoutSeconds: number): Promise<Replay> {
  const startedAt = performance.now();
  for (;;) {
    const replay = await replays.get(id);
    if (!UNDER_WAY.has(replay.state)) return replay;
    if (performance.now() - startedAt > timeoutSeconds * 1_000) {
      throw new AppError(
        'overloaded',
        `The replay ${id} has not ended yet and goes on by itself; factmill replays show ${id} says how far it is.`,
      );
    }
    await delay(POLL_MS);
  }
}

function parseTime(text: string): string {
  if (!timestampSchema.safeParse(text).success)
    throw new InvalidArgumentError('give a time with a zone, such as 2026-11-01T00:00:00Z');
  return text;
}
