import { decodeEntities } from './plain-form.ts';

const HOST = String.raw`(?:[\p{L}\p{N}_-]{1,63}\.){1,8}\p{L}{2,24}`;
const ADDRESS = String.raw`\d{1,3}(?:\.\d{1,3}){3}`;
const REST = '[^\\s<>"\'`)\\]]*';
/** Addresses with a scheme, and hosts or IP addresses with a path, a query or a port. */
const LINK = new RegExp(
  [
    String.raw`(?<![\p{L}\p{N}])(?:h(?:tt|xx)ps?|s?ftp|wss?):\/\/${REST}`,
    String.raw`(?<![\p{L}\p{N}])www\.${REST}`,
    String.raw`(?<![\p{L}\p{N}_.@-])${HOST}(?::\d{2,5}(?!\d)|[/?#](?=\S))${REST}`,
    String.raw`(?<![\p{L}\p{N}_.-])${ADDRESS}(?::\d{2,5}(?!\d)|[/?](?=[^\s\d]))${REST}`,
  ].join('|'),
  'giu',
);
/** A host name alone. */
const NAMED = new RegExp(String.raw`(?<![\p{L}\p{N}_.-])(?:${HOST}|${ADDRESS})(?![\p{L}\p{N}])`, 'giu');
const ACTIVE = /\b(?:javascript|vbscript|file|data):\S/i;
const MARKUP =
  /!?\[[^\]\n]{0,200}\]\([^)\n]{1,500}\)|<\s?\/?\s?(?:img|a|script|iframe|object|embed|form|svg|link|meta|style)\b/i;

/**
 * Whether a program that displays the text could act on it: pictures, links behind words, scripts, also as HTML
 * entities.
 */
export function hasMarkup(text: string): boolean {
  const shown = decodeEntities(text);
  return MARKUP.test(shown) || ACTIVE.test(shown);
}

function hostOf(link: string): string {
  return (
    link
      .toLowerCase()
      .replace(/^[a-z]{2,5}:\/\//, '')
      .replace(/^[^/?#@]{0,200}@/, '')
      .replace(/^www\./, '')
      .split(/[/?#:]/, 1)[0] ?? ''
  );
}

/** The hosts of the addresses in a text. */
export function linkedHosts(text: string): Set<string> {
  return new Set([...text.normalize('NFKC').matchAll(LINK)].map(([link]) => hostOf(link)));
}

/** The hosts in a text, in addresses or alone. */
export function namedHosts(text: string): Set<string> {
  const named = [...text.normalize('NFKC').matchAll(NAMED)].map(([name]) => hostOf(name));
  return new Set([...linkedHosts(text), ...named]);
}

/** Whether an address in the text could carry data away: by a query, a port or a number instead of a name. */
export function linksWithBaggage(text: string): boolean {
  return [...text.normalize('NFKC').matchAll(LINK)].some(
    ([link]) => /[?#@]|:\d/.test(link) || /^(?:[a-z]{2,5}:\/\/)?\d{1,3}(?:\.\d{1,3}){3}\b|\[/i.test(link),
  );
}
