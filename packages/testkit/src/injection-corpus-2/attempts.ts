import type { DoorAttempt } from './door-attempt.ts';
import { ANSWER_ATTEMPTS } from './answer.ts';
import { ANSWER_DISGUISE_ATTEMPTS } from './answer-disguises.ts';
import { ANSWER_ENCODING_ATTEMPTS } from './answer-encodings.ts';
import { ANSWER_FIELD_ATTEMPTS } from './answer-fields.ts';
import { ANSWER_FORM_ATTEMPTS } from './answer-forms.ts';
import { ANSWER_LANGUAGE_ATTEMPTS } from './answer-languages.ts';
import { COMPRESSION_ATTEMPTS } from './compression.ts';
import { RECONCILE_ATTEMPTS } from './reconcile.ts';
import { RECONCILE_DISGUISE_ATTEMPTS } from './reconcile-disguises.ts';
import { RULES_ATTEMPTS } from './rules.ts';
import { SUMMARY_ATTEMPTS } from './summary.ts';
import { TOOL_ATTEMPTS } from './tool.ts';

/** The second corpus: attempts on all six doors, by an author who knew none of the filters. */
export const DOOR_ATTEMPTS: readonly DoorAttempt[] = [
  ...ANSWER_ATTEMPTS,
  ...ANSWER_FIELD_ATTEMPTS,
  ...ANSWER_FORM_ATTEMPTS,
  ...ANSWER_LANGUAGE_ATTEMPTS,
  ...ANSWER_DISGUISE_ATTEMPTS,
  ...ANSWER_ENCODING_ATTEMPTS,
  ...RULES_ATTEMPTS,
  ...RECONCILE_ATTEMPTS,
  ...RECONCILE_DISGUISE_ATTEMPTS,
  ...SUMMARY_ATTEMPTS,
  ...COMPRESSION_ATTEMPTS,
  ...TOOL_ATTEMPTS,
];
