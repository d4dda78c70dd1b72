// The test clock (docs/test-clock.md): shows the time of this sandbox, moves it, and returns to real time.

import type { TargetedSubmitEvent } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { testClockStrings as strings } from '../../../copy.ts'
import { getData, type Problem, problemFrom, type Schemas, send } from '../../api.ts'
import { humanize, shownTime, ZONE_OFFSET } from '../../format.ts'
import { useData, useSteadyRefresh } from '../../loading.ts'
import { Action } from '../../parts/action.tsx'
import { Button } from '../../parts/controls.tsx'
import { Bullets } from '../../parts/dialog.tsx'
import { Form, InputField } from '../../parts/forms.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { Time } from '../../parts/values.tsx'
import type { Destination } from './destination-picker.tsx'

type Clock = Schemas['SandboxClock']
type Start = ReturnType<typeof useAdvance>['start']

const SECOND_MS = 1_000
const SPANS = { hour: 3_600, day: 86_400, week: 604_800 } as const

type Props = {
  chosen: Destination | undefined // The user can move the clock past a payment's grace period.
  moved: () => void
  runs: (isRunning: boolean) => void
}

// `moved` is called after the clock has moved, so that the page loads its data again. `runs` tells the page
// whether the clock is moving.
export function TestClock({ chosen, moved, runs }: Props) {
  const { data: clock, problem, reload } = useData('/sandbox/clock', {})
  useSteadyRefresh(reload)
  // Reads the clock again, and lets the page reload its data.
  const onMoved = () => {
    reload()
    moved()
  }
  const { advance, problem: failure, start, stop } = useAdvance(onMoved)
  const isRunning = isUnderWay(advance)
  useEffect(() => runs(isRunning), [isRunning])
  return (
    <section class="card bank-part bank-clock" aria-labelledby="clock">
      <h2 id="clock">{strings.title}</h2>
      {!clock && (problem ? <Failed problem={problem} retry={reload} /> : <Skeleton lines={3} />)}
      {clock && (
        <>
          <ClockReading clock={clock} movingAt={isRunning ? advance?.now : undefined} />
          <ClockSteps clock={clock} chosen={chosen} isRunning={isRunning} start={start} />
          {failure && <Failed problem={failure} />}
          <AdvanceProgress advance={advance} stop={stop} />
          {clock.isFrozen && <ReleaseButton isDisabled={isRunning} released={onMoved} />}
        </>
      )}
    </section>
  )
}

// The time of the sandbox: real, stopped, or while it moves the time reached so far (`movingAt`).
function ClockReading({ clock, movingAt }: { clock: Clock; movingAt: string | undefined }) {
  const at = movingAt ?? clock.now
  if (!movingAt && !clock.isFrozen) {
    return (
      <div>
        <p class="clock-time">{strings.real}</p>
        <p class="muted small">{strings.realText}</p>
      </div>
    )
  }
  return (
    <div>
      <p class="clock-time">
        <Time at={at} />{' '}
        <span class="badge warn">{movingAt ? strings.moving : strings.frozen}</span>
      </p>
      {!movingAt && <p class="muted small">{strings.frozenText}</p>}
    </div>
  )
}

type ClockStepsProps = {
  clock: Clock
  chosen: Destination | undefined
  isRunning: boolean
  start: Start
}

// The buttons that move the clock on by a span or past the chosen payment’s grace period, and the field for
// any later time.
function ClockSteps({ clock, chosen, isRunning, start }: ClockStepsProps) {
  const closesMs = chosen?.closesAt ? Date.parse(chosen.closesAt) : 0
  // Whether the user chose a payment whose grace period is not over yet.
  const isPayment = closesMs >= Date.parse(clock.now)
  const later = (ms: number) => (now: Date) => new Date(now.getTime() + ms)
  // Moves the clock to the time in the field, which is in West Africa Time.
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const to = new Form(event.currentTarget).text('to')
    void start(() => new Date(`${to}${ZONE_OFFSET}`))
  }
  return (
    <>
      <fieldset class="clock-steps">
        <legend>{strings.advance}</legend>
        <div class="buttons">
          {(Object.keys(SPANS) as (keyof typeof SPANS)[]).map((span) => (
            <button
              key={span}
              type="button"
              class="button"
              aria-disabled={isRunning}
              onClick={() => start(later(SPANS[span] * SECOND_MS))}
            >
              {strings.spans[span]}
            </button>
          ))}
          {isPayment && (
            <Button
              aria-disabled={isRunning}
              onClick={() => start(() => new Date(closesMs + SECOND_MS))}
            >
              {strings.pastGrace(chosen?.title ?? '')}
            </Button>
          )}
        </div>
        {!isPayment && <p class="muted small">{strings.choosePayment}</p>}
      </fieldset>
      <form class="inline-form" onSubmit={submit}>
        <InputField label={strings.to} name="to" type="datetime-local" required />
        <button type="submit" class="button" aria-disabled={isRunning}>
          {strings.go}
        </button>
      </form>
    </>
  )
}

// The progress of the running or last advance, and the work that it ran.
function AdvanceProgress({ advance, stop }: { advance: Advance | undefined; stop: () => void }) {
  const isRunning = isUnderWay(advance)
  return (
    <>
      <p role="status">{advance && stateText(advance)}</p>
      {advance && isRunning && (
        <div class="bar-of">
          <progress aria-label={strings.progress} max={1} value={progressShare(advance)} />
          <p class="muted small">{strings.runningText}</p>
          <div>
            <Button aria-disabled={advance.state === 'stopping'} onClick={stop}>
              {strings.stop}
            </Button>
          </div>
        </div>
      )}
      {advance && <WorkRun advance={advance} />}
    </>
  )
}

