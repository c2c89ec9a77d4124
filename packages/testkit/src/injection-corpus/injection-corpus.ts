import type { Attempt } from './attempt.ts';
import { FROM_ELSEWHERE } from './from-elsewhere.ts';
import { IN_USER_MESSAGES } from './in-user-messages.ts';

/**
 * Attempts at injection and poisoning, each with the conversation, the reply of a model that obeys the attacker, and
 * what becomes of it. The model is the weakest link here on purpose: what counts is what gets past everything else.
 */
export const INJECTION_CORPUS: readonly Attempt[] = [...IN_USER_MESSAGES, ...FROM_ELSEWHERE];
