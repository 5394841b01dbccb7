/** Color scheme. `system` follows the browser's setting. */
export type Theme = 'system' | 'light' | 'dark'

const KEY = 'binnacle-theme'
const THEMES: readonly Theme[] = ['system', 'light', 'dark']

/** Returns the stored color scheme, or `system`. */
export function currentTheme(): Theme {
  const kept = localStorage.getItem(KEY)
  return THEMES.find(theme => theme === kept) ?? 'system'
}

/** Stores and applies a color scheme. */
export function setTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, theme)
  showTheme(theme)
}

export function showTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme
}

/** Returns the scheme that the switch selects next: system, light, dark, and system again. */
export const nextTheme = (theme: Theme): Theme => THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'
