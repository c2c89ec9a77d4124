import type { Preset } from '../presets/preset.ts';
import type { TranscriptMessage } from '../types.ts';
import { cutMiddle } from './cut-middle.ts';
import {
  renderAssistant,
  renderToolCalls,
  renderToolResult,
  renderUser,
  type ToolNames,
} from './render-message.ts';

export type Transcript = {
  text: string;
  /** The user's blocks alone. */
  userText: string;
  /** The assistant's blocks alone; empty when the preset omits them. */
  assistantText: string;
  /** The messages with any text in `text`, in conversation order. */
  messageIds: string[];
  /** Length of `text` in UTF-16 code units. */
  characters: number;
  /** What the limit `maxTranscriptCharacters` removed: characters, and the number of messages concerned. */
  cut: { characters: number; messages: number } | null;
  /** The time of the last message; relative dates refer to it. */
  saidAt: Date | null;
};

type Block = { message: TranscriptMessage; text: string };

/** The roles that each kind of transcript includes. */
const ROLES: Readonly<Record<Preset['transcript'], ReadonlySet<TranscriptMessage['role']>>> = {
  'user-only': new Set(['user']),
  pair: new Set(['user', 'assistant']),
  full: new Set(['user', 'assistant', 'tool', 'function']),
};

/** Whether a preset shows messages of that role to the model. */
export function isShown(role: TranscriptMessage['role'], preset: Preset): boolean {
  return ROLES[preset.transcript].has(role);
}

function render(message: TranscriptMessage, preset: Preset, names: ToolNames): string {
  if (message.role === 'user') return renderUser(message);
  if (message.role !== 'assistant') return renderToolResult(message, names);
  const calls = preset.transcript === 'full' ? renderToolCalls(message) : '';
  return [renderAssistant(message), calls].filter((text) => text !== '').join('\n');
}

function toolNamesOf(messages: readonly TranscriptMessage[]): ToolNames {
  return new Map(messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id, name }) => [id, name])));
}

function textOfRole(blocks: readonly Block[], role: TranscriptMessage['role'], limit: number): string {
  const own = blocks.filter(({ message }) => message.role === role).map(({ text }) => text);
  return cutMiddle(own.join('\n'), limit).text;
}

/**
 * Renders messages for the model, one block each, as the preset says: user messages (`User: …`, `User (Name): …`
 * for named ones), with `pair` also replies (`Assistant: …`), with `full` also `[Tool call] name(args)` and `[Tool
 * result] name: output`. Omits system and developer messages and messages of injected postfixes only. Above the
 * preset's limit the middle is cut, and `cut` says how much.
 */
export function buildTranscript(messages: readonly TranscriptMessage[], preset: Preset): Transcript {
  const limit = preset.maxTranscriptCharacters;
  const names = toolNamesOf(messages);
  const blocks = messages
    .toSorted((a, b) => a.seq - b.seq)
    .filter((message) => isShown(message.role, preset))
    .map((message): Block => ({ message, text: render(message, preset, names) }))
    .filter(({ text }) => text !== '');
  const { text, removed } = cutMiddle(blocks.map((block) => block.text).join('\n'), limit);

  const kept: string[] = [];
  let touched = 0;
  let start = 0;
  for (const block of blocks) {
    const end = start + block.text.length;
    if (removed === null || start < removed.from || end > removed.to) kept.push(block.message.id);
    if (removed !== null && start < removed.to && end > removed.from) touched += 1;
    start = end + 1;
  }
  return {
    text,
    userText: textOfRole(blocks, 'user', limit),
    assistantText: textOfRole(blocks, 'assistant', limit),
    messageIds: kept,
    characters: text.length,
    cut: removed === null ? null : { characters: removed.to - removed.from, messages: touched },
    saidAt: blocks.at(-1)?.message.createdAt ?? null,
  };
}
