import {
  listConversationMemories,
  listMessages,
  type MessageRow,
  type NewSummary,
  type Sql,
  type SummarisedMemory,
  type SummaryClaim,
  type SummaryText,
} from '@factmill/database';
import { AppError } from '@factmill/errors';
import {
  buildConversationSummaryPrompt,
  buildTranscript,
  composeConversationSummary,
  estimateTokens,
  getPreset,
  type Prompt,
  type Prompts,
  readSummaryReply,
  screenSummary,
  STATEMENT_REFUSALS,
  type TranscriptMessage,
} from '@factmill/extraction';
import type { ChatModel } from '@factmill/models';
import { createCounter, seriesOf } from '@factmill/telemetry';
import type { BillChatModel } from '../providers/billed-chat-model.ts';
import { createWriteNarrative } from './write-narrative.ts';

const CONVERSATION_MEMORIES = 200;

/** New messages per call; the next call covers the rest. */
const MESSAGES_PER_CALL = 200;
const MESSAGE_TOKENS_PER_CALL = 3_000;
/** A single message above this length loses its middle. */
const TRANSCRIPT_CHARACTERS = 24_000;

export type WriteDeps = Readonly<{
  database: Sql;
  /** Null: everything is composed. */
  chatModel: ChatModel | null;
  bill: BillChatModel;
  prompts: Prompts;
  now: () => Date;
}>;

/**
 * The current text of a summary, by the model or by rules. The caller stores it; only the texts of a
 * narrative's parts are stored here.
 *
 * @throws AppError of the model (`model_…`), also for an unusable reply; `database_unavailable`
 */
export function createWriteSummary(deps: WriteDeps) {
  const countRefused = createCounter(
    'factmill_summary_sentences_refused_total',
    'Sentences that were left out of summaries, by reason',
    seriesOf({ reason: STATEMENT_REFUSALS }),
  );

  const { database, prompts, now } = deps;
  const writeNarrative = createWriteNarrative({ database, prompts, now, ask });

  return function writeSummary(
    claim: SummaryClaim,
    by: 'model' | 'composed',
    signal: AbortSignal,
  ): Promise<NewSummary> {
    const chatModel =
      by === 'model' && deps.chatModel !== null ? deps.bill(deps.chatModel, claim, 'summary') : null;
    if (claim.conversationId === '') return writeNarrative(claim, chatModel, signal);
    return chatModel === null
      ? composeConversation(database, claim)
      : continueConversation(claim, chatModel, signal);
  };

  async function ask(
    chatModel: ChatModel,
    prompt: Prompt,
    sources: readonly string[],
    signal: AbortSignal,
  ): Promise<SummaryText> {
    const reply = await chatModel.complete({ messages: prompt.messages, signal });
    if (reply.finishReason === 'length') {
      throw new AppError('model_truncated', 'The summary did not fit into the reply. Raise LLM_MAX_TOKENS.');
    }
    const read = readSummaryReply(reply.text);
    if (read === null) throw new AppError('model_bad_reply', 'The model’s reply is no summary.');
    const { text: content, refused } = screenSummary(read, sources);
    for (const reason of refused) countRefused(1, { reason });
    if (content === '')
      throw new AppError('model_bad_reply', 'Nothing of the model’s reply may stand in a summary.');
    return { content, source: 'model', promptVersion: prompt.promptVersion, model: reply.model };
  }

  /** The text so far and the messages since then make the new text; without new messages it stays. */
  async function continueConversation(
    claim: SummaryClaim,
    chatModel: ChatModel,
    signal: AbortSignal,
  ): Promise<NewSummary> {
    const extractedSeq = claim.extractedSeq ?? claim.coversSeq;
    const rows = await listMessages(deps.database, {
      tenantId: claim.tenantId,
      conversationId: claim.conversationId,
      afterSeq: claim.coversSeq,
      toSeq: extractedSeq,
      includeSuperseded: false,
      limit: MESSAGES_PER_CALL,
    });
    const taken = withinBudget(rows);
    const more = taken.length < rows.length || rows.length === MESSAGES_PER_CALL;
    const about = {
      coversSeq: Math.max(more ? (taken.at(-1)?.seq ?? claim.coversSeq) : extractedSeq, claim.coversSeq),
      memoryCount: null,
      expiresAt: null,
      more,
    };
    const transcript = buildTranscript(
      taken.filter(({ removedAt }) => removedAt === null).map((row) => toTranscriptMessage(row)),
      both(),
    );
    if (transcript.text === '') {
      return { text: null, ...about };
    }
    const prompt = buildConversationSummaryPrompt({
      prompts: deps.prompts,
      summary: claim.content,
      transcript,
      now: deps.now(),
    });
    const said = taken.flatMap(({ role, content }) => (role === 'user' ? (content ?? '') : []));
    return { text: await ask(chatModel, prompt, [claim.content ?? '', ...said], signal), ...about };
  }
}

async function composeConversation(database: Sql, claim: SummaryClaim): Promise<NewSummary> {
  const { tenantId, userId, conversationId } = claim;
  const memories = await listConversationMemories(database, {
    tenantId,
    userId,
    conversationId,
    limit: CONVERSATION_MEMORIES,
  });
  return {
    text: composed(composeConversationSummary(memories)),
    coversSeq: Math.max(claim.extractedSeq ?? 0, claim.coversSeq),
    memoryCount: memories.length,
    expiresAt: firstExpiry(memories),
    more: false,
  };
}

function composed(text: string): SummaryText {
  return { content: text === '' ? null : text, source: 'composed', promptVersion: 'rules', model: null };
}

function firstExpiry(memories: readonly SummarisedMemory[]): Date | null {
  return memories.reduce<Date | null>(
    (first, { expiresAt }) =>
      expiresAt !== null && (first === null || expiresAt < first) ? expiresAt : first,
    null,
  );
}

/** The first messages that fit, at least one. */
function withinBudget(rows: readonly MessageRow[]): readonly MessageRow[] {
  let tokens = 0;
  const end = rows.findIndex(({ content }, index) => {
    tokens += estimateTokens(content ?? '');
    return index > 0 && tokens > MESSAGE_TOKENS_PER_CALL;
  });
  return end < 0 ? rows : rows.slice(0, end);
}

function toTranscriptMessage(row: MessageRow): TranscriptMessage {
  const { id, seq, role, content, name, createdAt } = row;
  return { id, seq, role, content: content ?? '', createdAt, ...(name === null ? {} : { name }) };
}

/** Settings for a transcript of both sides. */
function both() {
  const standard = getPreset('standard');
  if (standard === undefined) throw new Error('the preset standard is missing');
  return { ...standard, transcript: 'pair', maxTranscriptCharacters: TRANSCRIPT_CHARACTERS } as const;
}
