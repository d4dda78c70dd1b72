// The last event that a handler received, stored in a file after each event. Listening again for
// the same client and handler continues after it.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { configFolder, writePrivately } from './credentials.ts'
import { CliProblem } from './problems.ts'
import type { Terminal } from './terminal.ts'

export type Listener = { url: string; clientId: string; forwardTo: string }

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
