// Live events over server-sent events. The client replaces a connection that ends, fails or falls
// silent, and resumes after the last event, so that no event is lost or repeated.

import { ManillaConnectionError, ManillaError } from './errors.ts'
import type { HttpClient } from './http-client.ts'
import { orAborted, wait } from './waiting.ts'
import type { WebhookEvent } from './webhook-events.ts'

const PATH = '/api/v1/events/stream'
const PAUSE_MS = 1_000
const PAUSE_MS_MAX = 10_000
// After this silence, the stream connects again: the service sends a heartbeat every 15 seconds.
const SILENCE_MS_MAX = 45_000

export type StreamOptions = {
  /** Resumes after this sequence. Default: starts with the next event. */
  after?: number | string | undefined
  signal?: AbortSignal | undefined
  onConnect?: ((after: string | undefined) => void) | undefined
  onDisconnect?: ((error: ManillaError | undefined) => void) | undefined
}
type Position = { last: string | undefined }

/** Throws when the first connection fails, or the service refuses; never ends otherwise. */
export async function* streamEvents(
  http: HttpClient,
  { after, signal, onConnect, onDisconnect }: StreamOptions = {},
): AsyncGenerator<WebhookEvent, void, undefined> {
  const position: Position = { last: after === undefined ? undefined : String(after) }
  // An error of the first connection is thrown. After one connection has succeeded, the stream reconnects.
  let [isFirst, pauseMs] = [true, PAUSE_MS]
  for (;;) {
    let failure: ManillaError | undefined
    try {
      const response = await http.open({
        method: 'GET',
        path: PATH,
        signal,
        ...streamHeaders(position),
      })
      onConnect?.(position.last)
      ;[isFirst, pauseMs] = [false, PAUSE_MS]
      yield* readEvents(response, position, signal)
    } catch (error) {
      signal?.throwIfAborted()
      if (isFirst || !isTemporary(error)) throw error
      failure = error
    }
    onDisconnect?.(failure)
    await wait(pauseMs, signal)
    pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX)
  }
}

// After a reconnection, `last-event-id` makes the service continue after the last event received.
function streamHeaders({ last }: Position) {
  const accept = { accept: 'text/event-stream' }
  return { headers: last === undefined ? accept : { ...accept, 'last-event-id': last } }
}

// Whether the stream reconnects after this error. Other refusals, such as a missing scope, are final.
function isTemporary(error: unknown): error is ManillaError {
  if (error instanceof ManillaConnectionError) return true
  return error instanceof ManillaError && (error.status === 429 || (error.status ?? 0) >= 500)
}

// Reads the events of one connection until it ends or falls silent. A frame may arrive in several chunks.
async function* readEvents(
  response: Response,
  position: Position,
  signal: AbortSignal | undefined,
): AsyncGenerator<WebhookEvent, void, undefined> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (;;) {
      const bytes = await orAborted(nextChunk(reader), signal)
      if (!bytes) return
      const frames = (text + decoder.decode(bytes, { stream: true })).split('\n\n')
      text = frames.pop() as string
      for (const frame of frames) {
        const event = readFrame(frame, position)
        if (event) yield event
      }
    }
  } finally {
    reader.cancel().catch(() => {}) // The connection may be lost already.
  }
}

// Returns undefined when the connection has ended, or has been silent for too long.
async function nextChunk(reader: ReadableStreamDefaultReader<Uint8Array>) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), SILENCE_MS_MAX)
  })
  try {
    return (await Promise.race([reader.read(), silence]))?.value
  } catch (cause) {
    const message = 'The connection to the event stream was lost.'
    throw new ManillaConnectionError('connection_failed', message, { cause })
  } finally {
    clearTimeout(timer)
  }
}

// Reads a frame. A frame with only an id contains the position where the stream begins; a frame without an id
// is a heartbeat.
function readFrame(frame: string, position: Position): WebhookEvent | undefined {
  const lines = frame.split('\n')
  const field = (name: string) =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
  const [id, data] = [field('id'), field('data')]
  if (id === undefined) return undefined
  position.last = id
  return data === undefined ? undefined : JSON.parse(data)
}
