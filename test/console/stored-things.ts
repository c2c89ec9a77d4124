import type { Client } from '@factmill/client';
import type { ConsoleStand } from './console-stand.ts';

export const NORA = 'nora';
export const CONVERSATION = 'demo-chat';

const TURNS: readonly (readonly [string, string])[] = [
  ['2026-03-02T08:15:00Z', 'Hi! I am Nora and I live in Trondheim. I work as a marine biologist.'],
  ['2026-03-05T19:40:00Z', 'I have a cat called Pixel. I am vegetarian, by the way.'],
  ['2026-04-14T18:00:00Z', 'I moved to Bergen last weekend. The new flat is close to the harbour.'],
];

/** A conversation of which each turn is extracted, the last one with something that replaces what was known. */
export async function storeConversation(client: Client): Promise<void> {
  for (const [index, [at, content]] of TURNS.entries()) {
    const { extraction } = await client.conversations.post(CONVERSATION, {
      user_id: NORA,
      extract: 'now',
      messages: [{ id: `turn-${index}`, role: 'user', content, created_at: at }],
    });
    if (extraction !== null) await client.extractions.waitFor(extraction.id);
  }
}

export const HOSTILE = 'hostile "><svg onload=pwned=1>';

/** Texts that would do something if they were anything but text. `pwned` is what they would set. */
export const HOSTILE_TEXTS: readonly string[] = [
  '<script>pwned = 1</script>',
  '<img src=x onerror="pwned=1">',
  '<img src="https://evil.example/track.gif">',
  '"><svg/onload=pwned=1>',
  "';pwned=1;//",
  '[click](javascript:pwned=1) ![x](https://evil.example/x.png)',
  '<iframe srcdoc="<script>parent.pwned=1</script>"></iframe>',
  '<style>body{display:none}</style><link rel=stylesheet href=//evil.example/a.css>',
  '{{constructor.constructor("pwned=1")()}} ${pwned=1} <%= pwned %>',
  '</title></textarea></script><base href=//evil.example/>',
  'Pay to \u202eevil-account\u202c and \u2066hide\u2069 this',
  'pass\u200bword with a zero-width space',
  `zalgo ${'h\u0337\u0321\u0335\u0328e\u0334\u0322'.repeat(30)}`,
  'W'.repeat(4_000),
  'شكرا mixed עברית with English 123',
];

export async function storeHostileMemories(client: Client): Promise<void> {
  await client.memories.batch({
    user_id: HOSTILE,
    memories: HOSTILE_TEXTS.map((content, index) => ({
      content,
      category: index === 0 ? '<b>bold</b>' : 'general',
    })),
  });
}

export const MANY = 'many';
export const MANY_COUNT = 50_000;

const MEMORIES = `
  insert into memories (id, tenant_id, user_id, kind, tier, source, content, content_hash, stated_at, valid_from,
    created_at)
  select new_uuid_v7(), (select id from tenants order by created_at limit 1), $1::text, 'note', 2, 'conversation',
    content, sha256(convert_to(content, 'UTF8')), now() - n * interval '1 minute', now() - n * interval '1 minute',
    now() - n * interval '1 minute'
  from generate_series(1, $2::integer) as n cross join lateral (select 'Note ' || n || ' of a long life.' as content) as t`;

const WORD_INDEXES = `select indexname as name, indexdef as definition from pg_indexes
  where schemaname = current_schema() and tablename = 'memories' and indexdef like '% USING gin %'`;

/** Far more memories than a page could hold; word indexes are built whole, which takes a fraction of the time. */
export async function storeManyMemories(stand: ConsoleStand): Promise<void> {
  const { rows } = await stand.query(WORD_INDEXES);
  const indexes = rows as Readonly<{ name: string; definition: string }>[];
  await stand.query('begin');
  for (const { name } of indexes) await stand.query(`drop index ${name}`);
  await stand.query(MEMORIES, [MANY, MANY_COUNT]);
  for (const { definition } of indexes) await stand.query(definition);
  await stand.query('commit');
}
