export { createChatModel } from './chat-model.ts';
export type { ChatMessage, ChatModel, ChatModelConfig, ChatReply, ChatRequest } from './chat-model.ts';
export { createFallbackChatModel } from './fallback-chat-model.ts';
export type {
  FallbackChatModel,
  FallbackChatModelConfig,
  FallbackChatModelDeps,
  ModelAvailability,
} from './fallback-chat-model.ts';
export type { ReplySchema } from './request-shape.ts';
export { createEmbedder } from './embedder.ts';
export type { Embedder, EmbedOptions } from './embedder.ts';
export type { EmbedderConfig } from './embedding-source.ts';
export { calibrate, measurePairs, toProfile } from './calibration/calibrate.ts';
export type { Calibration, Distribution } from './calibration/calibrate.ts';
export { CALIBRATION_PAIRS } from './calibration/pairs.ts';
export { chunkingOf } from './chunking-of.ts';
export type { Chunking } from './chunking-of.ts';
export { embeddingProfileOf, LOCAL_EMBEDDING_PROFILE, readsWhole } from './embedding-profiles.ts';
export type { EmbeddingProfile, SimilarityThresholds } from './embedding-profiles.ts';
export { createLocalTokenCounter } from './local-token-counter.ts';
export type { TokenCounter } from './local-token-counter.ts';
export { emptyAnswerError, noAnswerOf } from './no-answer.ts';
export { receivedReplyOf } from './received-reply.ts';
export type { ReceivedReply } from './received-reply.ts';
export { classifyModelError } from './model-error.ts';
export type { ModelErrorContext } from './model-error.ts';
export { createReranker } from './reranker.ts';
export type { Reranker, RerankerConfig } from './reranker.ts';
export { untilAborted } from './until-aborted.ts';
