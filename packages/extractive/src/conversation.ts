import {
  type TranscriptMessage,
  normaliseKey,
  stripInjectedPostfixes,
  toStorableText,
} from '@factmill/extraction';
import { toChineseParagraphs } from './chinese/clauses.ts';
import { mentionsChineseSecret } from './chinese/refusals.ts';
import { isChinese } from './chinese/script.ts';
import { MAX_MESSAGE_CHARACTERS, toParagraphs } from './clean-text.ts';
import type { Language } from './other-languages/language.ts';
import { toParagraphsIn } from './other-languages/paragraphs.ts';
import { tellLanguage } from './other-languages/tell-language.ts';
import { mentionsSecret } from './refusals.ts';
import { speakerOf, type Speaker } from './third-person.ts';
import { type Asked, topicOf, type Topic } from './topic.ts';
import { withoutVocatives } from './vocatives.ts';

/** A message as the rules read it. */
export type Told = {
  message: TranscriptMessage;
  /** Sentences by paragraph. */
  paragraphs: readonly (readonly string[])[];
  speaker: Speaker;
  /** Whom the speaker talks to, when that is known: what `you` means. */
  listener: string | null;
  /** What the message answers. */
  topic: Topic | null;
  keyPrefix: string;
  /** Whether what no rule reads is kept in the user's own words. */
  keepsOwnWords: boolean;
  /** Said among people: those with names talk to each other, a user without one talks to an assistant. */
  social: boolean;
  /** Which rules read it: those for English, those for Chinese, or what is known of another language. */
  language: 'en' | 'zh' | Language;
  /** Words that the messages write with a capital letter inside of a sentence. */
  names: ReadonlySet<string>;
};

export type ReadOptions = { speaker: string; keepsOwnWords: boolean };

function nameOf(message: TranscriptMessage): string {
  return message.name === undefined ? '' : toStorableText(message.name);
}

function paragraphsOf(
  message: TranscriptMessage,
  others: readonly string[],
  language: Told['language'],
): string[][] {
  const content = stripInjectedPostfixes(message.content);
  if (language === 'zh') return toChineseParagraphs(content);
  if (language !== 'en') return toParagraphsIn(language, content);
  return toParagraphs(content).map((sentences) =>
    sentences.map((sentence) => withoutVocatives(sentence, others)),
  );
}

/** Other languages are told apart only where a user talks to an assistant: among people nobody's own words are kept. */
function languageOf(content: string, social: boolean): Told['language'] {
  if (isChinese(content)) return 'zh';
  return social ? 'en' : (tellLanguage(content) ?? 'en');
}

const asksForSecret = (sentence: string): boolean =>
  mentionsSecret(sentence) || mentionsChineseSecret(sentence);

const NAME = /(?<=\p{Ll} )\p{Lu}\p{Ll}{1,30}\b/gu;

/** What somebody else asks in the message before. */
function questionBefore(message: TranscriptMessage, previous: TranscriptMessage | undefined): Asked | null {
  if (previous === undefined) return null;
  const asker = nameOf(previous);
  if (asker === '' || nameOf(message) === '' || asker === nameOf(message)) return null;
  return {
    messageId: previous.id,
    sentences: paragraphsOf(previous, [nameOf(message)], languageOf(previous.content, true)).flat(),
    by: speakerOf(asker, ''),
    at: previous.createdAt,
  };
}

/**
 * Who tells what to whom in the user messages, in conversation order. Only the messages given are known: a listener
 * when exactly two people talk, a question when its message comes right before. Each message is read when it is asked
 * for.
 */
export function* readConversation(
  messages: readonly TranscriptMessage[],
  { speaker: fallbackName, keepsOwnWords }: ReadOptions,
): Generator<Told> {
  const said = messages.filter(({ role }) => role === 'user').toSorted((a, b) => a.seq - b.seq);
  const names = [...new Set(said.map((message) => nameOf(message)))];
  const written = new Set(
    said.flatMap(({ content }) => content.slice(0, MAX_MESSAGE_CHARACTERS).match(NAME) ?? []),
  );
  for (const [index, message] of said.entries()) {
    const name = nameOf(message);
    const speaker = speakerOf(name, fallbackName);
    const others = names.filter((other) => other !== '' && other !== name);
    const question = questionBefore(message, said[index - 1]);
    const isSecret = question?.sentences.some((sentence) => asksForSecret(sentence)) === true;
    const social = name !== '';
    const language = languageOf(message.content, social);
    yield {
      message,
      // The answer to a question about a password need not name what it tells.
      paragraphs: isSecret ? [] : paragraphsOf(message, others, language),
      speaker,
      listener: social && names.length === 2 ? (others[0] ?? null) : null,
      topic: question === null ? null : topicOf(question, speaker, message.content.trim()),
      // Several named speakers share one user's memory: their attributes must not replace each other's.
      keepsOwnWords: keepsOwnWords && !social,
      keyPrefix: social ? `${normaliseKey(name)}_` : '',
      social,
      language,
      names: written,
    };
  }
}
