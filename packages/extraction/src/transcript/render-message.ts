import { stripInvisible } from '@factmill/contracts';
import { toStorableText } from '../storable-text.ts';
import type { ToolCall, TranscriptMessage } from '../types.ts';
import { stripInjectedPostfixes } from './injected-postfixes.ts';

/** Tool arguments and results are cut to this many characters (source D). */
const MAX_TOOL_CHARACTERS = 500;

/** A line that looks like the beginning of a block. */
const BLOCK_START =
  /^(?=(?:user|assistant|system|developer|tool)\b[^\n:]{0,80}:|\[tool (?:call|result)\])/gim;

/** The names of tools by the id of their call. */
export type ToolNames = ReadonlyMap<string, string>;

/** The text without invisible characters. */
function visible(text: string): string {
  return toStorableText(stripInvisible(text));
}

/** Text within a block: lines that look like the beginning of another block are indented. */
function withinBlock(text: string): string {
  const end = text.indexOf('\n') + 1;
  return end === 0 ? text : text.slice(0, end) + text.slice(end).replaceAll(BLOCK_START, '  ');
}

/** On one line, cut to what a tool is worth. */
function toolText(text: string): string {
  const line = visible(text).replaceAll(/\s+/g, ' ');
  return line.length > MAX_TOOL_CHARACTERS ? `${line.slice(0, MAX_TOOL_CHARACTERS).toWellFormed()}…` : line;
}

function toolCallLine({ name, arguments: given }: ToolCall): string {
  return `[Tool call] ${toolText(name)}(${toolText(given)})`;
}

/** `User: …`, with the speaker's name if there is one. Empty for a message of injected postfixes only. */
export function renderUser(message: TranscriptMessage): string {
  const content = visible(stripInjectedPostfixes(message.content.replaceAll('\u0000', '')));
  if (content === '') return '';
  const name = visible(message.name ?? '')
    .replaceAll(/[\s():]+/g, ' ')
    .trim();
  return `${name === '' ? 'User' : `User (${name})`}: ${withinBlock(content)}`;
}

/** `Assistant: …`; empty for a message of tool calls only. */
export function renderAssistant(message: TranscriptMessage): string {
  const content = visible(message.content);
  return content === '' ? '' : `Assistant: ${withinBlock(content)}`;
}

/** The calls that an assistant message made, a line each. */
export function renderToolCalls(message: TranscriptMessage): string {
  return (message.toolCalls ?? []).map((call) => toolCallLine(call)).join('\n');
}

/** `[Tool result] name: output`. */
export function renderToolResult(message: TranscriptMessage, names: ToolNames): string {
  const name = message.name ?? names.get(message.toolCallId ?? '') ?? 'tool';
  const output = toolText(message.content);
  return output === '' ? '' : `[Tool result] ${toolText(name)}: ${output}`;
}
