import type { Replay } from '@factmill/contracts';
import { formatCount, formatTime, toWords } from '../text/format.ts';
import type { Tone } from '../ui/small.tsx';

export const TONES: Readonly<Record<Replay['state'], Tone>> = {
  estimated: 'plain',
  running: 'accent',
  done: 'ok',
  applying: 'accent',
  applied: 'ok',
  undoing: 'accent',
  undone: 'warn',
  discarded: 'plain',
};

/** Whether it goes on by itself. */
export function isUnderWay(replay: Pick<Replay, 'state'> | undefined): boolean {
  return replay?.state === 'running' || replay?.state === 'applying' || replay?.state === 'undoing';
}

/** What is different from how these extractions were made: `preset standard, model extractive`. */
export function settingsOf({ preset, model, own_prompt: ownPrompt }: Replay): string {
  const parts = [
    preset === null ? '' : `preset ${preset}`,
    model === null ? '' : `model ${model}`,
    ownPrompt ? 'a prompt of its own' : '',
  ].filter((part) => part !== '');
  return parts.join(', ') || 'the settings of now';
}

/** In which time the extractions were accepted. */
export function periodOf({ since, until }: Replay): string {
  const parts = [
    since === null ? '' : `from ${formatTime(since)}`,
    until === null ? '' : `until ${formatTime(until)}`,
  ].filter((part) => part !== '');
  return parts.join(' ') || 'all of them';
}

/** `3 of 28 extractions, 1 failed`; users, while it is applied or undone. */
export function progressOf({ state, progress: { runs, done, failed } }: Replay): string {
  const what = state === 'running' || state === 'done' ? 'extractions' : 'users';
  return `${formatCount(done + failed)} of ${formatCount(runs)} ${what}${failed === 0 ? '' : `, ${formatCount(failed)} failed`}`;
}

type Calls = Readonly<{ model_calls: number; prompt_tokens: number; completion_tokens: number }>;

/** `28 calls, 33,211 tokens in, 6,324 out`. */
export function callsOf({
  model_calls: calls,
  prompt_tokens: input,
  completion_tokens: output,
}: Calls): string {
  if (calls === 0) return 'no model asked';
  return `${formatCount(calls)} calls, ${formatCount(input)} tokens in, ${formatCount(output)} out`;
}

export function costOf({ cost }: Replay['estimate']): string {
  return cost === null ? 'not known: the model has no price in MODEL_PRICES' : formatCount(cost);
}

/** Why it waits: `budget tokens day`. */
export function reasonOf({ reason }: Replay): string | null {
  return reason === null ? null : toWords(reason);
}
