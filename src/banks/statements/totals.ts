// Adds a statement up: its opening balance and its lines make its closing balance, to the kobo.

import { formatKobo, type Kobo, kobo } from '#money.ts'
import { StatementProblem } from './statement.ts'

export function checkSum({
  openingKobo,
  sumKobo,
  closingKobo,
  line,
}: {
  openingKobo: Kobo
  sumKobo: Kobo
  closingKobo: Kobo
  line: number | null // Where the closing balance stands.
}): void {
  const expected = kobo(openingKobo + sumKobo)
  if (expected === closingKobo) return
  throw new StatementProblem(
    line,
    `The statement does not add up: opening ${formatKobo(openingKobo)} and its lines ` +
      `${formatKobo(sumKobo)} make ${formatKobo(expected)}, and its closing balance is ` +
      `${formatKobo(closingKobo)}: a difference of ${formatKobo(kobo(closingKobo - expected))}.`,
  )
}
