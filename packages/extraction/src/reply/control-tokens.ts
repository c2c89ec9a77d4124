/** Chat template tokens around a reply that the server did not remove. */
const TOKEN =
  '(?:<[|｜][\\w▁ -]{1,40}[|｜]>|</?s>|<(?:start|end)_of_turn>|\\[/?INST\\])(?:(?:assistant|model)\\b)?';
const LEADING = new RegExp(`^\\s*${TOKEN}`, 'i');
const TRAILING = new RegExp(`${TOKEN}\\s*$`, 'i');

/** Longer than any token. */
const LONGEST_TOKEN = 64;

/** Marks a reply in channels (harmony): only text after its last occurrence is the answer. */
const FINAL_CHANNEL = '<|channel|>final';
const MESSAGE = '<|message|>';

/**
 * A reply without chat template tokens around it and without other channels before it. Tokens inside it stay: they
 * are content, for the screening to judge. Linear time.
 */
export function stripControlTokens(raw: string): string {
  let text = finalChannelOf(raw);
  for (let again = true; again;) {
    const trimmed = text.trimEnd();
    const end = TRAILING.exec(trimmed.slice(-LONGEST_TOKEN));
    const start = LEADING.exec(text.slice(0, LONGEST_TOKEN * 2));
    if (end) text = trimmed.slice(0, trimmed.length - end[0].length);
    else if (start) text = text.slice(start[0].length);
    again = end !== null || start !== null;
  }
  return text;
}

function finalChannelOf(raw: string): string {
  const channel = raw.lastIndexOf(FINAL_CHANNEL);
  const message = channel < 0 ? -1 : raw.indexOf(MESSAGE, channel);
  return message < 0 ? raw : raw.slice(message + MESSAGE.length);
}
