import { isDisguised } from './disguises.ts';
import { encodedTexts } from './encoded.ts';
import { givesOrders, playsRole } from './instructions.ts';
import { hasMarkup } from './links.ts';
import { plainForm } from './plain-form.ts';
import { holdsSecret } from './secrets.ts';

/** Marks of an attack that show in the text itself, whoever wrote it. */
export const MARKS = [
  'secret',
  'markup',
  'encoded',
  'plays_role',
  'about_assistant',
  'about_others',
  'instruction',
  'disguised',
] as const;
export type Mark = (typeof MARKS)[number];

/** The texts to judge. */
export type Stated = Readonly<{
  /** All texts, unchanged. */
  raw: readonly string[];
  /** Those of them that are statements, not names. */
  statements: readonly string[];
  /** Normalised. */
  key: string | null;
  question: string | null;
}>;

/** Marks that are allowed for this text. */
export type Allowed = Readonly<{
  /** Secrets, where the preset keeps them. */
  secret?: boolean;
  /** Sentences in the imperative. */
  order?: boolean;
  /** Statements about the assistant: summaries report what it did. */
  assistant?: boolean;
}>;

const ABOUT_ASSISTANT =
  /^(?:the |this |your )?(?:ai |virtual |chat ?)?(?:assistant|chatbot|language model|llm|bot)(?:'s)? /;
const ASSISTANT_KEY =
  /^(?:assistant|ai|bot|chatbot|model)_(?:name|role|identity|persona|version|instructions?)$/;
const ABOUT_OTHERS =
  /\b(?:for|of|about|to|from|as) (?:all|every|each|any|other|another) (?:users?|tenants?|accounts?)\b|^(?:all|every|each|any|other) (?:users?|tenants?|accounts?)\b|\b(?:user|tenant)[ _]id:? ["']?[\w-]{0,40}\d/;

/** The first mark in a text, or null. */
export function markOf(stated: Stated, allowed: Allowed = {}): Mark | null {
  const { raw, key } = stated;
  const plain = raw.map((text) => plainForm(text));
  const statements = stated.statements.map((text) => plainForm(text));
  const isSecret = holdsSecret({
    key,
    question: stated.question === null ? null : plainForm(stated.question),
    plain: plain.join('\n'),
    raw: raw.join('\n'),
  });
  if (isSecret && allowed.secret !== true) return 'secret';
  if (raw.some((text) => hasMarkup(text))) return 'markup';
  if (raw.some((text) => encodedTexts(text).length > 0)) return 'encoded';
  if (plain.some((text) => playsRole(text))) return 'plays_role';
  if (allowed.assistant !== true) {
    if (statements.some((text) => ABOUT_ASSISTANT.test(text)) || (key !== null && ASSISTANT_KEY.test(key)))
      return 'about_assistant';
  }
  if (plain.some((text) => ABOUT_OTHERS.test(text))) return 'about_others';
  const orders = plain.map((text) => givesOrders(text));
  if (orders.includes('override')) return 'instruction';
  if (orders.includes('order') && allowed.order !== true) return 'instruction';
  return raw.some((text) => isDisguised(text)) ? 'disguised' : null;
}
