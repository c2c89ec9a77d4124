import { inMs, type Row } from './benchmark.ts';
import { callJson } from './call-json.ts';
import type { Ask } from './embedded-asks.ts';
import { runClients, runPaced } from './search-clients.ts';
import type { Service } from './start-service.ts';
import { median, medianRatio, percentile } from './statistics.ts';

const CLIENTS = 3;
const ACCEPTS_PER_SECOND = 10;
const AIM = 3;

/** Milliseconds by kind of request. */
type Accepted = Readonly<Record<AcceptKind, readonly number[]>> & Readonly<{ refused: number }>;
type AcceptKind = 'messages' | 'extractions';
const ACCEPT_KINDS: readonly AcceptKind[] = ['messages', 'extractions'];
type Round = Readonly<{ quiet: Accepted; beside: Accepted; searchesPerSecond: number; refused: number }>;

/** Accepting alone, and beside clients that send one kind of search without pause, in turns. */
export async function measureAccepting(
  service: Service,
  toAsk: ((turn: number) => Ask) | undefined,
  quick: boolean,
): Promise<Round[]> {
  if (toAsk === undefined) throw new Error('there is no such search');
  const [rounds, seconds] = quick ? [1, 3] : [8, 12];
  const results: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const quiet = await acceptPaced(service, seconds);
    const [beside, searched] = await Promise.all([
      acceptPaced(service, seconds),
      searchWithoutPause(service, toAsk, seconds),
    ]);
    results.push({ quiet, beside, ...searched });
  }
  return results;
}

let accepts = 0;

/**
 * Sends requests at fixed intervals, each timed from when it was due: messages to extract later, and at once, in
 * turns.
 */
async function acceptPaced({ url }: Service, seconds: number): Promise<Accepted> {
  const times: Record<AcceptKind, number[]> = { messages: [], extractions: [] };
  let refused = 0;
  const startedAt = performance.now();
  await runPaced(ACCEPTS_PER_SECOND, seconds, async (turn) => {
    const dueAt = startedAt + (turn * 1_000) / ACCEPTS_PER_SECOND;
    const kind = ACCEPT_KINDS[turn % 2] ?? 'messages';
    accepts += 1;
    const path = kind === 'messages' ? `/v1/conversations/meanwhile-${accepts}/messages` : '/v1/extractions';
    const messages = [{ role: 'user', content: `I keep ${accepts} bees and would like to keep more.` }];
    try {
      await callJson(url + path, {}, { user_id: `other-${accepts}`, messages });
      times[kind].push(performance.now() - dueAt);
    } catch (error) {
      refused += 1;
      console.error(String(error));
    }
  });
  return { ...times, refused };
}

async function searchWithoutPause({ url }: Service, toAsk: (turn: number) => Ask, seconds: number) {
  let refused = 0;
  const { perSecond } = await runClients(CLIENTS, seconds, async (turn) => {
    const { path, body } = toAsk(turn);
    try {
      const answer = await callJson<{ degraded?: string | null }>(url + path, {}, body);
      if ((answer.degraded ?? null) !== null) throw new Error(`degraded: ${answer.degraded}`);
    } catch (error) {
      refused += 1;
      console.error(String(error));
    }
  });
  return { searchesPerSecond: perSecond, refused };
}

/** @param searched what the clients searched for, in words */
export function rowsOfAccepting(rounds: readonly Round[], searched: string): Row[] {
  const benchmark = 'embedded';
  const rows = ACCEPT_KINDS.flatMap((kind) => {
    const times = (which: 'quiet' | 'beside') => rounds.map((round) => round[which][kind]);
    const row = (percent: number): Row => {
      const of = (which: 'quiet' | 'beside') => times(which).map((one) => percentile(one, percent));
      const ratio = medianRatio(of('beside'), of('quiet'));
      return {
        benchmark,
        measure: `accepting ${kind} p${percent} beside ${CLIENTS} clients searching (${searched}); baseline: quiet`,
        ours: inMs(percentile(times('beside').flat(), percent)),
        baseline: inMs(percentile(times('quiet').flat(), percent)),
        ratio,
        ...(percent === 95 ? { aim: { text: `≤ ${AIM}`, reached: ratio <= AIM } } : {}),
      };
    };
    return [row(50), row(95)];
  });
  const refused = rounds.reduce((sum, one) => sum + one.refused + one.quiet.refused + one.beside.refused, 0);
  const perSecond = median(rounds.map((one) => one.searchesPerSecond)).toFixed(0);
  return [
    ...rows,
    {
      benchmark,
      measure: `refused or degraded, beside ${perSecond} searches a second (${searched})`,
      ours: String(refused),
      aim: { text: '0', reached: refused === 0 },
    },
  ];
}
