import { insertInto, type RowSecurity, type Table } from './row-security.fixture.ts';

type Operation = (table: Table, tenantId: string, keyOf: RowSecurity['keyOf']) => readonly string[];

export const REFUSED = '42501';

/** Statements that are aimed at the row of a tenant; the last one counts. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  select: ({ name }, id) => [`select from ${name} where tenant_id = '${id}'`],
  update: ({ name }, id) => [`update ${name} set tenant_id = tenant_id where tenant_id = '${id}'`],
  delete: (table, id) => [deleteOf(table, id)],
  // Without the row that is there, which would be in the way.
  insert: (table, id) => [deleteOf(table, id), insertInto(table, id)],
  'insert … returning': (table, id) => [
    deleteOf(table, id),
    `${insertInto(table, id)} on conflict do nothing returning tenant_id`,
  ],
  upsert: (table, id, keyOf) => [
    `${insertInto(table, id, keyOf(table, id))}
     on conflict (${['tenant_id', ...table.key].join(', ')}) do update set tenant_id = excluded.tenant_id`,
  ],
  'copy … to': ({ name }, id) => [`copy (select 1 from ${name} where tenant_id = '${id}') to stdout`],
  'copy … from': ({ name }) => [`copy ${name} from stdin`],
};
const deleteOf = ({ name }: Table, id: string) => `delete from ${name} where tenant_id = '${id}'`;

/** Stored, or past its policy and without what it refers to. */
const ADMITTED = 'admitted';
export const outcomeOf = (outcome: number | string, expected: unknown) =>
  expected === ADMITTED && (outcome === 1 || outcome === '23503') ? ADMITTED : outcome;
export const OWN: Readonly<Record<string, unknown>> = {
  select: 1,
  update: 1,
  delete: 1,
  insert: ADMITTED,
  'insert … returning': ADMITTED,
  upsert: 1,
  'copy … to': 1,
  // Postgres has none through a policy, whoever asks.
  'copy … from': '0A000',
};
export const FOREIGN: Readonly<Record<string, unknown>> = {
  select: 0,
  update: 0,
  delete: 0,
  insert: REFUSED,
  'insert … returning': REFUSED,
  upsert: REFUSED,
  'copy … to': 0,
  'copy … from': '0A000',
};
