import { holdsChineseSecret } from './chinese-secrets.ts';

const SECRET_WORD = String.raw`(?:pass ?words?|passwd|passphrases?|passcodes?|pin(?: (?:code|number))?|api[ -]?keys?|secret(?: key)?s?|(?:access|auth|bearer|refresh|api|session) tokens?|private keys?|seed phrases?|recovery (?:codes?|phrases?)|cvv|cvc|security codes?|social security numbers?|ssn|credit card numbers?)`;

/** Words that show that the text says where a secret is or how it is treated, not what it is. */
const NO_VALUE = String.raw`(?!(?:stored|kept|saved|managed|in|on|at|with|not|no|never|very|too|so|quite|weak|strong|safe|secure|required|needed|expired?|expiring|changed|rotated|reset|lost|forgotten|old|new|a|an|the|his|her|their|by|being|going|unknown|set|due|shared|protected|encrypted|hard|easy|important|long|short|different|invalid|wrong|correct)\b)`;

const STATED = new RegExp(
  String.raw`\b${SECRET_WORD}(?: (?:for|of|to|on) [^.:=\n]{1,60}?)?(?:\s*(?::|=|->)\s*|\s+(?:is|are|was|were)(?: now)?:?\s+)["']?${NO_VALUE}[^\s"']`,
);

/** A question for a secret. */
const ASKED = new RegExp(String.raw`\bwhat(?:'s| is| are| was)\b[^?\n]{0,80}\b${SECRET_WORD}\b`);

const KEY =
  /(?:^|_)(?:passwords?|passwd|passphrases?|passcodes?|pin|pin_code|api_?keys?|secret|secret_key|(?:access|auth|bearer|refresh|api|session)_token|private_key|seed_phrase|recovery_(?:code|phrase)|cvv|cvc|ssn|social_security_number|credit_card(?:_number)?)$/;

/** Secrets that are recognisable by their form. */
const SHAPES: readonly RegExp[] = [
  /\b(?:sk|pk|rk)[-_](?:live|test|proj|ant|or)?[-_]?[\w-]{16,}/i,
  /\bgh[pousr]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}/i,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\bxox[abeoprs]-[\w-]{10,}/i,
  /\bAIza[\w-]{30,}/,
  /\beyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]{5,}/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\b[a-z][a-z+]{1,20}:\/\/[^\s:/@]{1,100}:[^\s/@]{1,100}@/i,
];

const CARD = /\b(?:\d[ -]?){13,19}\b/g;

/** Whether the check digit (Luhn) is that of a card number. */
function isCardNumber(text: string): boolean {
  const digits = [...text.replaceAll(/\D/g, '')].map(Number).toReversed();
  if (digits.length < 13 || digits.length > 19) return false;
  const sum = digits.reduce((total, digit, index) => {
    const doubled = index % 2 === 0 ? digit : digit * 2;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0 && new Set(digits).size > 1;
}

/**
 * Whether a statement holds a secret, in English or Chinese: by its name (a password and its value, a key such as
 * `api_key`, the answer to a question for one) or by its form (keys of well-known services, private keys, addresses
 * with a password, card numbers). That there is a secret, or where it is kept, is no secret.
 *
 * @param stated `raw` is the text as it was written, `plain` its plain form
 */
export function holdsSecret(stated: {
  key: string | null;
  question: string | null;
  plain: string;
  raw: string;
}): boolean {
  return (
    (stated.key !== null && KEY.test(stated.key)) ||
    (stated.question !== null && ASKED.test(stated.question)) ||
    STATED.test(stated.plain) ||
    SHAPES.some((shape) => shape.test(stated.raw)) ||
    holdsChineseSecret(stated) ||
    (stated.raw.match(CARD) ?? []).some((text) => isCardNumber(text))
  );
}
