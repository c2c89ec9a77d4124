import { DEFAULT_TENANT_ID } from '@factmill/database';
import type { LargePlan, SizedUsers } from './large-plan.ts';
import { type LargeStage, searchBare, searchLarge } from './large-stage.ts';

const NEAREST = 10;
/** Similarities are sums of 384 products of 11 bits. */
const TOLERANCE = 1e-6;

/** The share of the ten nearest memories that the vector channel finds; equal distances count as equal. */
export async function measureRecall(
  large: LargeStage,
  { userIds }: SizedUsers,
  count: number,
): Promise<number> {
  let [found, wanted] = [0, 0];
  for (const [index, query] of large.queries.slice(0, count).entries()) {
    const userId = userIds[index % userIds.length] ?? '';
    const exact = await searchBare(large, userId, query, NEAREST);
    const { results } = await searchLarge(large, userId, query.text, {
      mode: 'vector',
      channels: ['vector'],
      limit: NEAREST,
    });
    const farthest = (exact.at(-1) ?? 1) - TOLERANCE;
    wanted += exact.length;
    found += results.filter(({ similarity }) => (similarity ?? -1) >= farthest).length;
  }
  return found / wanted;
}

/** Filters that leave a user with few, some and many memories. */
const FILTERS = [
  {},
  { project: 'project-1' },
  { project: 'project-2', categories: ['health'] },
  { categories: ['work', 'event'] },
] as const;
const LIMIT = 50;

/** Searches by vector and by words with filters, compared with SQL counts without a vector index. */
export async function verifyCompleteness(
  large: LargeStage,
  { measured }: LargePlan,
  count: number,
): Promise<{ searches: number; lacking: number }> {
  let [searches, lacking] = [0, 0];
  for (const { userIds } of measured) {
    for (const [index, { text }] of large.queries.slice(0, count).entries()) {
      const userId = userIds[index % userIds.length] ?? '';
      for (const filters of FILTERS) {
        const counts = await countMatching(large, userId, text, filters);
        for (const channel of ['vector', 'text'] as const) {
          const { results } = await searchLarge(large, userId, text, {
            mode: 'fused',
            channels: [channel],
            collapse: false,
            limit: LIMIT,
            filters,
          });
          searches += 1;
          if (results.length < Math.min(LIMIT, counts[channel])) lacking += 1;
        }
      }
    }
  }
  return { searches, lacking };
}

async function countMatching(
  { stage }: LargeStage,
  userId: string,
  query: string,
  filters: Readonly<{ project?: string; categories?: readonly string[] }>,
): Promise<{ vector: number; text: number }> {
  // The words of the questions: function words are empty to search_query, and match nothing.
  const { rows } = await stage.database.query<{ vector: number; text: number }>(
    `select count(*)::integer as vector, count(*) filter (where exists (
         select 1 from unnest($3::text[]) as word where m.search_terms @@ search_query(word)))::integer as text
     from memories m where m.tenant_id = $1::uuid and m.user_id = $2 and m.is_current
       and ($4::text is null or m.project = $4) and ($5::text[] is null or m.category = any($5))`,
    [DEFAULT_TENANT_ID, userId, namesOf(query), filters.project ?? null, filters.categories ?? null],
  );
  return rows[0] ?? { vector: 0, text: 0 };
}

/** The person and the thing that a question is about. */
function namesOf(query: string): string[] {
  return query
    .replace(/[?]/g, '')
    .split(' ')
    .filter((word) => !QUESTION_WORDS.has(word.toLowerCase()));
}

const QUESTION_WORDS = new Set(
  'what did say about the where is that wanted when i talk to my which does have'.split(' '),
);
