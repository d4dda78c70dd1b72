// Refreshes while somebody looks: what colleagues decide, and most of what banks answer, makes no
// event.

import { useEffect, useRef } from 'preact/hooks'

const EVERY_MS = 10_000

export function useSteadyRefresh(refresh: () => void): void {
  const latest = useRef(refresh)
  latest.current = refresh
  useEffect(() => {
    const timer = window.setInterval(() => !document.hidden && latest.current(), EVERY_MS)
    return () => window.clearInterval(timer)
  }, [])
}
