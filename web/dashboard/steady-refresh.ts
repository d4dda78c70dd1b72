// Refreshes while somebody looks: what colleagues decide, most of what banks answer, and how deliveries
// end makes no event.

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

// A number that grows as time passes, and whenever something was changed here: what depends on it is
// loaded again.
export function useSteadyVersion(): [version: number, bump: () => void] {
  const [version, setVersion] = useState(0)
  const bump = () => setVersion((before) => before + 1)
  useSteadyRefresh(bump)
  return [version, bump]
}

// While something is pending, said by what: soon, and ever less often, for it may take hours. Soon again
// once something else is.
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
