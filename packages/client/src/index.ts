export { createClient } from './create-client.ts';
export type { Client, ClientOptions } from './create-client.ts';
export { FactmillError } from './factmill-error.ts';
export type { FactmillErrorKind, FieldError } from './factmill-error.ts';
export { OPERATIONS } from './operations.ts';
export type { ClientOperation, OperationName, Repeat } from './operations.ts';
export type { KeyedOptions, RequestOptions } from './transport.ts';
export type { WaitOptions } from './extractions.ts';
export type { ChatChunk, ChatCompletion, ChatMessage, ChatRequest } from './chat.ts';
