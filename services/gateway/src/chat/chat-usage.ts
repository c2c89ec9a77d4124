import type { ReplyReader } from './read-reply.ts';

/** What an upstream says that a chat took. */
type ChatUsage = Readonly<{ inputTokens: number; outputTokens: number }>;

/** Upstreams say it at the end of an answer or of a stream. */
const TAIL_BYTES = 8 * 1024;

export type UsageReader = Readonly<{ push: (chunk: Buffer) => void; usage: () => ChatUsage | null }>;

/** Reads what an answer took from its end, as it passes: a whole completion, or the last event of a stream. */
export function createUsageReader(): UsageReader {
  let tail = Buffer.alloc(0);
  return {
    push(chunk) {
      const kept = Buffer.concat([tail, chunk.subarray(-TAIL_BYTES)]);
      tail = kept.subarray(-TAIL_BYTES);
    },
    usage: () => usageIn(tail.toString('utf8')),
  };
}

/** The reader of a reply with that of what it took beside it. */
export function withUsage(reader: ReplyReader, used: UsageReader | null): ReplyReader {
  return {
    push(chunk) {
      reader.push(chunk);
      used?.push(chunk);
    },
    reply: reader.reply,
  };
}

/** The last object named usage that counts tokens. */
function usageIn(text: string): ChatUsage | null {
  for (let at = text.lastIndexOf('"usage"'); at >= 0; at = text.lastIndexOf('"usage"', at - 1)) {
    const found = /^"usage"\s*:\s*(\{(?:[^{}]|\{[^{}]*\})*\})/.exec(text.slice(at))?.[1];
    const usage = found === undefined ? null : read(found);
    if (usage !== null) return usage;
    if (at === 0) break;
  }
  return null;
}

function read(json: string): ChatUsage | null {
  try {
    const { prompt_tokens: input, completion_tokens: output } = JSON.parse(json) as Record<string, unknown>;
    if (!isCount(input)) return null;
    return { inputTokens: input, outputTokens: isCount(output) ? output : 0 };
  } catch {
    return null;
  }
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0;
}
