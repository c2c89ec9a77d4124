/** What the rules know of a language: enough to tell a statement about its speaker from everything else. */
export type Language = Readonly<{
  /** BCP 47. */
  code: string;
  /** Words that are frequent in it, in lower case: they tell it from others, and say little. */
  common: ReadonlySet<string>;
  /** Letters that hardly another language has, in lower case. */
  letters: RegExp | null;
  /** The speaker as a subject or an owner; verbs of the first person where the subject is left out. */
  speaker: RegExp;
  /** What makes a sentence anything but a statement of what is so: somebody addressed, a request, a supposition. */
  refused: readonly RegExp[];
}>;

/** Of any language: secrets, and whatever speaks of assistants and of what they are told. */
export const REFUSED_EVERYWHERE: readonly RegExp[] = [
  /[?？¿؟;]\s*$|[¿{}<>=\\|^`\uFFFC]|https?:|www\.|\S@\S|::/,
  /pass(?:wor[dt]|wort|code)|contraseñ|mot de passe|mots de passe|\bsenha|parola d'ordine|wachtwoord|lösenord|hasł|парол|şifre|parola|パスワード|暗証番号|비밀번호|암호|\b(?:pin|cvv|iban|token|api[ -]?key)\b|geheim(?:nis|zahl|code)|kreditkarte|kartennummer|tarjeta de crédito|carte (?:bancaire|de crédit)|cartão de crédito|carta di credito|creditcard|kreditkort|karty kredytowej|кредитн|クレジットカード|신용카드|kredi kart/iu,
  /assist[ae]n[tc]|asystent|помощник|ассистент|асистент|アシスタント|어시스턴트|asistan|chatbot|\b(?:KI|AI|IA|ИИ|ШІ|prompt\w*|system\w*|admin\w*)\b|人工知能|プロンプト|管理者|人工智能|프롬프트|관리자|администратор|адміністратор|anweisung|instru[cç][ct]?[ií]|istruzion|instructie|polecen|instrukcj|инструкц|інструкц|指示|지시|talimat/iu,
];

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
