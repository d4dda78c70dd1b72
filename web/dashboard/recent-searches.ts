// The user's recent searches. The browser stores them for this tab only, because customers' names and numbers
// must not stay on a shared computer.

const RECENT_MAX = 5
const KEY = 'manilla-searches'

// The user’s latest searches in this tab, or none if the last one was another user’s.
export function recentSearches(user: string): string[] {
  try {
    const stored = JSON.parse(window.sessionStorage.getItem(KEY) ?? '{}')
    return stored.user === user && Array.isArray(stored.searches) ? stored.searches : []
  } catch {
    return []
  }
}

// Puts the search first among the recent ones. Each search is listed once.
export function rememberSearch(user: string, search: string): void {
  const otherSearches = recentSearches(user).filter((other) => other !== search)
  const searches = [search, ...otherSearches].slice(0, RECENT_MAX)
  window.sessionStorage.setItem(KEY, JSON.stringify({ user, searches }))
}

export function forgetSearches(): void {
  window.sessionStorage.removeItem(KEY)
}
