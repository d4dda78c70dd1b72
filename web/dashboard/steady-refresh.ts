// Refreshes while somebody looks: what colleagues decide, and most of what banks answer, makes no
// event.

import { useEffect, useRef, useState } from 'preact/hooks'

const EVERY_MS = 10_000

export function useSteadyRefresh(refresh: () => void): void {
  const latest = useRef(refresh)
  latest.current = refresh
  useEffect(() => {
    const timer = window.setInterval(() => !document.hidden && latest.current(), EVERY_MS)
    return () => window.clearInterval(timer)
  }, [])
}

// A number that grows as time passes, and whenever something was changed here: what depends on it is
// loaded again.
export function useSteadyVersion(): [version: number, bump: () => void] {
  const [version, setVersion] = useState(0)
  const bump = () => setVersion((before) => before + 1)
  useSteadyRefresh(bump)
  return [version, bump]
}
