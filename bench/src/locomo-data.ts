import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** A conversation of the LoCoMo benchmark: what is read of its file. */
export type LocomoFile = Readonly<{
  sessions: readonly LocomoSession[];
  questions: readonly LocomoQuestion[];
}>;

export type LocomoConversation = LocomoFile &
  Readonly<{
    /** Name of its file without the extension. */
    name: string;
  }>;

export type LocomoSession = Readonly<{
  /** Such as `1:56 pm on 8 May, 2023`, taken as UTC. */
  date_time: string;
  turns: readonly Readonly<{ id: string; speaker: string; text: string }>[];
  /** Facts that a language model found in the session, with the turns that they rest on. */
  observations: readonly Readonly<{ text: string; evidence: readonly string[] }>[];
}>;

export type LocomoQuestion = Readonly<{ question: string; category: number; evidence: readonly string[] }>;

/** Questions of the other category, adversarial, have no answer to find. */
export const CATEGORIES: ReadonlyMap<number, string> = new Map([
  [1, 'multi-hop'],
  [2, 'temporal'],
  [3, 'open-domain'],
  [4, 'single-hop'],
]);

/**
 * Every `*.json` of a folder, by name.
 *
 * @throws Error when the folder has none, or one that is not a conversation
 */
export async function loadConversations(folder: string): Promise<LocomoConversation[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).toSorted();
  if (names.length === 0) throw new Error(`${folder} has no conversations (*.json)`);
  return Promise.all(
    names.map(async (name) => {
      const { sessions, questions } = JSON.parse(
        await readFile(join(folder, name), 'utf8'),
      ) as Partial<LocomoFile>;
      if (!Array.isArray(sessions) || !Array.isArray(questions)) {
        throw new Error(`${name} has no sessions and questions: is it a LoCoMo conversation?`);
      }
      return { name: basename(name, '.json'), sessions, questions } as LocomoConversation;
    }),
  );
}

/** The questions that count: of the four categories, with evidence. */
export function questionsOf({ questions }: LocomoFile): LocomoQuestion[] {
  return questions.filter(({ category, evidence }) => CATEGORIES.has(category) && evidence.length > 0);
}

/** @throws Error when the text is not of the form `1:56 pm on 8 May, 2023` */
export function parseDateTime(text: string): Date {
  const [, time, half, day] = /^(\d+:\d\d) ([ap]m) on (.+)$/.exec(text) ?? [];
  const date = new Date(`${day} ${time} ${half} UTC`);
  if (Number.isNaN(date.getTime())) throw new Error('a session has a date_time of another form');
  return date;
}
