import type { Pool } from 'pg';

type Sql = Readonly<{
  query(text: string): Promise<unknown>;
  one<Row>(text: string): Promise<Row>;
}>;

/** A statement as `auto_explain` reports it, those of functions, triggers and foreign keys too. */
export type Explained = Readonly<{ 'Query Text': string; Plan: PlanNode }>;
type PlanNode = Readonly<{
  'Relation Name'?: string;
  'Node Type': string;
  'Actual Loops'?: number;
  'Actual Rows'?: number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Index Cond'?: string;
  Plans?: readonly PlanNode[];
}>;

/**
 * Has every later connection to a database report the plans of its statements as notices. Needs a superuser.
 *
 * @param more further settings of these connections
 */
export async function explainEverything(
  owner: Sql,
  planCacheMode: string,
  more: readonly string[] = [],
): Promise<void> {
  const { name } = await owner.one<{ name: string }>('select quote_ident(current_database()) as name');
  for (const setting of [
    `session_preload_libraries = 'auto_explain'`,
    'auto_explain.log_min_duration = 0',
    'auto_explain.log_analyze = on',
    'auto_explain.log_nested_statements = on',
    'auto_explain.log_format = json',
    'auto_explain.log_level = notice',
    `plan_cache_mode = ${planCacheMode}`,
    ...more,
  ]) {
    await owner.query(`alter database ${name} set ${setting}`);
  }
}

/** Collects the plans that the connections of a pool report from now on. */
export function collectPlans(pool: Readonly<{ pg: Pool }>): Explained[] {
  const plans: Explained[] = [];
  pool.pg.on('connect', (client) => {
    client.on('notice', ({ message = '' }) => {
      const at = message.indexOf('plan:\n');
      if (at >= 0) plans.push(JSON.parse(message.slice(at + 'plan:\n'.length)) as Explained);
    });
  });
  return plans;
}

/** The numbers of the partitions that a statement has looked into, whatever their table. */
export function partitionsIn({ Plan: plan }: Explained): Set<string> {
  const found = new Set<string>();
  const visit = (node: PlanNode): void => {
    // Pruned while it ran.
    if (node['Actual Loops'] === 0) return;
    const number = /_p(\d+)$/.exec(node['Relation Name'] ?? '')?.[1];
    if (number !== undefined && node['Node Type'] !== 'ModifyTable') found.add(number);
    for (const child of node.Plans ?? []) visit(child);
  };
  visit(plan);
  return found;
}

/** Whether a statement writes rows or locks them; a plain read does neither. */
export function writesOrLocks({ Plan: plan }: Explained): boolean {
  const does = (node: PlanNode): boolean =>
    node['Node Type'] === 'ModifyTable' || node['Node Type'] === 'LockRows' || (node.Plans ?? []).some(does);
  return does(plan);
}

/** Rows that a statement has read, table by table, those too that it then left out. */
export function rowsReadBy({ Plan: plan }: Explained): Record<string, number> {
  const read: Record<string, number> = {};
  const visit = (node: PlanNode): void => {
    const table = node['Relation Name'];
    if (table !== undefined && node['Node Type'] !== 'ModifyTable') {
      const each =
        (node['Actual Rows'] ?? 0) +
        (node['Rows Removed by Filter'] ?? 0) +
        (node['Rows Removed by Index Recheck'] ?? 0);
      read[table] = (read[table] ?? 0) + each * (node['Actual Loops'] ?? 0);
    }
    for (const child of node.Plans ?? []) visit(child);
  };
  visit(plan);
  return read;
}

/** The tables that a statement has read from end to end. */
export function wholeTablesIn({ Plan: plan }: Explained): string[] {
  const found: string[] = [];
  const visit = (node: PlanNode): void => {
    if (node['Actual Loops'] !== 0 && isWhole(node)) found.push(node['Relation Name'] ?? '');
    for (const child of node.Plans ?? []) visit(child);
  };
  visit(plan);
  return found;
}

/** Also an index without a condition is read from end to end. */
function isWhole(node: PlanNode): boolean {
  return (
    node['Node Type'] === 'Seq Scan' ||
    (/^Index (?:Only )?Scan$/.test(node['Node Type']) && node['Index Cond'] === undefined)
  );
}
