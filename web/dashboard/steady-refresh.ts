// Refreshes while the page is visible, for changes that raise no event: decisions of other users, most
// responses of banks, outcomes of deliveries.

import { useEffect, useRef, useState } from 'preact/hooks'

const EVERY_MS = 10_000
const SOON_MS = 1_000

// Calls `refresh` every ten seconds while the page is visible.
export function useSteadyRefresh(refresh: () => void): void {
  const latest = useRef(refresh)
  latest.current = refresh
  useEffect(() => {
    const timer = window.setInterval(() => !document.hidden && latest.current(), EVERY_MS)
    return () => window.clearInterval(timer)
  }, [])
}

// A counter that a view passes to its parts. A part that gets a new `refreshKey` reloads its data.
export function useRefreshKey(): [refreshKey: number, increase: () => void] {
  const [refreshKey, setRefreshKey] = useState(0)
  return [refreshKey, () => setRefreshKey((previous) => previous + 1)]
}

// Returns a refresh key that increases at intervals and with each change that the user makes in this view.
export function useSteadyRefreshKey(): [refreshKey: number, increase: () => void] {
  const [refreshKey, increase] = useRefreshKey()
  useSteadyRefresh(increase)
  return [refreshKey, increase]
}

// Refreshes quickly while rows are pending, then less and less often. Any change of `pending`, a key of the
// pending rows, starts the quick refresh again.
export function usePendingRefresh(pending: string, refresh: () => void): void {
  const latest = useRef(refresh)
  latest.current = refresh
  useEffect(() => {
    if (pending === '') return
    let pauseMs = SOON_MS
    let timer = 0
    // Each pause is half as long again as the one before.
    const refreshLater = () => {
      timer = window.setTimeout(() => {
        if (!document.hidden) latest.current()
        pauseMs = Math.min(pauseMs * 1.5, EVERY_MS)
        refreshLater()
      }, pauseMs)
    }
    refreshLater()
    return () => window.clearTimeout(timer)
  }, [pending])
}
