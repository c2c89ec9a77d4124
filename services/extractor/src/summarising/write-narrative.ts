import {
  dropSummaryParts,
  listNarrativeMemories,
  listNarrativePage,
  listSummaryParts,
  type NewSummary,
  saveSummaryPart,
  type Sql,
  type SummaryClaim,
  type SummaryText,
} from '@factmill/database';
import {
  buildUserSummaryPrompt,
  composeUserSummary,
  hashOfPart,
  lineOfMemory,
  lineOfPart,
  type NarrativeLine,
  partsOf,
  type Prompt,
  type Prompts,
  wholeOf,
} from '@factmill/extraction';
import type { ChatModel } from '@factmill/models';

/** More than a composed text holds. */
const COMPOSED_MEMORIES = 400;
const PAGE = 1_000;

export type WriteNarrativeDeps = Readonly<{
  database: Sql;
  prompts: Prompts;
  now: () => Date;
  /** Asks the model for a summary of the sources. */
  ask: (
    chatModel: ChatModel,
    prompt: Prompt,
    sources: readonly string[],
    signal: AbortSignal,
  ) => Promise<SummaryText>;
}>;

/** What is known of the memories when all of them were read. */
type Read = { count: number; expiresAt: Date | null };

/**
 * A user's narrative from all of their current memories (D11, D20). When they do not fit one question, the model sums
 * up parts of them, then these texts, until what is left fits. A call asks the model once: it stores the text of a
 * part and leaves the summary due, or returns the narrative. Parts that have not changed are not asked for again.
 */
export function createWriteNarrative({ database, prompts, now, ask }: WriteNarrativeDeps) {
  return async function writeNarrative(
    claim: SummaryClaim,
    chatModel: ChatModel | null,
    signal: AbortSignal,
  ): Promise<NewSummary> {
    if (chatModel === null) return compose(claim);
    const { version } = prompts['user-summary'];
    const askAbout = (about: readonly NarrativeLine[], summary: string | null): Promise<SummaryText> => {
      const prompt = buildUserSummaryPrompt({ prompts, lines: about, summary, now: now() });
      return ask(chatModel, prompt, [summary ?? '', ...about.map(({ text }) => text)], signal);
    };
    const read: Read = { count: 0, expiresAt: null };
    const known = await listSummaryParts(database, claim);
    const used: string[] = [];
    let lines: () => AsyncIterable<NarrativeLine> | Iterable<NarrativeLine> = () =>
      readLines(claim, read, signal);
    for (;;) {
      const whole = await wholeOf(lines());
      if (whole !== null) {
        const text = whole.length === 0 ? empty() : await askAbout(whole, claim.content);
        await dropSummaryParts(database, claim, used);
        return { text, coversSeq: 0, memoryCount: read.count, expiresAt: read.expiresAt, more: false };
      }
      const texts: NarrativeLine[] = [];
      for await (const part of partsOf(lines())) {
        const hash = hashOfPart(part, version);
        const content = known.get(hash);
        if (content === undefined) {
          const text = await askAbout(part, null);
          await saveSummaryPart(database, claim, { hash, content: text.content ?? '' });
          return { text: null, coversSeq: 0, memoryCount: null, expiresAt: null, more: true };
        }
        used.push(hash);
        texts.push(lineOfPart(part, content));
      }
      lines = () => texts;
    }
  };

  async function compose({ tenantId, userId }: SummaryClaim): Promise<NewSummary> {
    const memories = await listNarrativeMemories(database, { tenantId, userId, limit: COMPOSED_MEMORIES });
    const content = composeUserSummary(memories);
    return {
      text: { ...empty(), content: content === '' ? null : content },
      coversSeq: 0,
      memoryCount: memories.length,
      expiresAt: memories.reduce<Date | null>((first, memory) => earlier(first, memory.expiresAt), null),
      more: false,
    };
  }

  /** All memories as lines; counts them into `read`. */
  async function* readLines(
    { tenantId, userId }: SummaryClaim,
    read: Read,
    signal: AbortSignal,
  ): AsyncGenerator<NarrativeLine> {
    Object.assign(read, { count: 0, expiresAt: null });
    let after: Readonly<{ position: string; id: string }> | null = null;
    do {
      signal.throwIfAborted();
      const page = await listNarrativePage(database, { tenantId, userId, after, limit: PAGE });
      for (const memory of page) {
        read.count += 1;
        read.expiresAt = earlier(read.expiresAt, memory.expiresAt);
        const line = lineOfMemory(memory);
        if (line !== null) yield line;
      }
      after = page.length < PAGE ? null : (page.at(-1) ?? null);
    } while (after !== null);
  }
}

function empty(): SummaryText {
  return { content: null, source: 'composed', promptVersion: 'rules', model: null };
}

function earlier(first: Date | null, other: Date | null): Date | null {
  return other !== null && (first === null || other < first) ? other : first;
}
