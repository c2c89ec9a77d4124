const INJECTED_POSTFIX = /^\[\s*(?:facts|context)\s*:/i;

function isInjected(text: string, start: number): boolean {
  return start >= 0 && INJECTED_POSTFIX.test(text.slice(start, start + 16));
}

/**
 * Index of the `[` that closes with the last character of `text` (a `]`), or -1 when brackets do not
 * balance. One backwards pass.
 */
function openingBracket(text: string): number {
  let depth = 0;
  for (let index = text.length - 1; index >= 0; index -= 1) {
    const character = text.charCodeAt(index);
    if (character === 93) depth += 1;
    else if (character === 91) {
      depth -= 1;
      if (depth === 0) return index;
    }
  }
  return -1;
}

/**
 * Where an injected postfix starts whose own text has unbalanced brackets (a value such as `:[`): the last
 * line that begins with a tag, if its brackets do not balance either. -1 when there is none.
 */
function unbalancedPostfix(text: string): number {
  for (let end = text.length; end >= 0;) {
    const found = text.lastIndexOf('\n[', end);
    const start = found < 0 ? 0 : found + 1;
    if (isInjected(text, start)) {
      const rest = text.slice(start);
      return rest.split('[').length === rest.split(']').length ? -1 : start;
    }
    if (found < 0) return -1;
    end = found - 1;
  }
  return -1;
}

/**
 * Takes the `[facts: …]` and `[context: …]` postfixes off the end of a message: they are memories that
 * were injected into the prompt, and must not be learned as if the user had just said them. The same
 * words elsewhere in the message are the user's and stay.
 */
export function stripInjectedPostfixes(content: string): string {
  let text = content.trimEnd();
  while (text.endsWith(']')) {
    let start = openingBracket(text);
    if (!isInjected(text, start)) start = unbalancedPostfix(text);
    if (!isInjected(text, start)) break;
    text = text.slice(0, start).trimEnd();
  }
  return text;
}
