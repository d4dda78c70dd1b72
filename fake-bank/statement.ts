// The bank's statement of Manilla's one account at this bank: amounts after charges, as banks book them,
// with a running balance.

import { type Kobo, kobo } from '#money.ts'

export type StatementLine = {
  at: Date
  kind: 'transfer' | 'payout'
  reference: string // The bank's own reference.
  amountKobo: Kobo // Negative for money paid out.
  balanceKobo: Kobo
  narration: string
}

export class Statement {
  readonly #openingKobo: Kobo
  readonly #lines: StatementLine[] = []

  constructor(openingKobo: Kobo) {
    this.#openingKobo = openingKobo
  }

  get balanceKobo(): Kobo {
    return this.#lines.at(-1)?.balanceKobo ?? this.#openingKobo
  }

  add(line: Omit<StatementLine, 'balanceKobo'>): void {
    this.#lines.push({ ...line, balanceKobo: kobo(this.balanceKobo + line.amountKobo) })
  }

  clear(): void {
    this.#lines.length = 0
  }

  // Returns the lines from `from` (included) to `to` (excluded).
  between(from: Date | undefined, to: Date | undefined) {
    const isBefore = (line: StatementLine) => from !== undefined && line.at < from
    const isAfter = (line: StatementLine) => to !== undefined && line.at >= to
    const before = this.#lines.filter(isBefore)
    const lines = this.#lines.filter((line) => !isBefore(line) && !isAfter(line))
    const openingKobo = before.at(-1)?.balanceKobo ?? this.#openingKobo
    return { openingKobo, lines, closingKobo: lines.at(-1)?.balanceKobo ?? openingKobo }
  }
}
