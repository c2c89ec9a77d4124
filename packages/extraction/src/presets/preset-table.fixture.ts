import { presets } from '../presets.ts';

/** Every setting of a preset by its path. */
function settingsOf(value: object, path = ''): Map<string, string> {
  const settings = new Map<string, string>();
  for (const [name, inner] of Object.entries(value)) {
    const at = path === '' ? name : `${path}.${name}`;
    if (typeof inner === 'object' && inner !== null)
      for (const [deeper, text] of settingsOf(inner, at)) settings.set(deeper, text);
    else if (at !== 'name') settings.set(at, String(inner));
  }
  return settings;
}

/** The table of docs/presets.md: a row per setting, a column per preset. */
export function presetRows(): string[][] {
  const columns = Array.from(presets.values(), (preset) => settingsOf(preset));
  const names = [...new Set(columns.flatMap((column) => [...column.keys()]))];
  return [
    ['setting', ...presets.keys()].map((name, index) => (index === 0 ? name : `\`${name}\``)),
    ...names.map((name) => [`\`${name}\``, ...columns.map((column) => column.get(name) ?? '')]),
  ];
}