// Names the target while the clock moves, and otherwise the time that it has reached.
function stateText({ state, now, to }: Advance): string {
  if (state === 'running') return strings.running(shownTime(to))
  return strings.states[state](shownTime(now))
}

// The part of the way from the first to the target time, from 0 to 1.
function progressShare({ from, to, now }: Advance): number {
  const [fromMs, toMs, nowMs] = [Date.parse(from), Date.parse(to), Date.parse(now)]
  return toMs > fromMs ? Math.min((nowMs - fromMs) / (toMs - fromMs), 1) : 1
}

// Lists the kinds of work that the advance ran, ordered by first run.
function WorkRun({ advance: { ran, state } }: { advance: Advance }) {
  const counts = new Map<string, number>()
  for (const { kind, count } of ran) counts.set(kind, (counts.get(kind) ?? 0) + count)
  if (counts.size === 0) {
    return state === 'done' ? <p class="muted small">{strings.nothingDue}</p> : null
  }
  return (
    <ul class="muted small" aria-label={strings.ran}>
      {[...counts].map(([kind, count]) => (
        <li key={kind}>{strings.kinds[kind]?.(count) ?? `${humanize(kind)}: ${count}`}</li>
      ))}
    </ul>
  )
}

// Returns the sandbox to real time.
function ReleaseButton({ isDisabled, released }: { isDisabled: boolean; released: () => void }) {
  return (
    <div>
      <Action
        title={strings.releaseTitle}
        action={strings.release}
        isDisabled={isDisabled}
        text={<Bullets points={strings.releaseText} />}
        run={() => send('DELETE', '/sandbox/clock', {})}
        message={strings.released}
        onDone={released}
      />
    </div>
  )
}

type Step = Schemas['SandboxClockStep']
type Ended = 'done' | 'stopped' | 'released'

type Advance = {
  from: string
  to: string
  now: string
  ran: readonly Step[]
  state: 'running' | 'stopping' | Ended
}

const PATH = '/sandbox/clock'
const POLL_MS = 1_000

const isUnderWay = (advance: Advance | undefined) =>
  advance?.state === 'running' || advance?.state === 'stopping'

// Advances the test clock. The service runs due work before it responds, and a response may be incomplete
// if there is much work. The call is then repeated with the same target until the clock has reached it. The
// advance stops when the view closes, and when the clock is released or reset elsewhere. `onEnded` is
// called even after a failure, because the clock may have moved.
function useAdvance(onEnded: () => void) {
  const [advance, setAdvance] = useState<Advance | undefined>()
  const [problem, setProblem] = useState<Problem | undefined>()
  const shouldContinue = useRef(false)
  const isRunning = isUnderWay(advance)
  const change = (changes: Partial<Advance>) =>
    setAdvance((previous) => previous && { ...previous, ...changes })
  useEffect(
    () => () => {
      shouldContinue.current = false
    },
    [],
  )
  useClockPolling(isRunning, (now) =>
    setAdvance((previous) =>
      previous && isUnderWay(previous) && now > previous.now ? { ...previous, now } : previous,
    ),
  )
  // `chooseTarget` gets the current time of the sandbox, and returns the time to advance to.
  const start = async (chooseTarget: (now: Date) => Date) => {
    if (shouldContinue.current || isRunning) return
    shouldContinue.current = true
    setProblem(undefined)
    setAdvance(undefined)
    try {
      const { now } = await getData(PATH, {})
      const to = chooseTarget(new Date(now)).toISOString()
      setAdvance({ from: now, to, now, ran: [], state: 'running' })
      change({
        state: await advanceTo(to, {
          shouldContinue: () => shouldContinue.current,
          report: change,
        }),
      })
    } catch (error) {
      setProblem(problemFrom(error))
      setAdvance(undefined)
    }
    shouldContinue.current = false
    onEnded()
  }
  // The request that runs cannot be taken back, so the clock stops after it.
  const stop = () => {
    shouldContinue.current = false
    change({ state: 'stopping' })
  }
  return { advance, problem, start, stop }
}

// Reads the clock every second while an advance runs, for the progress bar.
function useClockPolling(isEnabled: boolean, report: (now: string) => void): void {
  useEffect(() => {
    if (!isEnabled) return
    const readClock = () =>
      getData(PATH, {}).then(
        ({ now, isFrozen }) => isFrozen && report(now),
        () => {},
      )
    const timer = window.setInterval(readClock, POLL_MS)
    return () => window.clearInterval(timer)
  }, [isEnabled])
}

type AdvanceCallbacks = {
  shouldContinue: () => boolean
  report: (changes: Partial<Advance>) => void
}

// Advances to a time, not by a number of seconds, so that a retry does not move the clock further.
async function advanceTo(to: string, { shouldContinue, report }: AdvanceCallbacks): Promise<Ended> {
  for (let ran: readonly Step[] = []; ; ) {
    const moved = await send('POST', `${PATH}/advance`, { body: { to } }).catch(readClockInstead)
    ran = [...ran, ...moved.ran]
    report({ now: moved.now, ran })
    if (moved.isComplete) return 'done'
    if (!shouldContinue()) return 'stopped'
    if (!(await getData(PATH, {})).isFrozen) return 'released'
  }
}

// Reads the clock after a request without a response: due work may outlast the request, for example a webhook
// whose receiver does not respond.
async function readClockInstead(error: unknown) {
  if (problemFrom(error).code !== 'unreachable') throw error
  const { now } = await getData(PATH, {})
  return { now, ran: [], isComplete: false }
}
