import { z } from 'zod';

/** A value of a setting that can change at run time. Which one fits is a rule of the setting's own. */
const settingValueSchema = z.union([z.string().max(256), z.number(), z.boolean()]);

export const settingSchema = z.object({
  key: z.string(),
  value: settingValueSchema.describe('The value in force.'),
  source: z
    .enum(['run_time', 'environment'])
    .describe('`run_time`: an operator has set it. `environment`: what the services were started with.'),
  rule: z.string().describe('Which values fit.'),
});
export type Setting = z.infer<typeof settingSchema>;
export type SettingValue = z.infer<typeof settingValueSchema>;

export const putSettingSchema = z.strictObject({ value: settingValueSchema });
