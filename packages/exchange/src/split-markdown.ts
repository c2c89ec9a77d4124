import { lexer, type Token, type Tokens } from 'marked';

/** One statement of a Markdown text, with the heading that it stands under. */
export type MarkdownEntry = Readonly<{ heading: string | null; text: string }>;

/**
 * The statements of a Markdown text: each item of a list, with what belongs to it, and each paragraph, quote, table or
 * piece of code. Front matter, rules and HTML are left out. A longer text is cut at white space.
 *
 * @param maxLength of an entry, in code points
 */
export function splitMarkdown(text: string, maxLength: number): MarkdownEntry[] {
  const entries: MarkdownEntry[] = [];
  let heading: string | null = null;
  for (const token of lexer(withoutFrontMatter(text))) {
    if (isHeading(token)) heading = plain(token.text) || null;
    else {
      for (const statement of statementsOf(token)) {
        for (const part of cut(statement, maxLength)) entries.push({ heading, text: part });
      }
    }
  }
  return entries;
}

function statementsOf(token: Token): string[] {
  if (isList(token)) return token.items.map((item) => plain(item.text)).filter((text) => text !== '');
  if (!['paragraph', 'blockquote', 'code', 'table', 'text'].includes(token.type)) return [];
  const text = plain('text' in token && token.type !== 'table' ? String(token.text) : token.raw);
  return text === '' ? [] : [text];
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === 'heading';
}

function isList(token: Token): token is Tokens.List {
  return token.type === 'list';
}

function plain(text: string): string {
  return text.replaceAll('\u0000', '').toWellFormed().trim();
}

function withoutFrontMatter(text: string): string {
  return text.replace(/^\uFEFF?---\r?\n[^]*?\r?\n---(?:\r?\n|$)/, '');
}

function cut(text: string, maxLength: number): string[] {
  const parts: string[] = [];
  let rest = [...text];
  while (rest.length > maxLength) {
    const at = rest.lastIndexOf(' ', maxLength);
    const end = at > maxLength / 2 ? at : maxLength;
    parts.push(rest.slice(0, end).join('').trim());
    rest = rest.slice(end);
  }
  const last = rest.join('').trim();
  return last === '' ? parts : [...parts, last];
}
