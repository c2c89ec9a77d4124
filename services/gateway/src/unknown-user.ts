import { UNKNOWN_USER } from '@factmill/contracts';

/** The field of a response when no user could be determined (A10): nothing was stored or searched. */
export const UNKNOWN_USER_SKIPPED = {
  user_id: UNKNOWN_USER,
  skipped: {
    reason: 'unknown_user',
    detail:
      'No user could be determined, so nothing was stored or searched. Send user_id, use an API key, or set DEFAULT_USER_ID.',
  },
} as const;
