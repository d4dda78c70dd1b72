// Reports the progress of an import about every second while its process lives, and its failure. A failed
// report does not fail the import.

import { StatementProblem } from '#banks/statements/statement.ts'
import type { Clock } from '#clock.ts'
import type { Queryable } from '#db/pool.ts'
import { Refusal } from '#errors.ts'
import { failImport, reportProgress } from './statement-imports.ts'

const REPORT_EVERY_MS = 1_000
const INTERRUPTED =
  'The import was interrupted, and nothing of it is stored. Import the file again.'

type Options = {
  db: Queryable
  clock: Clock
  id: bigint
  onProgress: ((lines: number) => void) | undefined
}

export class ImportProgress {
  readonly #options: Options
  #count: () => number = () => 0
  #timer: NodeJS.Timeout | undefined
  #reporting: Promise<void> = Promise.resolve()
  state: 'reading' | 'matching' = 'reading'

  constructor(options: Options) {
    this.#options = options
  }

  start(count: () => number): void {
    this.#count = count
    this.#timer = setInterval(() => this.#report(), REPORT_EVERY_MS)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async fail(error: unknown): Promise<void> {
    this.stop()
    await this.#reporting
    const { db, clock, id } = this.#options
    const line = error instanceof StatementProblem ? error.line : null
    const hasMessage = error instanceof StatementProblem || error instanceof Refusal
    const message = hasMessage ? error.message : INTERRUPTED
    await failImport(db, clock(), { id, lines: this.#count(), line, message }).catch(() => {})
  }

  #report(): void {
    const { db, clock, id, onProgress } = this.#options
    const lines = this.#count()
    onProgress?.(lines)
    const { state } = this
    this.#reporting = this.#reporting.then(() =>
      reportProgress(db, clock(), { id, lines, state }).catch(() => {}),
    )
  }
}
