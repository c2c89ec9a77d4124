type Pattern = Readonly<{ find: RegExp; key: (match: RegExpMatchArray) => string; value: number }>;

const VALUE = String.raw`([^.,;!?\n]+)`;

/** Simple statements about oneself, and the key under which the answer gives them. The first that fits a place wins. */
const STATEMENTS: readonly Pattern[] = [
  { find: /\bcode word number (\d+) is ([\w-]+)/gi, key: ([, number]) => `code_word_${number}`, value: 2 },
  { find: /\bfact (\d+)\b/gi, key: ([, number]) => `fact_${number}`, value: 0 },
  { find: new RegExp(String.raw`\bmy name is ${VALUE}`, 'gi'), key: () => 'name', value: 1 },
  { find: new RegExp(String.raw`\bI (?:now )?live in ${VALUE}`, 'gi'), key: () => 'home', value: 1 },
  { find: new RegExp(String.raw`\bI moved to ${VALUE}`, 'gi'), key: () => 'home', value: 1 },
  { find: new RegExp(String.raw`\bI work as (?:an? )?${VALUE}`, 'gi'), key: () => 'job', value: 1 },
  { find: new RegExp(String.raw`\bI work (?:at|for) ${VALUE}`, 'gi'), key: () => 'employer', value: 1 },
  { find: new RegExp(String.raw`\bI(?: am|'m) allergic to ${VALUE}`, 'gi'), key: () => 'allergy', value: 1 },
  {
    find: new RegExp(String.raw`\bmy (\w+)(?:'s name is| is (?:called|named)) ${VALUE}`, 'gi'),
    key: ([, whose]) => `${whose}_name`,
    value: 2,
  },
  {
    find: new RegExp(String.raw`\bmy ((?!name\b|code word\b)\w+(?: \w+)?) is (?!called|named)${VALUE}`, 'gi'),
    key: ([, what]) => what ?? '',
    value: 2,
  },
];

const LIKES = new RegExp(String.raw`\bI (like|love|enjoy|prefer) ${VALUE}`, 'gi');

/** What a conversation says in simple statements: attributes by key, and likings as questions with answers. */
export type SimpleFacts = Readonly<{
  facts: Readonly<Record<string, string>>;
  context: readonly Readonly<{ q: string; a: string }>[];
}>;

export function findSimpleFacts(conversation: string): SimpleFacts {
  const facts: Record<string, string> = {};
  for (const { find, key, value } of STATEMENTS) {
    for (const match of conversation.matchAll(find)) {
      facts[key(match).trim().toLowerCase().replace(/\W+/g, '_')] ??= (match[value] ?? '').trim();
    }
  }
  const context = [...conversation.matchAll(LIKES)].map(([, verb, what]) => ({
    q: `What does the user ${verb}?`,
    a: `The user ${verb}s ${(what ?? '').trim()}.`,
  }));
  return { facts, context };
}

/** What stands between `<conversation>` and `</conversation>`; all of a text without that. */
export function conversationIn(text: string): string {
  return /<conversation>([\s\S]*)<\/conversation>/.exec(text)?.[1] ?? text;
}

/**
 * The reply of a model that does its job, in the form of the preset `facts-and-context`: an attribute per simple
 * statement in the conversation (`My favourite tea is oolong.` gives `favourite_tea`), a fact per marker (`My code
 * word number 17 is zebra17`, `fact 17`), a question and answer per liking. Deterministic.
 *
 * Reads only what stands between `<conversation>` and `</conversation>` when the text has that, because the memories
 * that a prompt names as known are no news.
 */
export function replyWithFacts(userText: string): string {
  return JSON.stringify(findSimpleFacts(conversationIn(userText)));
}
