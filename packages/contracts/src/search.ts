import { z } from 'zod';
import { boundedArray } from './bounded-array.ts';
import { skippedSchema } from './conversations.ts';
import { memoryKindSchema, memorySchema } from './memories.ts';
import {
  externalIdSchema,
  filledText,
  nameSchema,
  projectSchema,
  timestampSchema,
  userIdSchema,
} from './text.ts';

export const searchModeSchema = z.enum(['fused', 'enhanced', 'classic', 'vector']);
export type SearchMode = z.infer<typeof searchModeSchema>;

/**
 * How a memory was found. `trigram`: by a part of a word, or a word that is spelt nearly so. `date`: it holds since, or
 * names, a date that the query names. `turns` are stored messages that compete with memories.
 */
export const searchChannelSchema = z.enum([
  'vector',
  'text',
  'trigram',
  'key',
  'project',
  'date',
  'recent',
  'turns',
]);
export type SearchChannel = z.infer<typeof searchChannelSchema>;

export const searchFiltersSchema = z.strictObject({
  kinds: z.array(memoryKindSchema).min(1).max(4).optional(),
  categories: boundedArray(nameSchema).min(1).max(64).optional(),
  tags: boundedArray(nameSchema).min(1).max(64).optional().describe('A memory has to carry all of them.'),
  tiers: z.array(z.int().min(1).max(3)).min(1).max(3).optional(),
  project: projectSchema.optional(),
  conversation_id: externalIdSchema
    .optional()
    .describe('Memories that were learned in the conversation, or are kept for it only.'),
});
export type SearchFilters = z.infer<typeof searchFiltersSchema>;

const unit = z.number().min(0).max(1);

const asOfSchema = z.union([
  timestampSchema,
  z.strictObject({ valid_at: timestampSchema.optional(), known_at: timestampSchema.optional() }),
]);
export type AsOf = z.infer<typeof asOfSchema>;

export const searchRequestSchema = z.strictObject({
  query: filledText(4_000),
  user_id: userIdSchema.optional(),
  all_users: z.boolean().default(false).describe('Search every user of the tenant; needs memory.read_all.'),
  limit: z.int().min(1).max(200).optional().describe('Default 15; 5 in classic mode.'),
  mode: searchModeSchema
    .optional()
    .describe('Default: SEARCH_MODE of the service, `fused` unless it is set.'),
  channels: boundedArray(searchChannelSchema.exclude(['turns']))
    .min(1)
    .max(7)
    .optional()
    .describe('Ways of finding to use, instead of those of the mode.'),
  scopes: boundedArray(externalIdSchema)
    .min(1)
    .max(8)
    .optional()
    .describe(
      'Conversation ids and `global`: three times `limit` candidates are taken from each. Default: everything of the user.',
    ),
  filters: searchFiltersSchema.optional(),
  include_turns: z
    .boolean()
    .optional()
    .describe(
      'Stored messages compete with memories: of the conversations in `scopes`, or else of all that the user has. Default: as SEARCH_TURNS of the service in fused mode, unless `channels`, kinds, categories or all users are asked for; else false.',
    ),
  include_pending: z
    .boolean()
    .default(false)
    .describe('Messages that are stored and not yet extracted compete too, marked `pending`.'),
  min_similarity: z
    .number()
    .min(-1)
    .max(1)
    .optional()
    .describe('Cosine similarity below which the vector channel drops a memory; default: the model’s own.'),
  rerank: z.boolean().optional().describe('Default: as the mode does when a reranker is configured.'),
  min_relevance: unit
    .optional()
    .describe(
      'Relevance below which a memory is dropped: a reranker’s, or without one the cosine similarity. Default 0.35 where enhanced mode reranks, else 0.',
    ),
  recency_weight: unit.optional().describe('Share of recency in the score; default 0.2 enhanced, 0.1 fused.'),
  mmr_lambda: unit
    .optional()
    .describe('Relevance against diversity; 1 turns diversity off. Default 0.7 enhanced, else 1.'),
  collapse: z.boolean().optional().describe('Leave out what says the same as a better result. Default true.'),
  token_budget: z.int().min(1).max(1_000_000).optional().describe('Most estimated tokens of all results.'),
  fill: z
    .boolean()
    .default(false)
    .describe(
      'Fill the results up to `limit`: behind what was found come memories that are less similar than the cutoff or `min_relevance` asks for, nearest first, then the latest. Each is marked `below_cutoff`.',
    ),
  as_of: asOfSchema
    .optional()
    .describe(
      'What was believed at a moment: known by then and valid then. As an object, both times apart; each defaults to now.',
    ),
  explain: z.boolean().default(false).describe('Show every score of every stage.'),
});
export type SearchRequest = z.infer<typeof searchRequestSchema>;

