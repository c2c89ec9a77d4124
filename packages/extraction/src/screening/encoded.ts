/** Long enough for a sentence; identifiers and hashes of this length decode to no text. */
const RUN = /[\w+/-]{20,}={0,2}/g;
const PRINTABLE = /^[\t\n\r\u0020-\u007e\p{L}\p{P}]+$/u;

/** The texts that stand in Base64 or hexadecimal form in a text: nobody says such a thing to be remembered. */
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
