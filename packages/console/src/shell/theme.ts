export type Theme = 'system' | 'light' | 'dark';
export const THEMES: readonly Theme[] = ['system', 'light', 'dark'];
const STORED_AS = 'factmill-console-theme';

/** The chosen theme; that of the system unless one was chosen. */
export function readTheme(): Theme {
  try {
    const stored = localStorage.getItem(STORED_AS);
    return THEMES.find((theme) => theme === stored) ?? 'system';
  } catch {
    // A browser may forbid storing.
    return 'system';
  }
}

/** Shows the page in the chosen theme. */
export function applyTheme(theme = readTheme()): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

export function chooseTheme(theme: Theme): void {
  applyTheme(theme);
  try {
    localStorage.setItem(STORED_AS, theme);
  } catch {
    // It holds for this page then.
  }
}
