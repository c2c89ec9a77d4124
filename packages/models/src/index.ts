export type { ChatMessage, ChatReply, ChatRequest, ReplySchema } from './chat/chat-completion.ts';
export { createChatModel } from './chat/chat-model.ts';
export type { ChatModel, ChatModelConfig } from './chat/chat-model.ts';
export { createFallbackChatModel } from './chat/fallback-chat-model.ts';
export type {
  FallbackChatModel,
  FallbackChatModelConfig,
  FallbackChatModelDeps,
  ModelAvailability,
} from './chat/fallback-chat-model.ts';
export { createEmbedder } from './embedding/embedder.ts';
export type { Embedder, EmbedOptions } from './embedding/embedder.ts';
export type { EmbedderConfig } from './embedding/embedding-source.ts';
export { calibrate, measurePairs, toProfile } from './calibration/calibrate.ts';
export type { Calibration, Distribution } from './calibration/calibrate.ts';
export { CALIBRATION_PAIRS } from './calibration/pairs.ts';
export { embeddingProfileOf, LOCAL_EMBEDDING_PROFILE, readsWhole } from './embedding/embedding-profiles.ts';
export type { EmbeddingProfile, SimilarityThresholds } from './embedding/embedding-profiles.ts';
export { emptyAnswerError, noAnswerOf } from './errors/no-answer.ts';
export { receivedReplyOf } from './errors/received-reply.ts';
export type { ReceivedReply } from './errors/received-reply.ts';
export { classifyModelError } from './errors/model-error.ts';
export type { ModelErrorContext } from './errors/model-error.ts';
export { createReranker } from './reranker.ts';
export type { Reranker, RerankerConfig } from './reranker.ts';
