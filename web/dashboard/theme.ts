// The theme, light or dark: the system setting, unless the user has chosen one. The browser stores the
// choice.

const THEMES = ['auto', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]

const KEY = 'manilla-theme'
const darkSystemQuery = window.matchMedia('(prefers-color-scheme: dark)')

export function chosenTheme(): Theme {
  const choice = window.localStorage.getItem(KEY)
  return THEMES.find((theme) => theme === choice) ?? 'auto'
}

// Stores nothing for `auto`, which follows the system.
export function chooseTheme(theme: Theme): void {
  if (theme === 'auto') window.localStorage.removeItem(KEY)
  else window.localStorage.setItem(KEY, theme)
  applyTheme()
}

export function nextTheme(theme: Theme): Theme {
  return THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] as Theme
}

// Applies the theme when the page starts, and again when the system switches between light and dark.
export function followTheme(): void {
  applyTheme()
  darkSystemQuery.addEventListener('change', applyTheme)
}

// Sets the theme that the stylesheet uses: light or dark, also for `auto`.
function applyTheme(): void {
  const theme = chosenTheme()
  const isDark = theme === 'auto' ? darkSystemQuery.matches : theme === 'dark'
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
}
