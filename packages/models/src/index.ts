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
export { embeddingProfileOf, LOCAL_EMBEDDING_PROFILE } from './embedding-profiles.ts';
export type { EmbeddingProfile } from './embedding-profiles.ts';
export { classifyModelError } from './model-error.ts';
export type { ModelErrorContext } from './model-error.ts';
