import { categorised } from './presets/categorised.ts';
import { factsAndContext } from './presets/facts-and-context.ts';
import type { Preset } from './presets/preset.ts';
import { reconciled } from './presets/reconciled.ts';
import { singleFact } from './presets/single-fact.ts';
import { standard } from './presets/standard.ts';
import { tiered } from './presets/tiered.ts';

/** Every preset by name. Presets are plain objects, so that a deployment can print and compare them. */
export const presets: ReadonlyMap<string, Preset> = new Map(
  [standard, factsAndContext, singleFact, tiered, categorised, reconciled].map((preset) => [
    preset.name,
    preset,
  ]),
);

export const PRESET_NAMES: readonly string[] = [...presets.keys()];

/** The preset of that name; the default for one that there is no longer. */
export function presetNamed(name: string): Preset {
  return presets.get(name) ?? standard;
}

/** The preset of that name; undefined when there is none. */
export function getPreset(name: string): Preset | undefined {
  return presets.get(name);
}
