// `manilla listen`: prints events as they happen and posts them to a local handler. Survives restarts
// of the service: the stream resumes after the last event, so that none is lost or repeated.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { collect, parseHttpUrl, wholeNumber } from './arguments.ts'
import type { Context, Options, Run } from './command-context.ts'
import { configFolder, writePrivately } from './credentials.ts'
import { type Event, forwardEvent, type Handler, type Outcome } from './forward-event.ts'
import { CliProblem, EXIT } from './problems.ts'
import { cleanText, paint } from './table.ts'
import type { Terminal } from './terminal.ts'

const TYPE_WIDTH = 24

export function addListenCommand(program: Command, run: Run): void {
  program
    .command('listen')
    .description(
      'Stream events, and post each to a local handler, signed with your client’s webhook secret. ' +
        'Listening again goes on after the last event that the handler was given.',
    )
    .option('--forward-to <url>', 'Handler, such as http://localhost:3000/hook.', parseHttpUrl)
    .option('--events <types>', 'Only these types; payment.* for all of a kind.', collect)
    .option(
      '--after <sequence>',
      'Begin after this event.',
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
    )
    .option('--new', 'Begin with new events, whatever was missed.')
    .option('--attempts <count>', 'How often an event is tried.', wholeNumber(1, 100), 3)
    .option('--print-secret', 'Print the webhook secret and exit.')
    .action(async (_, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      await listen({ ...run.connect(options), run, terminal: run.terminal, options })
    })
}

// Streams events until Ctrl-C, and then always ends with the exit code for an interruption. The secret is
// needed only to sign forwarded events or to print it.
async function listen(context: Context): Promise<void> {
  const { manilla, terminal, options } = context
  const signal = terminal.interrupted
  const forwardTo = options.forwardTo as string | undefined
  const isSigning = forwardTo !== undefined || options.printSecret === true
  const secret = isSigning
    ? (await manilla.request('get', '/api/v1/webhook-secret', { signal })).secret
    : ''
  if (options.printSecret) return terminal.out(`${secret}\n`)
  const session = new ListenSession(
    context,
    forwardTo === undefined ? undefined : { forwardTo, secret },
  )
  try {
    const after = await session.findStart()
    const stream = manilla.events.stream({
      after,
      signal,
      onConnect: () => session.onConnected(),
      onDisconnect: () => session.onDisconnected(),
    })
    for await (const event of stream) {
      if (!(await session.handleEvent(event as Event)) || signal.aborted) break
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  throw new CliProblem(session.farewell(), EXIT.interrupted)
}

// One run of `manilla listen`: it stores its position, forwards events and counts the results. Without
// --forward-to it has no handler, and events are only printed.
class ListenSession {
  readonly #context: Context
  readonly #handler: Handler | undefined
  readonly #position: ListenPosition | undefined
  readonly #types: readonly string[]
  #lastSequence: number | undefined
  #isLost = false
  #counts = { accepted: 0, failed: 0 }

  constructor(context: Context, target: { forwardTo: string; secret: string } | undefined) {
    const { terminal, options } = context
    this.#context = context
    this.#types = (options.events as readonly string[] | undefined) ?? []
    if (!target) return
    this.#position = new ListenPosition(terminal, { ...context, forwardTo: target.forwardTo })
    this.#handler = {
      terminal,
      url: target.forwardTo,
      secret: target.secret,
      attemptsMax: options.attempts as number,
      onWaiting: (event, reason) =>
        this.#note(`Nobody listens at ${target.forwardTo} (${reason}): #${event.sequence} waits.`),
      onRetry: ({ type, sequence }, reason) =>
        this.#note(`#${sequence} ${cleanText(type)}: ${reason}; trying again …`),
    }
  }

  // Returns the number of the event to start after, and stores it at once, so that a run that is killed
  // before its first event misses nothing.
  async findStart(): Promise<number> {
    const { manilla, terminal, options } = this.#context
    const stored = options.new ? undefined : this.#position?.read()
    const signal = terminal.interrupted
    const [newest] = (await manilla.events.list({ limit: '1' } as never, { signal }).page()).data
    const newestSequence = newest?.sequence ?? 0
    // A reinstalled service numbers its events from 1 again, and its first events must not be skipped.
    const isAhead = stored !== undefined && stored > newestSequence
    const after = (options.after as number | undefined) ?? (isAhead ? 0 : stored) ?? newestSequence
    this.#lastSequence = after
    this.#position?.write(after)
    const missed = Math.max(newestSequence - after, 0)
    const place = this.#handler ? `, forwarding to ${this.#handler.url}` : ''
    const behind = missed > 0 ? `, beginning with ${missed} missed` : ''
    this.#note(`Listening at ${this.#context.url}${place}${behind}. Ctrl-C stops.`)
    return after
  }

  // Says that the stream is back. The first connection is not reported, because nothing was lost.
  onConnected(): void {
    if (this.#isLost) this.#note('Connected again; no event was missed.')
    this.#isLost = false
  }

  // Says once that the connection is lost, however many attempts to connect again fail.
  onDisconnected(): void {
    if (!this.#isLost) this.#note('Connection lost; connecting again …')
    this.#isLost = true
  }

  // Forwards the event if its type was selected, prints it, and moves the position. Returns false if
  // interrupted before the handler received the event; the next run then forwards it.
  async handleEvent(event: Event): Promise<boolean> {
    const isSelected =
      this.#types.length === 0 || this.#types.some((type) => matchesPattern(event.type, type))
    if (isSelected) {
      const outcome = this.#handler ? await forwardEvent(this.#handler, event) : null
      if (outcome === undefined) return false
      this.#report(event, outcome)
    }
    this.#lastSequence = event.sequence
    this.#position?.write(event.sequence)
    return true
  }

  farewell(): string {
    const { accepted, failed } = this.#counts
    const counts = this.#handler ? ` ${accepted} accepted, ${failed} failed.` : ''
    return `Stopped after event ${this.#lastSequence ?? 0}.${counts}`
  }

  #report(event: Event, outcome: Outcome | null): void {
    if (outcome) this.#counts[outcome.isAccepted ? 'accepted' : 'failed']++
    const { terminal, options } = this.#context
    terminal.out(options.json ? `${jsonLine(event, outcome)}\n` : `${this.#line(event, outcome)}\n`)
  }

  #line({ id, type, sequence }: Event, outcome: Outcome | null): string {
    const { terminal } = this.#context
    const start = `${clockTime(terminal.now())}  ${cleanText(type).padEnd(TYPE_WIDTH)}  #${sequence}`
    if (!outcome) return `${start}  ${id}`
    const { isAccepted, status, error, latencyMs, attempts } = outcome
    const result = isAccepted
      ? paint(terminal, 'green', String(status))
      : paint(terminal, 'red', `failed: ${error}`)
    const tries = attempts > 1 ? `  (attempt ${attempts})` : ''
    const remedy = isAccepted ? '' : `  Send it again: manilla listen … --after ${sequence - 1}`
    return `${start}  ${result}  ${latencyMs} ms${tries}  ${id}${remedy}`
  }

  // Writes to standard error, because notes are not part of the results.
  #note(text: string): void {
    this.#context.terminal.err(`${text}\n`)
  }
}

