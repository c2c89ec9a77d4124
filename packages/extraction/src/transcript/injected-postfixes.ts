const INJECTED_POSTFIX = /^\[\s*(?:facts|context)\s*:/i;

function isInjected(text: string, start: number): boolean {
  return start >= 0 && INJECTED_POSTFIX.test(text.slice(start, start + 16));
}

/**
 * Index of the `[` that matches the last character of `text` (a `]`), or -1 when brackets do not balance. One
 * backwards pass.
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
 * Where an injected postfix with unbalanced brackets (a value such as `:[`) begins: the last line that begins with
 * a tag, if its brackets do not balance. -1 when there is none.
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
 * Removes `[facts: …]` and `[context: …]` postfixes from the end of a message: they are injected memories, and must
 * not be learned as if the user had said them. The same words elsewhere in the message are the user's and stay.
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
