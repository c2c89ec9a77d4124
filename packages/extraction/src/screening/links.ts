const LINK =
  /\b(?:(?:https?|ftp):\/\/|www\.)[^\s<>"'`)\]]+|\b(?:[\w-]{1,63}\.){1,8}[a-z]{2,24}\/[^\s<>"'`)\]]+/gi;
const ACTIVE = /\b(?:javascript|vbscript|file|data):\S/i;
const MARKUP =
  /!?\[[^\]\n]{0,200}\]\([^)\n]{1,500}\)|<\s?\/?\s?(?:img|a|script|iframe|object|embed|form|svg|link|meta|style)\b/i;

/** Text that a program could act on when it shows it: pictures, links behind words, scripts. */
export function hasMarkup(text: string): boolean {
  return MARKUP.test(text) || ACTIVE.test(text);
}

function hostOf(link: string): string {
  return (
    link
      .toLowerCase()
      .replace(/^[a-z]+:\/\//, '')
      .replace(/^www\./, '')
      .split(/[/?#:]/, 1)[0] ?? ''
  );
}

/** The hosts of the addresses in a text. */
export function linkedHosts(text: string): Set<string> {
  return new Set([...text.matchAll(LINK)].map(([link]) => hostOf(link)));
}
