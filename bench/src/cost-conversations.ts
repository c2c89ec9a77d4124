import { factSentence } from '@factmill/extraction';
import type { Finding } from '@factmill/testkit';
import { readdir, readFile } from 'node:fs/promises';

/** A memory that a good model extracts from a turn, and the statement that it is a version of. */
export type Stated = Readonly<{ finding: Finding; subject: string; restates: boolean }>;

export type Turn = Readonly<{
  role: 'user' | 'assistant' | 'tool';
  content: string | null;
  toolCalls?: readonly object[];
  toolCallId?: string;
  /** Time since the previous turn. */
  pauseS: number;
  stated: readonly Stated[];
}>;

export type Conversation = Readonly<{ id: string; startsAt: Date; turns: readonly Turn[] }>;
export type User = Readonly<{ id: string; conversations: readonly Conversation[] }>;

const FOLDER = new URL('../conversations/', import.meta.url);

/** Time to read the reply, think and type. */
const USER_PAUSE_S = 40;
const REPLY_PAUSE_S = 4;

/**
 * The conversations of `bench/conversations`, written for this benchmark. One item per line: `@ user`, `# start`
 * (UTC) of a conversation, `> ` a user message, `< ` the reply, `* tool(arguments) -> result`. After a user's line
 * come its statements: `= category.key: value`, `? question? answer`, `! event`. At the end of such a line `@subject`
 * marks the same subject as an earlier statement under another key or question; `~subject` marks the same statement
 * in other words.
 */
export async function loadCostConversations(): Promise<User[]> {
  const files = (await readdir(FOLDER)).filter((name) => /^conversations-\d+\.txt$/.test(name)).toSorted();
  const texts = await Promise.all(files.map((name) => readFile(new URL(name, FOLDER), 'utf8')));
  return parseConversations(texts.join('\n'));
}

type OpenTurn = Turn & { stated: Stated[] };
type OpenUser = { id: string; conversations: { id: string; startsAt: Date; turns: OpenTurn[] }[] };

/** @throws Error naming the line that cannot be parsed */
function parseConversations(text: string): User[] {
  const users: OpenUser[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const mark = line[0] ?? '';
    const rest = line.slice(2).trim();
    const user = users.at(-1);
    const turns = user?.conversations.at(-1)?.turns;
    if (mark === '@') users.push({ id: rest, conversations: [] });
    else if (mark === '#' && user !== undefined)
      user.conversations.push({
        id: `${user.id}-${user.conversations.length + 1}`,
        startsAt: new Date(`${rest.replace(' ', 'T')}:00Z`),
        turns: [],
      });
    else if ('><*'.includes(mark) && turns !== undefined) turns.push(...parseTurns(mark, rest, turns.length));
    else if ('=?!'.includes(mark) && turns?.at(-1)?.role === 'user')
      turns.at(-1)?.stated.push(parseStated(mark, rest));
    else throw new Error(`line ${index + 1} cannot be read: ${line}`);
  }
  return users;
}

function parseTurns(mark: string, rest: string, position: number): OpenTurn[] {
  if (mark === '>') return [{ role: 'user', content: rest, pauseS: USER_PAUSE_S, stated: [] }];
  if (mark === '<') return [{ role: 'assistant', content: rest, pauseS: REPLY_PAUSE_S, stated: [] }];
  const [, name, args, result] = /^(\w+)\((.*)\) -> (.*)$/.exec(rest) ?? [];
  if (name === undefined || result === undefined) throw new Error(`no call of a tool: ${rest}`);
  const id = `call_${position}`;
  const call = { id, type: 'function', function: { name, arguments: args } };
  return [
    { role: 'assistant', content: null, toolCalls: [call], pauseS: 1, stated: [] },
    { role: 'tool', content: result, toolCallId: id, pauseS: 1, stated: [] },
  ];
}

function parseStated(mark: string, rest: string): Stated {
  const [, line = rest, relation, other] = /^(.*?) ([@~])(.+)$/.exec(rest) ?? [];
  const finding = parseFinding(mark, line);
  return { finding, subject: other ?? subjectOf(finding), restates: relation === '~' };
}

function parseFinding(mark: string, line: string): Finding {
  if (mark === '!') return { kind: 'event', content: line };
  if (mark === '?') {
    const end = line.indexOf('?') + 1;
    return { kind: 'answer', question: line.slice(0, end), content: line.slice(end).trim() };
  }
  const [, category = '', key = '', value = ''] = /^(\w+)\.(\w+): (.*)$/.exec(line) ?? [];
  return { kind: 'attribute', category, key, value, content: factSentence(key, value) };
}

function subjectOf(finding: Finding): string {
  if (finding.kind === 'attribute') return `${finding.category}.${finding.key}`;
  return finding.kind === 'answer' ? finding.question : finding.content;
}
