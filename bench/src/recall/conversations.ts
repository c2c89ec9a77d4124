import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** One turn. `id` is unique in its conversation. */
type Turn = Readonly<{
  id: string;
  speaker: string;
  role: 'user' | 'assistant';
  text: string;
  createdAt: Date;
}>;

export type Session = Readonly<{
  /** When it began. */
  startsAt: Date;
  turns: readonly Turn[];
  /** Facts that a language model extracted from the session, with their source turns. LoCoMo has them. */
  observations: readonly Readonly<{ text: string; evidence: readonly string[] }>[];
}>;

export type Question = Readonly<{ question: string; category: string; evidence: readonly string[] }>;

export type Conversation = Readonly<{
  /** Name of its file without the extension. */
  name: string;
  language: string;
  /** `people`: all speakers are users with names. `assistant`: a user without a name talks to an assistant. */
  between: 'people' | 'assistant';
  /** Single statements instead of a chat: they are stored as memories, never extracted. */
  isStatements: boolean;
  sessions: readonly Session[];
  questions: readonly Question[];
}>;

/** The conversations of one folder. */
export type ConversationSet = Readonly<{ name: string; conversations: readonly Conversation[] }>;

type File = Readonly<{
  language?: string;
  /** How to use a file that is no chat. */
  note?: string;
  sessions: readonly Readonly<{
    /** Such as `1:56 pm on 8 May, 2023`, taken as UTC. */
    date_time: string;
    turns: readonly Readonly<{
      id: string;
      speaker: string;
      text: string;
      role?: 'user' | 'assistant';
      created_at?: string;
    }>[];
    observations?: Session['observations'];
  }>[];
  questions: readonly Readonly<{
    question: string;
    category: number | string;
    evidence: readonly string[];
  }>[];
}>;

/** LoCoMo numbers its categories. Questions of the remaining one, adversarial, have no answer. */
const LOCOMO_CATEGORIES: ReadonlyMap<number | string, string> = new Map([
  [1, 'multi-hop'],
  [2, 'temporal'],
  [3, 'open-domain'],
  [4, 'single-hop'],
]);

/**
 * The sets in a folder: the folder itself when it holds `*.json`, and each such subfolder, by name.
 *
 * @throws Error when there is none, or a file that is not a conversation
 */
export async function loadSets(folder: string): Promise<ConversationSet[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  const sets = await Promise.all([folder, ...folders.toSorted()].map(loadSet));
  const filled = sets.filter(({ conversations }) => conversations.length > 0);
  if (filled.length === 0) throw new Error(`${folder} has no conversations (*.json)`);
  return filled;
}

async function loadSet(folder: string): Promise<ConversationSet> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).toSorted();
  return {
    name: basename(folder),
    conversations: await Promise.all(
      names.map(async (name) => {
        const file = JSON.parse(await readFile(join(folder, name), 'utf8')) as Partial<File>;
        if (!Array.isArray(file.sessions) || !Array.isArray(file.questions)) {
          throw new Error(`${name} has no sessions and questions: is it a conversation?`);
        }
        return toConversation(basename(name, '.json'), file as File);
      }),
    ),
  };
}

function toConversation(name: string, file: File): Conversation {
  const roles = new Set(file.sessions.flatMap(({ turns }) => turns.map(({ role }) => role)));
  return {
    name,
    language: file.language ?? 'en',
    between: roles.has('assistant') ? 'assistant' : 'people',
    isStatements: file.note !== undefined,
    sessions: file.sessions.map(({ date_time: dateTime, turns, observations = [] }) => {
      const startsAt = parseDateTime(dateTime);
      return {
        startsAt,
        observations,
        turns: turns.map(({ id, speaker, text, role = 'user', created_at: createdAt }, position) => ({
          id,
          speaker,
          role,
          text,
          createdAt: new Date(createdAt ?? startsAt.getTime() + position * 1_000),
        })),
      };
    }),
    questions: file.questions.flatMap(({ question, category, evidence }) => {
      const name = typeof category === 'number' ? LOCOMO_CATEGORIES.get(category) : category;
      return name === undefined || evidence.length === 0 ? [] : [{ question, category: name, evidence }];
    }),
  };
}

/** @throws Error when the text is not of the form `1:56 pm on 8 May, 2023` */
function parseDateTime(text: string): Date {
  const [, time, half, day] = /^(\d+:\d\d) ([ap]m) on (.+)$/.exec(text) ?? [];
  const date = new Date(`${day} ${time} ${half} UTC`);
  if (Number.isNaN(date.getTime())) throw new Error('a session has a date_time of another form');
  return date;
}
