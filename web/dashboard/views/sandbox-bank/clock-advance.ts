// Advances the test clock. Due work runs before the answer. If there is much, the answer is incomplete, and
// the call repeats with the same target until the clock is there. Meanwhile the clock is read every second.
// It stops with the view, and when the clock is released or reset elsewhere.

import { useEffect, useRef, useState } from 'preact/hooks'
import { getData, type Problem, problemFrom, type Schemas, send } from '../../api.ts'

type Step = Schemas['SandboxClockStep']
type Ended = 'done' | 'stopped' | 'released'

export type Advance = {
  from: string
  to: string
  now: string
  ran: readonly Step[]
  state: 'running' | 'stopping' | Ended
}

const PATH = '/sandbox/clock'
const ASK_MS = 1_000

export const isUnderWay = (advance: Advance | undefined) =>
  advance?.state === 'running' || advance?.state === 'stopping'

// Calls `ended` also after a failure, since the clock may have moved.
export function useAdvance(ended: () => void) {
  const [advance, setAdvance] = useState<Advance | undefined>()
  const [problem, setProblem] = useState<Problem | undefined>()
  const goesOn = useRef(false)
  const isRunning = isUnderWay(advance)
  const change = (more: Partial<Advance>) =>
    setAdvance((before) => before && { ...before, ...more })
  useEffect(
    () => () => {
      goesOn.current = false
    },
    [],
  )
  useAsking(isRunning, (now) =>
    setAdvance((before) =>
      before && isUnderWay(before) && now > before.now ? { ...before, now } : before,
    ),
  )
  const start = async (targetFrom: (now: Date) => Date) => {
    if (goesOn.current || isRunning) return
    goesOn.current = true
    setProblem(undefined)
    setAdvance(undefined)
    try {
      const { now } = await getData(PATH, {})
      const to = targetFrom(new Date(now)).toISOString()
      setAdvance({ from: now, to, now, ran: [], state: 'running' })
      change({ state: await advanceTo(to, { goesOn: () => goesOn.current, report: change }) })
    } catch (error) {
      setProblem(problemFrom(error))
      setAdvance(undefined)
    }
    goesOn.current = false
    ended()
  }
  const stop = () => {
    goesOn.current = false
    change({ state: 'stopping' })
  }
  return { advance, problem, start, stop }
}

function useAsking(isWanted: boolean, report: (now: string) => void): void {
  useEffect(() => {
    if (!isWanted) return
    const ask = () =>
      getData(PATH, {}).then(
        ({ now, isFrozen }) => isFrozen && report(now),
        () => {},
      )
    const timer = window.setInterval(ask, ASK_MS)
    return () => window.clearInterval(timer)
  }, [isWanted])
}

type Watch = { goesOn: () => boolean; report: (more: Partial<Advance>) => void }

// To a time, not by seconds, so that a retry moves the clock no further.
async function advanceTo(to: string, { goesOn, report }: Watch): Promise<Ended> {
  for (let ran: readonly Step[] = []; ; ) {
    const moved = await send('POST', `${PATH}/advance`, { body: { to } }).catch(lookAgain)
    ran = [...ran, ...moved.ran]
    report({ now: moved.now, ran })
    if (moved.isComplete) return 'done'
    if (!goesOn()) return 'stopped'
    if (!(await getData(PATH, {})).isFrozen) return 'released'
  }
}

// Due work, such as webhooks without an answer, may outlast a request.
async function lookAgain(error: unknown) {
  if (problemFrom(error).code !== 'unreachable') throw error
  const { now } = await getData(PATH, {})
  return { now, ran: [], isComplete: false }
}
