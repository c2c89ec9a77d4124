import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseSync } from '@swc/core';
import { expect, test } from '@jest/globals';
import { type Expression, slownessOf } from './expression-speed.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SOURCES: readonly string[] = globSync(['packages/*/src/**/*.ts', 'services/*/src/**/*.ts'], {
  cwd: ROOT,
})
  .filter((file) => !/\.test\.ts$|\.fixture\.ts$|^packages\/testkit\//.test(file))
  .toSorted();

/**
 * Files that make expressions while they run, of words that are not foreign or are escaped and few. All others make
 * them when they are loaded, and are looked at.
 */
const MAKES_LATER: ReadonlySet<string> = new Set([
  // Of our own tags.
  'packages/extraction/src/prompts/template.ts',
  // Of a tag found by REASONING_TAG.
  'packages/extraction/src/reply/find-json.ts',
  // Of speakers' names, escaped.
  'packages/extractive/src/vocatives.ts',
  // Of names of fields, in what Redis says of itself.
  'packages/queue/src/redis-ready.ts',
]);

type Found = { expressions: Expression[]; makes: boolean };

/** The expressions that a file writes out, and whether it makes others of strings. */
function expressionsOf(file: string): Found {
  const found: Found = { expressions: [], makes: false };
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, pattern, flags, callee } = node as Record<string, unknown>;
    if (type === 'RegExpLiteral') found.expressions.push({ source: String(pattern), flags: String(flags) });
    if ((type === 'NewExpression' || type === 'CallExpression') && nameOf(callee) === 'RegExp')
      found.makes = true;
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseSync(readFileSync(`${ROOT}${file}`, 'utf8'), { syntax: 'typescript', target: 'es2024' }));
  return found;
}

function nameOf(callee: unknown): unknown {
  return typeof callee === 'object' && callee !== null && 'value' in callee ? callee.value : null;
}

const READ = new Map(SOURCES.map((file) => [file, expressionsOf(file)]));

test('the check finds the known kinds', () => {
  const slow = ['(a+)+$', String.raw`<\/?\w+[^>]*>`, String.raw`\s+$`, '^(?:ab|a|b)+$'];
  for (const source of slow) expect(slownessOf({ source, flags: '' })).not.toEqual([]);
  expect(slownessOf({ source: String.raw`(?<!\s)\s+$`, flags: 'u' })).toEqual([]);
});

test('no expression in production code takes more than linear time', () => {
  const slow = [...READ].flatMap(([file, { expressions }]) =>
    expressions.flatMap((expression) =>
      slownessOf(expression).map((reason) => `${file}: ${reason}: /${expression.source}/${expression.flags}`),
    ),
  );
  expect(slow).toEqual([]);
});

test('nor does one that is made of strings', async () => {
  const makers = [...READ].flatMap(([file, { makes }]) => (makes && !MAKES_LATER.has(file) ? [file] : []));
  expect(makers.length).toBeGreaterThan(0);
  const made: RegExp[] = [];
  const native = globalThis.RegExp;
  const record = <T extends object>(expression: T): T => {
    if (expression instanceof native) made.push(expression);
    return expression;
  };
  globalThis.RegExp = new Proxy(native, {
    construct: (target, given) => record(Reflect.construct(target, given) as object),
    apply: (target, self, given) => record(Reflect.apply(target, self, given) as object),
  });
  try {
    for (const file of makers) await import(pathToFileURL(`${ROOT}${file}`).href);
  } finally {
    globalThis.RegExp = native;
  }
  expect(made.length).toBeGreaterThanOrEqual(makers.length);
  expect(
    made.flatMap((expression) => slownessOf(expression).map((reason) => `${reason}: ${String(expression)}`)),
  ).toEqual([]);
});
