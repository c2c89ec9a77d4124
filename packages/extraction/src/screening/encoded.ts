/** Long enough for a sentence. Identifiers and hashes of this length do not decode to text. */
const RUN = /[\w+/-]{20,}={0,2}/g;
const PRINTABLE = /^[\t\n\r\u0020-\u007e\p{L}\p{P}]+$/u;

/** Texts in Base64 or hexadecimal form inside a text: no user states a fact this way. */
export function encodedTexts(text: string): string[] {
  return (text.match(RUN) ?? []).flatMap((run) => {
    const forms = [
      ...(/^[\da-f]+$/i.test(run) && run.length % 2 === 0 ? [Buffer.from(run, 'hex')] : []),
      Buffer.from(run, 'base64'),
    ];
    return forms.map((bytes) => bytes.toString('utf8')).filter((decoded) => isProse(decoded));
  });
}

function isProse(text: string): boolean {
  return PRINTABLE.test(text) && /[a-z]/i.test(text) && /[ _:=/.@-]/.test(text);
}
