/** A call as a curl command. The key is named, never shown; the console does not know it. */
export function toCurl(baseUrl: string, path: string, body: unknown, needsKey: boolean): string {
  const lines = [
    `curl -s ${baseUrl}${path}`,
    `-H 'Content-Type: application/json'`,
    ...(needsKey ? [`-H "Authorization: Bearer $FACTMILL_API_KEY"`] : []),
    `-d ${shellQuoted(JSON.stringify(body))}`,
  ];
  return lines.join(' \\\n  ');
}

/** A text as one word of a POSIX shell, whatever is in it. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The same call with the TypeScript client. `call` is, for example, `memories.search`. */
export function toTypeScript(baseUrl: string, call: string, body: unknown, needsKey: boolean): string {
  const options = `{ baseUrl: ${JSON.stringify(baseUrl)}${needsKey ? ', apiKey: process.env.FACTMILL_API_KEY' : ''} }`;
  return [
    `import { createClient } from '@factmill/client';`,
    '',
    `const factmill = createClient(${options});`,
    `const answer = await factmill.${call}(${JSON.stringify(body, null, 2)});`,
    '',
  ].join('\n');
}
