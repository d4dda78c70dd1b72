// Live events. Each page has one stream, which is open while a component listens and the page is visible: a
// browser allows only six connections per host, across all tabs.

import { useEffect, useRef, useState } from 'preact/hooks'
import { EVENT_TYPES } from '../../sdk/src/api-types.ts'
import { watchSilence } from '../silence.ts'
import { getData } from './api.ts'

export type LiveEvent = {
  id: string
  type: string
  sequence: number
  data: Record<string, unknown>
}
type Listener = (event: LiveEvent) => void
type Subscriber = { onEvent: Listener; onStart: () => void }

const STREAM = '/api/v1/events/stream'
const RETRY_MS = 10_000
// After the last listener leaves, the stream stays open this long for the next view, which would otherwise
// load its data twice. Shorter than the pause before a browser reconnects.
const CLOSE_AFTER_MS = 1_000

const listeners = new Set<Subscriber>()
const watchers = new Set<(isLive: boolean) => void>()
let source: EventSource | undefined
let isBroken = false
let lastId: string | undefined

// Opens the stream again after a silence: even without events, the service sends beats.
const silence = watchSilence(() => {
  close()
  isBroken = true
  notifyWatchers(false)
  open()
})

// Gives an event of the stream to all listeners, and records its id, after which a new stream continues.
function dispatch(event: Event): void {
  silence.restart()
  const { data, lastEventId } = event as MessageEvent<string>
  lastId = lastEventId
  const body = JSON.parse(data) as LiveEvent
  for (const { onEvent } of listeners) onEvent(body)
}

// Opens the stream. After a break it continues with the event after the last one received. Views reload
// their data when it opens, because the data may be older than the stream.
function open(): void {
  if (source || listeners.size === 0 || document.hidden) return
  source = new EventSource(lastId === undefined ? STREAM : `${STREAM}?lastEventId=${lastId}`)
  silence.restart()
  for (const type of EVENT_TYPES) source.addEventListener(type, dispatch)
  source.addEventListener('beat', silence.restart)
  source.addEventListener('open', () => {
    silence.restart()
    isBroken = false
    notifyWatchers(true)
  })
  const start = () => listeners.forEach(({ onStart }) => void onStart())
  source.addEventListener('open', start, { once: true })
  source.addEventListener('error', onError)
}

// A browser reconnects by itself after a broken connection but not after a refusal, and a script cannot tell
// the two apart. So after a refusal this requests the session, which shows the sign-in page if the session
// has ended, and opens the stream again later.
function onError(): void {
  isBroken = true
  notifyWatchers(false)
  if (source?.readyState !== EventSource.CLOSED) return
  source = undefined
  silence.stop()
  getData('/dashboard/api/session', {}).catch(() => {})
  window.setTimeout(open, RETRY_MS)
}

// Closes the stream, which nobody listens to or whose page is hidden. A closed stream does not count as
// broken.
function close(): void {
  silence.stop()
  source?.close()
  source = undefined
  isBroken = false
  notifyWatchers(false)
}

function notifyWatchers(isLive: boolean): void {
  for (const watcher of watchers) watcher(isLive)
}

document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()))

// Calls `onEvent` for each live event, and `onStart` when a new stream opens, so that the caller reloads
// older data. Returns whether the stream is open.
export function useEvents(
  onEvent: Listener,
  isEnabled = true,
  onStart: () => void = () => {},
): boolean {
  const latest = useRef<Subscriber>({ onEvent, onStart })
  latest.current = { onEvent, onStart }
  const [isLive, setLive] = useState(source?.readyState === EventSource.OPEN)
  useEffect(() => {
    if (!isEnabled) return
    const listener: Subscriber = {
      onEvent: (event) => latest.current.onEvent(event),
      onStart: () => latest.current.onStart(),
    }
    listeners.add(listener)
    watchers.add(setLive)
    open()
    return () => {
      listeners.delete(listener)
      watchers.delete(setLive)
      window.setTimeout(() => listeners.size === 0 && close(), CLOSE_AFTER_MS)
    }
  }, [isEnabled])
  return isLive
}

export type Connection = 'well' | 'offline' | 'lost'

// The state of the connection, for the note above the view.
export function useConnection(): Connection {
  const currentConnection = (): Connection =>
    navigator.onLine ? (isBroken ? 'lost' : 'well') : 'offline'
  const [connection, setConnection] = useState(currentConnection)
  useEffect(() => {
    const watch = () => setConnection(currentConnection())
    watchers.add(watch)
    window.addEventListener('online', watch)
    window.addEventListener('offline', watch)
    return () => {
      watchers.delete(watch)
      window.removeEventListener('online', watch)
      window.removeEventListener('offline', watch)
    }
  }, [])
  return connection
}

// Returns a function that calls `work` at once, and again at the earliest after a pause, however often it
// is called. A call during the pause is made up for when the pause ends.
export function useThrottled(work: () => void, pauseMs = 1_000): () => void {
  const latest = useRef(work)
  latest.current = work
  const state = useRef({ timer: 0, isDue: false })
  useEffect(() => () => window.clearTimeout(state.current.timer), [])
  return () => {
    const { current } = state
    if (current.timer !== 0) {
      current.isDue = true
      return
    }
    // Waits for the pause. If a call came meanwhile, makes up for it and pauses again.
    const pauseThenRun = () => {
      current.timer = window.setTimeout(() => {
        current.timer = 0
        if (!current.isDue) return
        current.isDue = false
        latest.current()
        pauseThenRun()
      }, pauseMs)
    }
    latest.current()
    pauseThenRun()
  }
}

// Called at a sign-in or sign-out, so that the next session does not receive events of the earlier one.
export function forgetEvents(): void {
  close()
  lastId = undefined
}
