import type { Told } from '../conversation.ts';
import { toSimplified } from './script.ts';

/** Who speaks to whom, when, and what they are called in what is kept. */
export type Voice = {
  speaker: string;
  /** Whom `你` means, when that is known. */
  listener: string | null;
  saidAt: Date;
  /** Whether what no rule reads is kept in the speaker's own words. */
  keepsUnread: boolean;
  /** Said among people, as against to an assistant. */
  social: boolean;
};

/** The user is called as the message writes: in simplified or in traditional characters. */
export function voiceOf({ speaker, listener, social, keepsOwnWords, message }: Told): Voice {
  const text = message.content.slice(0, 2_000);
  const theUser = toSimplified(text) === text ? '用户' : '用戶';
  const isNameless = !social && speaker.start === 'The user';
  return {
    speaker: isNameless ? theUser : speaker.start,
    listener,
    saidAt: message.createdAt,
    keepsUnread: keepsOwnWords || social,
    social,
  };
}
