/** Text that Postgres and JSON can hold: no NUL, no lone surrogates, no outer whitespace. */
export function toStorableText(text: string): string {
  return text.replaceAll('\u0000', '').toWellFormed().trim();
}
