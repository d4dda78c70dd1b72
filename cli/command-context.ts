// Connects a command with the service, and prints its answer: a table or details for people, the data
// itself with --json. Nothing is printed before the answer is complete.

import type { Command } from 'commander'
import { Manilla } from '../sdk/src/sdk.ts'
import { chooseUrl, findCredentials, type Source } from './credentials.ts'
import { type ExitCode, reasonOf, Unfinished } from './problems.ts'
import { type Column, table } from './table.ts'
import { showProgress, type Terminal } from './terminal.ts'

// Few retries, so that a short outage is bridged and a stopped service is soon reported.
const RETRIES = 2
const PAGE_MAX = 100

export type Options = { url?: string; json?: boolean; idempotencyKey?: string } & Record<
  string,
  unknown
>
type Answer = { data: unknown; text: string; exitCode?: ExitCode }
export type Service = {
  manilla: Manilla
  url: string
  clientId: string
  source: Source
}

// One execution of the command line: its terminal, its service, and how it ends.
export class Run {
  readonly terminal: Terminal
  url: string | undefined // The service's URL, once known.
  mayHaveWritten = false // Whether a request that changes something may have arrived.
  exitCode: ExitCode = 0

  constructor(terminal: Terminal) {
    this.terminal = terminal
  }

  // Finds the service and its credentials. It sends nothing yet.
  connect(options: Options, { retries = RETRIES } = {}): Service {
    const url = chooseUrl(this.terminal, options.url)
    this.url = url
    const { source, ...credentials } = findCredentials(this.terminal, url)
    const manilla = new Manilla({
      ...credentials,
      baseUrl: url,
      maxRetries: retries,
      fetch: (target, init) => this.#send(target, init),
    })
    return { manilla, url, clientId: credentials.clientId, source }
  }

  // Sends a request of the SDK. It remembers whether a change may have reached the service, because the
  // user must then repeat the command with the same idempotency key.
  async #send(target: string | URL | Request, init?: RequestInit): Promise<Response> {
    const isWrite = (init?.method ?? 'GET') !== 'GET' && !String(target).endsWith('/login')
    try {
      const response = await this.terminal.fetch(target, init)
      if (isWrite) this.mayHaveWritten = true
      return response
    } catch (error) {
      const isNeverSent = /refused|ENOTFOUND|EAI_AGAIN/.test(reasonOf(error))
      if (isWrite && !isNeverSent) this.mayHaveWritten = true
      throw error
    }
  }
}

export type Context = Service & { run: Run; terminal: Terminal; options: Options }
type Work = (context: Context, ...words: string[]) => Promise<Answer>

// Turns a command's function into the action that Commander calls, with the arguments, the options and the
// command itself as the last two.
export function toAction(run: Run, work: Work) {
  return async (...args: unknown[]): Promise<void> => {
    const command = args.at(-1) as Command
    const options = command.optsWithGlobals<Options>()
    const { terminal } = run
    const values = args.slice(0, -2) as string[]
    const context = { ...run.connect(options), run, terminal, options }
    print(run, options, await work(context, ...values))
  }
}

// Prints the answer of a command, as JSON with --json, and sets the exit code.
export function print(run: Run, options: Options, { data, text, exitCode }: Answer): void {
  const output = options.json ? JSON.stringify(data, bigintAsNumber, 2) : text
  if (output !== '') run.terminal.out(`${output}\n`)
  if (exitCode !== undefined) run.exitCode = exitCode
}

// JSON has no bigint. A value that a number cannot hold exactly becomes text.
function bigintAsNumber(_: string, value: unknown): unknown {
  if (typeof value !== 'bigint') return value
  return value <= Number.MAX_SAFE_INTEGER ? Number(value) : value.toString()
}

// Runs a change with an idempotency key. If the change is interrupted before its answer, the user sees the
// key and can repeat the command with it, so that nothing is done twice.
export async function keyed<T>(context: Context, work: (key: string) => Promise<T>): Promise<T> {
  const key = context.options.idempotencyKey ?? crypto.randomUUID()
  try {
    return await work(key)
  } catch (error) {
    if (!context.run.mayHaveWritten) throw error
    // The key comes last, so that copying it copies no punctuation.
    const advice = `Run it again with this, and nothing is done twice: --idempotency-key ${key}`
    throw new Unfinished(error, `Part of it may have been done. ${advice}`)
  }
}

export const KEY_OPTION = [
  '--idempotency-key <key>',
  'Repeat an earlier call safely. Default: a new key.',
] as const

type Filter = Record<string, unknown>
type CallOptions = { signal: AbortSignal }
type Listing<Item> = {
  columns: readonly Column<Item>[]
  read: (filter: never, callOptions: CallOptions) => AsyncIterable<Item>
}

// Returns the answer of a `list` command: the first items of a list, read page by page, as a table.
export async function listAnswer<Item>(
  { terminal, options }: Context,
  filter: Filter,
  { columns, read }: Listing<Item>,
): Promise<Answer> {
  const limit = options.limit as number
  const query = { ...filter, limit: Math.min(limit, PAGE_MAX) } as never
  const items = await readItems(terminal, read(query, { signal: terminal.interrupted }), limit)
  return { data: items, text: table(terminal, columns, items) }
}

// Reads items, page after page, until the limit is reached.
async function readItems<Item>(
  terminal: Terminal,
  source: AsyncIterable<Item>,
  limit: number,
): Promise<Item[]> {
  using progress = showProgress(terminal)
  const items: Item[] = []
  for await (const item of source) {
    items.push(item)
    if (items.length >= limit) break
    if (items.length % 100 === 0) progress.show(`${items.length} read …`)
  }
  return items
}
