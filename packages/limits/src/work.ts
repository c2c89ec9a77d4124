/**
 * Kinds of work by what they cost: `points` of a rate limit, and `slots` of the database's share (see `fair-queue.ts`)
 * from the handler's beginning to its end. A point is about one read by id. Heavy work reads or writes hundreds of rows.
 * What may stay open (a chat, events, a stream of the Model Context Protocol) has none: its handler takes turns for its steps.
 */
const WORK = {
  read: { points: 1, slots: 1 },
  write: { points: 1, slots: 1 },
  accept: { points: 1, slots: 1 },
  chat: { points: 2, slots: 0 },
  events: { points: 2, slots: 0 },
  search: { points: 2, slots: 1 },
  tool: { points: 2, slots: 0 },
  heavy: { points: 10, slots: 2 },
  heavy_search: { points: 10, slots: 2 },
  batch: { points: 20, slots: 2 },
  document: { points: 20, slots: 2 },
} as const satisfies Record<string, Readonly<{ points: number; slots: number }>>;

export type WorkClass = keyof typeof WORK;
export const WORK_CLASSES = Object.keys(WORK) as readonly WorkClass[];

/** What a request asks for; `body` is undefined before it has been read. */
export type WorkRequest = Readonly<{
  method: string;
  path: string;
  query: Readonly<Record<string, unknown>>;
  body?: unknown;
}>;

const RULES: readonly Readonly<{ method: RegExp; path: RegExp; work: WorkClass }>[] = [
  { method: /^POST$/, path: /^\/v1\/chat\/completions\/?$/i, work: 'chat' },
  {
    method: /^POST$/,
    path: /^\/v1\/(extractions|conversations\/[^/]+\/(messages|flush))\/?$/i,
    work: 'accept',
  },
  { method: /^POST$/, path: /^\/v1\/(memories\/search|context)\/?$/i, work: 'search' },
  { method: /^POST$/, path: /^\/v1\/memories\/(batch|clear|import)\/?$/i, work: 'batch' },
  { method: /^(GET|POST)$/, path: /^\/v1\/(users\/[^/]+\/)?(export|import)\/?$/i, work: 'batch' },
  { method: /^P(OST|UT)$/, path: /^\/v1\/documents(\/[^/]*)?$/i, work: 'document' },
  { method: /^POST$/, path: /^\/v1\/(extractions|webhooks\/[^/]+)\/replay\/?$/i, work: 'heavy' },
  { method: /^GET$/, path: /^\/v1\/(extractions\/(counts|series)|stats\/tenant)\/?$/i, work: 'heavy' },
  { method: /^GET$/, path: /^\/v1\/events\/?$/i, work: 'events' },
  { method: /^/, path: /^\/v1\/vectors(\/[^/]*)?$/i, work: 'heavy' },
  { method: /^GET$/, path: /^\/v1\/audit\/verify\/?$/i, work: 'heavy' },
  { method: /^POST$/, path: /^\/v1\/retention\/runs\/?$/i, work: 'heavy' },
  { method: /^(POST|DELETE)$/, path: /^\/v1\/replays(\/|$)/i, work: 'heavy' },
  { method: /^GET$/, path: /^\/v1\/replays\/[^/]+\/diff\/?$/i, work: 'heavy' },
  { method: /^POST$/, path: /^\/(v1\/tools\/|mcp\/?$)/i, work: 'tool' },
];

/** A list that begins far from its start reads all that it leaves out. */
const FAR = 1_000;

/** Of what class a request is. */
export function workOf({ method, path, query, body }: WorkRequest): WorkClass {
  const rule = RULES.find((rule) => rule.method.test(method) && rule.path.test(path));
  const work = rule?.work ?? (method === 'GET' || method === 'HEAD' ? 'read' : 'write');
  if (work === 'read' && isHeavyList(query)) return 'heavy';
  if (work === 'search' && isHeavySearch(body)) return 'heavy_search';
  return work;
}

/** Points that a request of a class takes from its key's and its tenant's rate. */
export function pointsOf(work: WorkClass): number {
  return WORK[work].points;
}

/** Slots that a request of a class takes while the database works for it. */
export function slotsOf(work: WorkClass): number {
  return WORK[work].slots;
}

/** Memories of the past are in no index by their time. */
const OF_THE_PAST = ['superseded', 'archived', 'deleted', 'all'];

function isHeavyList({
  all_users: allUsers,
  offset,
  q,
  sort_by: field,
  state,
}: WorkRequest['query']): boolean {
  const readsAll =
    (typeof q === 'string' && q !== '') ||
    (field !== undefined && field !== 'created_at') ||
    OF_THE_PAST.includes(String(state));
  return allUsers === 'true' || Number(offset ?? 0) > FAR || readsAll;
}

function isHeavySearch(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  const { all_users: allUsers, as_of: asOf } = body as Record<string, unknown>;
  return allUsers === true || asOf !== undefined;
}
