// What every command is given, and how its answer is printed: a table or details for people, the
// data itself with --json. Nothing is printed before a command has all of its answer.

import type { Command } from 'commander'
import { Manilla } from '../sdk/src/sdk.ts'
import { chooseUrl, findCredentials, type Source } from './credentials.ts'
import { type ExitCode, reasonOf, Unfinished } from './problems.ts'
import type { Terminal } from './terminal.ts'

// Two more attempts: a moment's outage is bridged, and a service that is down is told of soon.
const RETRIES = 2

export type Options = { url?: string; json?: boolean; idempotencyKey?: string } & Record<
  string,
  unknown
>
export type Answer = { data: unknown; text: string; exitCode?: ExitCode }
export type Service = {
  manilla: Manilla
  url: string
  clientId: string
  source: Source
}

// One run of the command line.
export class Run {
  readonly terminal: Terminal
  url: string | undefined // The service it speaks to, once it does.
  mayHaveWritten = false // A request that changes something may have arrived.
  exitCode: ExitCode = 0

  constructor(terminal: Terminal) {
    this.terminal = terminal
  }

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

// The action of a command that speaks to the service.
export function answering(run: Run, work: Work) {
  return async (...given: unknown[]): Promise<void> => {
    const command = given.at(-1) as Command
    const options = command.optsWithGlobals<Options>()
    const { terminal } = run
    const words = given.slice(0, -2) as string[]
    const context = { ...run.connect(options), run, terminal, options }
    print(run, options, await work(context, ...words))
  }
}

export function print(run: Run, options: Options, { data, text, exitCode }: Answer): void {
  const shown = options.json ? JSON.stringify(data, null, 2) : text
  if (shown !== '') run.terminal.out(`${shown}\n`)
  if (exitCode !== undefined) run.exitCode = exitCode
}

// What changes something has a key. Whoever is cut off before the answer learns it, and repeats the
// command with it: the service then does nothing twice.
export async function keyed<T>(context: Context, work: (key: string) => Promise<T>): Promise<T> {
  const key = context.options.idempotencyKey ?? crypto.randomUUID()
  try {
    return await work(key)
  } catch (error) {
    if (!context.run.mayHaveWritten) throw error
    // The key is last: whoever copies it gets no punctuation with it.
    const advice = `Run it again with this, and nothing is done twice: --idempotency-key ${key}`
    throw new Unfinished(error, `Part of it may have been done. ${advice}`)
  }
}

export const KEY_OPTION = [
  '--idempotency-key <key>',
  'Repeat an earlier call safely. Default: a new key.',
] as const
