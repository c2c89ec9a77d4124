// npm run bench -- [names…] [--quick] [--write] [--cpu-prof <folder>]
// npm run bench -- cost [--write] [--cpu-prof <folder>]
// npm run bench:recall -- <folder>… [--way <way>]… [--write] [--cpu-prof <folder>]; see bench/README.md.
import { parseArgs } from 'node:util';
import { accept } from './accept.ts';
import type { Benchmark, Row } from './benchmark.ts';
import { chat } from './chat.ts';
import { runCost } from './cost.ts';
import { embedded } from './embedded.ts';
import { fairness } from './fairness.ts';
import { jobs } from './jobs.ts';
import { latency } from './latency.ts';
import { memory } from './memory.ts';
import { describeMachine, toTable, writeResults } from './report.ts';
import { WAYS, type Way } from './recall/aims.ts';
import { loadSets } from './recall/conversations.ts';
import { runRecall } from './recall/run-recall.ts';
import { rowSecurity } from './row-security.ts';
import { scale } from './scale.ts';
import { search } from './search.ts';
import { searchBurst } from './search-burst.ts';
import { searchLargeBenchmark } from './search-large.ts';
import { throughput } from './throughput.ts';

/** Run only by name: they take longer than all the others. */
const LARGE_BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  'search-large': searchLargeBenchmark,
  'search-burst': searchBurst,
  fairness,
  embedded,
  scale,
  'row-security': rowSecurity,
};

const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  accept,
  jobs,
  throughput,
  latency,
  search,
  chat,
  memory,
};

process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    'cpu-prof': { type: 'string' },
    database: { type: 'string' },
    way: { type: 'string', multiple: true },
    memories: { type: 'string' },
  },
});
if (positionals[0] === 'recall') {
  const folders = positionals.slice(1);
  const ways = values.way as Way[] | undefined;
  if (folders.length === 0 || ways?.some((way) => !WAYS.includes(way)) === true) {
    console.error(
      `Name folders with conversations: npm run bench:recall -- <folder>… [--way <way>]…; ways are ${WAYS.join(', ')}.`,
    );
    process.exit(1);
  }
  const sets = await Promise.all(folders.map(loadSets)).catch((error: unknown) => {
    console.error(`The conversations could not be read: ${String(error)}`);
    process.exit(1);
  });
  const machine = await describeMachine('npm run bench:recall -- <folder>');
  const results = `${machine}\n\n${await runRecall(sets.flat(), ways, values['cpu-prof'])}`;
  console.log(`\n${results}`);
  if (values.write) await writeResults('recall', results);
  process.exit(0);
}
if (positionals[0] === 'cost' && positionals.length === 1) {
  const machine = await describeMachine('npm run bench -- cost');
  const results = `${machine}\n\n${await runCost(values['cpu-prof'])}`;
  console.log(`\n${results}`);
  if (values.write) await writeResults('cost', results);
  process.exit(0);
}
const all = { ...BENCHMARKS, ...LARGE_BENCHMARKS };
const unknown = positionals.filter((name) => !Object.hasOwn(all, name));
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}. There are: ${Object.keys(all).join(', ')}.`);
  process.exit(1);
}

const command = ['npm run bench', ...(process.argv.length > 2 ? ['--', ...process.argv.slice(2)] : [])].join(
  ' ',
);
const machine = await describeMachine(
  command.replace(/ --write\b/, '').replace(/ --database[ =]\S+/, ' --database <url>'),
);
const rows: Row[] = [];
for (const [name, benchmark] of Object.entries(positionals.length === 0 ? BENCHMARKS : all)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const startedAt = performance.now();
  rows.push(
    ...(await benchmark({
      quick: values.quick,
      profileDirectory: values['cpu-prof'],
      keptDatabase: values.database,
      memories: values.memories === undefined ? undefined : Number(values.memories),
    })),
  );
  console.error(`${name}: ${Math.round((performance.now() - startedAt) / 1000)} s`);
}
const results = `${machine}\n\n${toTable(rows)}`;
console.log(`\n${results}`);
if (values.write) await writeResults(sectionOf(positionals), results);
process.exit(0);

function sectionOf(
  names: readonly string[],
): 'standard' | 'search' | 'fairness' | 'embedded' | 'scale' | 'row-security' {
  for (const own of ['fairness', 'embedded', 'scale', 'row-security'] as const)
    if (names.includes(own)) return own;
  return names.some((name) => Object.hasOwn(LARGE_BENCHMARKS, name)) ? 'search' : 'standard';
}