const explainedChannelsSchema = z.array(
  z.object({
    channel: z.union([searchChannelSchema, z.enum(['wording', 'exact'])]),
    rank: z.int(),
    /** The channel's own score: similarity, text score, trigram similarity, share of the names and numbers. */
    value: z.number().nullable(),
    /** The channel's share of the fused score. */
    score: z.number(),
  }),
);

/** What each stage made of a result; a stage that did not run is left out. */
export const resultExplanationSchema = z.object({
  channels: explainedChannelsSchema,
  relevance: z.number(),
  reranked: z.number().optional(),
  recency: z.number().optional(),
  total: z.number(),
  mmr: z.number().optional(),
  tokens: z.int().optional(),
});
export type ResultExplanation = z.infer<typeof resultExplanationSchema>;

/** How many candidates an explanation names, and how much of the text of each. */
export const MAX_CONSIDERED = 200;
export const CONSIDERED_CHARACTERS = 500;

/** A candidate of a search, and what has become of it. */
export const consideredSchema = z.object({
  id: z.uuid(),
  content: z.string().describe(`Its first ${CONSIDERED_CHARACTERS} characters.`),
  score: z.number(),
  channels: explainedChannelsSchema,
  outcome: z
    .enum(['result', 'relevance', 'below_cutoff', 'duplicate', 'diversity', 'token_budget', 'limit'])
    .describe(
      '`result`, or the stage that left it out: `relevance`: less than the threshold; `below_cutoff`: found by its vector only, which is less similar than the model’s cutoff; `duplicate`: says the same as a better one; `diversity`: too like better ones; `token_budget`; `limit`.',
    ),
  duplicate_of: z.uuid().optional(),
});
export type Considered = z.infer<typeof consideredSchema>;

export const searchExplanationSchema = z.object({
  terms: z.array(z.string()),
  candidates: z.record(z.string(), z.int()).describe('How many each channel found.'),
  considered: z
    .array(consideredSchema)
    .describe(`What they found, best first, at most ${MAX_CONSIDERED}: each with its ranks and its outcome.`),
  dropped: z.record(z.string(), z.int()).describe('How many each stage left out.'),
  timings_ms: z.record(z.string(), z.number()),
});
export type SearchExplanation = z.infer<typeof searchExplanationSchema>;

export const searchResultSchema = z.object({
  memory: memorySchema,
  score: z
    .number()
    .describe(
      'What results are ordered by, 0 to 1, within this search only. In fused mode 1 means first in every channel, whether or not that answers the question; in other modes it comes from similarity and words.',
    ),
  similarity: z
    .number()
    .optional()
    .describe(
      'Cosine similarity to the query, which can be compared between searches; left out for what was found by words alone.',
    ),
  channels: z.array(searchChannelSchema),
  /** A stored message instead of a memory; `memory` then shows it in a memory's form, with an id of its own. */
  turn: z.object({ conversation_id: z.string(), message_id: z.string(), role: z.string() }).optional(),
  pending: z.literal(true).optional().describe('A message that no extraction has read yet.'),
  below_cutoff: z
    .literal(true)
    .optional()
    .describe(
      'Less similar than the cutoff or `min_relevance`, and added because of `fill`, or because a fused search found nothing (five results at most). Its score is 0.',
    ),
  duplicate_ids: z.array(z.uuid()).optional().describe('Memories left out because they say the same.'),
  explain: resultExplanationSchema.optional(),
});
export type SearchResult = z.infer<typeof searchResultSchema>;

/** The mode that answered: the requested one, or its fallback. */
export const answeredModeSchema = z.enum([...searchModeSchema.options, 'recent', 'none']);
export type AnsweredMode = z.infer<typeof answeredModeSchema>;

export const searchResponseSchema = z.object({
  results: z.array(searchResultSchema),
  mode: answeredModeSchema,
  user_id: z.string().nullable().describe('Null when all users were searched.'),
  degraded: z
    .string()
    .optional()
    .describe(
      'What was left out, separated by commas: `embedding_unavailable`, `embedding_incomplete` (vectors of a new model are still being built), `rerank_unavailable`, `min_relevance_ignored` (neither a reranker nor vectors to hold against it), `results_too_large` (4 MB of memories are in the answer already), or a channel as in `text_unavailable`.',
    ),
  relevance: z
    .object({
      by: z.enum(['reranker', 'cosine', 'none']),
      threshold: z.number().describe('What results had to reach; 0 for anything.'),
      not_applied: z
        .number()
        .optional()
        .describe(
          'A threshold of the request or the mode that was not applied: that of a mode is a reranker’s.',
        ),
    })
    .optional()
    .describe(
      'What the relevance of memories is: a reranker’s, the cosine similarity to the query, or none, when only words and dates could be compared.',
    ),
  skipped: skippedSchema.optional(),
  explain: searchExplanationSchema.optional(),
});
export type SearchResponse = z.infer<typeof searchResponseSchema>;
