// The journal of a day: its lines by account code, in a stable order. A closed day uses the lines
// and the chart stored with it, so no later configuration changes it (I68). An open day uses the
// transfers so far.

import type { Chart, ChartEntry } from '#config/chart-settings.ts'
import type { Queryable } from '#db/pool.ts'
import { type Kobo, kobo } from '#money.ts'
import { type ClosedDay, periodOf } from './closed-days.ts'
import {
  addUpLines,
  type CurrencyTotal,
  countTransfers,
  type JournalLine,
  readClosedLines,
  totalsOf,
} from './journal-lines.ts'

// Either a debit or a credit: movements both ways make two entries.
export type JournalEntry = {
  code: string
  name: string
  clientCode: string | null
  bankCode: string | null
  currency: string
  reason: string
  debitKobo: Kobo
  creditKobo: Kobo
}

export type Journal = {
  day: string
  closed: ClosedDay | undefined
  chart: Chart
  transfers: bigint
  entries: JournalEntry[]
  totals: CurrencyTotal[]
}

// Call in one snapshot. `chart` applies to an open day only.
export async function readJournal(
  db: Queryable,
  query: { day: string; closed: ClosedDay | undefined; chart: Chart },
): Promise<Journal> {
  const { day, closed } = query
  const isComplete = closed?.transfers != null
  const period = periodOf(day)
  const chart = closed?.chart ?? query.chart
  const lines = isComplete
    ? await readClosedLines(db, { first: day, last: day })
    : await addUpLines(db, period)
  const transfers = closed?.transfers ?? (await countTransfers(db, period))
  return {
    day,
    closed,
    chart,
    transfers,
    entries: toEntries(lines, chart),
    totals: totalsOf(lines),
  }
}

// A kind that is newer than the stored chart appears under its own name.
export function accountOf(chart: Chart, kind: string): ChartEntry {
  return chart[kind] ?? { code: kind, name: kind }
}

// Sorted by currency, code, owner and reason, debits first. Kinds with the same code are one account.
function toEntries(lines: readonly JournalLine[], chart: Chart): JournalEntry[] {
  const merged = new Map<string, JournalEntry>()
  for (const line of lines) {
    const { code, name } = accountOf(chart, line.kind)
    const { clientCode, bankCode, currency, reason } = line
    for (const side of ['debitKobo', 'creditKobo'] as const) {
      if (line[side] === 0n) continue
      const owner = `${clientCode ?? ''}\u0000${bankCode ?? ''}`
      const isCredit = side === 'creditKobo' ? 1 : 0
      const key = [currency, code, owner, reason, isCredit].join('\u0000')
      const entry = merged.get(key) ?? {
        ...{ code, name, clientCode, bankCode, currency, reason },
        ...{ debitKobo: kobo(0n), creditKobo: kobo(0n) },
      }
      entry[side] = kobo(entry[side] + line[side])
      merged.set(key, entry)
    }
  }
  return [...merged].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, entry]) => entry)
}
