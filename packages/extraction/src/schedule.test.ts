import { policySchema } from '@factmill/contracts';
import { describe, expect, test } from '@jest/globals';
import { PRESET_NAMES } from './presets.ts';
import { scheduleOf } from './schedule.ts';

const schedule = scheduleOf({
  preset: 'standard',
  dailyFlushAt: '03:00',
  timeZone: 'Europe/Berlin',
  staleAfterS: 1_800,
});

/** What a policy says of chats and of what is kept. */
const OF_NO_TRIGGER = new Set([
  'preset',
  'max_entries',
  'summaries',
  'top_k',
  'recency_weight',
  'score_threshold',
  'mmr_lambda',
]);

describe('what the database is told about scheduling', () => {
  test('says what the deployment says, and has every preset', () => {
    expect(schedule).toMatchObject({
      preset: 'standard',
      daily_flush_at: '03:00',
      time_zone: 'Europe/Berlin',
      stale_after_s: 1_800,
    });
    expect(Object.keys(schedule.presets)).toEqual(PRESET_NAMES);
  });

  test.each(PRESET_NAMES)(
    '%s: a trigger is a policy with every rule set, so that one can change the other',
    (name) => {
      const { reads_replies: readsReplies, ...trigger } = schedule.presets[name] ?? { reads_replies: null };
      expect(readsReplies).toBe(['single-fact', 'tiered', 'categorised'].includes(name));
      const policy = policySchema.parse(trigger);
      expect(Object.keys(policy).toSorted()).toEqual(
        Object.keys(policySchema.shape)
          .filter((field) => !OF_NO_TRIGGER.has(field))
          .toSorted(),
      );
    },
  );
});
