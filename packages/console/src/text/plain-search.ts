/** Reads `?a=b`. Of a name that comes twice the last one counts. */
export function parsePlainSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search));
}

/** Writes `?a=b`; what is empty or missing is left out. */
export function stringifyPlainSearch(values: Readonly<Record<string, unknown>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    const isSimple = typeof value === 'string' || typeof value === 'number' || value === true;
    if (isSimple && value !== '') parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}