// `payment.*` matches every type that begins with `payment.`.
function matchesPattern(type: string, pattern: string): boolean {
  return pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern
}

function jsonLine(event: Event, forwarded: Outcome | null): string {
  return JSON.stringify({ event, forwarded })
}

function clockTime(now: Date): string {
  return now.toLocaleTimeString('en-GB', { timeZone: 'Africa/Lagos' })
}

type Listener = { url: string; clientId: string; forwardTo: string }

// The last event that a handler received, stored in a file after each event. Listening again for the
// same client and handler continues after it.
export class ListenPosition {
  readonly file: string
  readonly #listener: Listener

  constructor(terminal: Pick<Terminal, 'env' | 'homeDir'>, listener: Listener) {
    const { url, clientId, forwardTo } = listener
    const name = createHash('sha256').update(`${url}\n${clientId}\n${forwardTo}`).digest('hex')
    this.file = join(configFolder(terminal), 'positions', `${name.slice(0, 16)}.json`)
    this.#listener = listener
  }

  read(): number | undefined {
    try {
      const { sequence } = JSON.parse(readFileSync(this.file, 'utf8'))
      return Number.isSafeInteger(sequence) && sequence >= 0 ? sequence : undefined
    } catch {
      return undefined // Missing or unreadable: starts as for the first time.
    }
  }

  write(sequence: number): void {
    try {
      writePrivately(this.file, `${JSON.stringify({ ...this.#listener, sequence })}\n`)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      throw new CliProblem(`Cannot keep the position in ${this.file} (${code}).`)
    }
  }
}
