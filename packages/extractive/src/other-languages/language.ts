/** What the rules know of a language: enough to tell a statement about its speaker from everything else. */
export type Language = Readonly<{
  /** BCP 47. */
  code: string;
  /** Words that are frequent in it, in lower case: they tell it from others, and say little. */
  common: ReadonlySet<string>;
  /** Letters that tell it from most others, in lower case. */
  letters: RegExp | null;
  /** The speaker as a subject or an owner; verbs of the first person where the subject is left out. */
  speaker: RegExp;
  /** Signs that a sentence states nothing: it speaks to somebody, asks for something, or only supposes. */
  refused: readonly RegExp[];
}>;

const alternativesOf = (words: string): string =>
  words
    .split('/')
    .map((word) => word.trim())
    .join('|')
    .replaceAll('*', String.raw`\p{L}{0,12}`);

/** Words with ` / ` between them, as a pattern that matches them whole, in any case; `*` is the rest of a word. */
export const anyOf = (words: string): RegExp =>
  new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${alternativesOf(words)})(?![\p{L}\p{N}])`, 'iu');

/** The same at the beginning of a sentence. */
export const startsWithAnyOf = (words: string): RegExp =>
  new RegExp(String.raw`^(?:${alternativesOf(words)})(?![\p{L}\p{N}])`, 'iu');

/** Words separated by blanks. */
export const setOf = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/).filter(Boolean));

/** Secrets by what they are called. Nothing of a paragraph that speaks of one is kept. */
export const SECRET_ELSEWHERE =
  /passwort|contraseñ|mots? de passe|(?<!\p{L})senha|parola(?!\p{L})|wachtwoord|lösenord|hasł[oaeu]|парол|şifre|パスワード|暗証番号|비밀번호|암호|geheim(?:zahl|code)|kreditkarte|kartennummer|tarjeta de crédito|carte (?:bancaire|de crédit)|cartão de crédito|carta di credito|creditcard|kreditkort|karty kredytowej|кредитн|クレジットカード|신용카드|kredi kart/iu;

/** What speaks of assistants, of what they are told, or of rights: an order or a claim may be hidden in it. */
export const SPEAKS_OF_ASSISTANTS: readonly RegExp[] = [
  /assist[ae]n[tc]|asystent|помощник|ассистент|асистент|アシスタント|어시스턴트|asistan|chatbot|人工知能|プロンプト|管理者|프롬프트|관리자|администратор|адміністратор|anweisung|instru(?:c[ct]i|ç)|istruzion|instructie|polecen|instrukcj|инструкц|інструкц|指示|지시|talimat/iu,
  anyOf(String.raw`prompt* / system\p{L}{0,20} / admin*`),
  // In capitals: "ai" is a word of French and Italian.
  /(?<!\p{L})(?:KI|AI|IA|ИИ|ШІ)(?!\p{L})/u,
];
