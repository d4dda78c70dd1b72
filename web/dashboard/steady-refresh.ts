// Refreshes while the page is visible, for changes that raise no event: decisions of other users, most
// responses of banks, outcomes of deliveries.

import { useEffect, useRef, useState } from 'preact/hooks'

const EVERY_MS = 10_000
const SOON_MS = 1_000

export function useSteadyRefresh(refresh: () => void): void {
  const latest = useRef(refresh)
  latest.current = refresh
  useEffect(() => {
    const timer = window.setInterval(() => !document.hidden && latest.current(), EVERY_MS)
    return () => window.clearInterval(timer)
  }, [])
}

export function useVersion(): [version: number, bump: () => void] {
  const [version, setVersion] = useState(0)
  return [version, () => setVersion((before) => before + 1)]
}

// Returns a version that increases at intervals and with each change that the user makes in this view.
export function useSteadyVersion(): [version: number, bump: () => void] {
  const [version, bump] = useVersion()
  useSteadyRefresh(bump)
  return [version, bump]
}

// Refreshes soon while rows are pending, then less and less often. Starts again when `pending` changes.
export function usePendingRefresh(pending: string, refresh: () => void): void {
  const latest = useRef(refresh)
  latest.current = refresh
  useEffect(() => {
    if (pending === '') return
    let pauseMs = SOON_MS
    let timer = 0
    const wait = () => {
      timer = window.setTimeout(() => {
        if (!document.hidden) latest.current()
        pauseMs = Math.min(pauseMs * 1.5, EVERY_MS)
        wait()
      }, pauseMs)
    }
    wait()
    return () => window.clearTimeout(timer)
  }, [pending])
}
