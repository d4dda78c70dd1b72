// VAT and stamp duty of a month, and the fees of a client, computed from journal lines.

import { watDay } from '#clock.ts'
import type { Queryable } from '#db/pool.ts'
import type { ClientId } from '#ids.ts'
import { CURRENCY, type Kobo, kobo } from '#money.ts'
import { addUpLines, type JournalLine, type Period, readClosedLines } from './journal.ts'
import { rateSegments, type TaxRate } from './tax-rates.ts'

// Returns the journal lines of several days: the stored lines of closed days, and those of open days computed
// now. Call in a repeatable-read transaction. The period begins and ends at midnight in West Africa.
async function readPeriodLines(
  db: Queryable,
  { from, to }: Period,
  kinds: readonly string[],
): Promise<JournalLine[]> {
  const series = await findClosedSeries(db)
  // The part of the period for which lines are stored. Empty if no closed day is in the period.
  const [begin, end] = series
    ? [later(series.beginsAt, from), earlier(series.endsAt, to)]
    : [to, to]
  if (begin >= end) return addUpLines(db, { from, to }, kinds)
  const days = { first: watDay(begin), last: watDay(new Date(end.getTime() - 1)) }
  const lines = await readClosedLines(db, days, kinds)
  if (from < begin) lines.push(...(await addUpLines(db, { from, to: begin }, kinds)))
  if (end < to) lines.push(...(await addUpLines(db, { from: end, to }, kinds)))
  return lines
}

const later = (one: Date, other: Date) => (one > other ? one : other)
const earlier = (one: Date, other: Date) => (one < other ? one : other)

// Returns the period that the closed days cover. There are no gaps between them.
async function findClosedSeries(
  db: Queryable,
): Promise<{ beginsAt: Date; endsAt: Date } | undefined> {
  const { rows } = await db.query<{ beginsAt: Date | null; endsAt: Date | null }>({
    name: 'find-closed-series',
    text: `select min(ends_at) - interval '1 day' as begins_at, max(ends_at) as ends_at
             from closed_days where completed_at is not null`,
  })
  const { beginsAt, endsAt } = rows[0] ?? {}
  return beginsAt && endsAt ? { beginsAt, endsAt } : undefined
}

// VAT of a month: output VAT charged with fees minus refunds, by client; input VAT charged by
// banks, by bank; and the difference, payable to the tax authority. All figures are movements of
// the ledger's VAT, fee and bank cost accounts in that month.

export type OutputVat = {
  clientId: ClientId | null
  clientCode: string | null
  currency: string
  feesKobo: Kobo // Charged minus refunded.
  feesChargedKobo: Kobo
  feesGivenBackKobo: Kobo
  chargedKobo: Kobo // The VAT on feesChargedKobo.
  givenBackKobo: Kobo // The VAT on feesGivenBackKobo.
  vatKobo: Kobo // Charged minus refunded.
}

export type InputVat = { bankCode: string | null; currency: string; costsKobo: Kobo; vatKobo: Kobo }

export type VatTotal = {
  currency: string
  outputKobo: Kobo
  inputKobo: Kobo
  payableKobo: Kobo // Negative if it can be reclaimed.
}

export type VatReport = { output: OutputVat[]; input: InputVat[]; totals: VatTotal[] }

const KINDS = ['fee_income', 'vat_payable', 'bank_cost', 'input_vat']

// Adds up the VAT of a period: charged to clients (output), charged by banks (input), and payable. Call in a
// repeatable-read transaction.
export async function readVatReport(db: Queryable, period: Period): Promise<VatReport> {
  const lines = await readPeriodLines(db, period, KINDS)
  const output = groupBy(lines, ['fee_income', 'vat_payable'], 'clientCode').map(
    ({ currency, owner, lines: selected }) => {
      const [fees, vat] = [sumOfKind(selected, 'fee_income'), sumOfKind(selected, 'vat_payable')]
      return {
        clientId: selected[0]?.clientId ?? null,
        clientCode: owner,
        currency,
        feesChargedKobo: kobo(fees.credits),
        feesGivenBackKobo: kobo(fees.debits),
        feesKobo: kobo(fees.credits - fees.debits),
        chargedKobo: kobo(vat.credits),
        givenBackKobo: kobo(vat.debits),
        vatKobo: kobo(vat.credits - vat.debits),
      }
    },
  )
  const input = groupBy(lines, ['bank_cost', 'input_vat'], 'bankCode').map(
    ({ currency, owner, lines: selected }) => {
      const [costs, vat] = [sumOfKind(selected, 'bank_cost'), sumOfKind(selected, 'input_vat')]
      return {
        bankCode: owner,
        currency,
        costsKobo: kobo(costs.debits - costs.credits),
        vatKobo: kobo(vat.debits - vat.credits),
      }
    },
  )
  return { output, input, totals: totalsOf(output, input) }
}

// Returns a client's fees in a period of whole days: charged minus credited back. Call in a repeatable-read
// transaction.
export async function readFees(
  db: Queryable,
  period: Period,
  { clientId, currency }: { clientId: ClientId; currency: string },
): Promise<bigint> {
  const lines = await readPeriodLines(db, period, ['fee_income'])
  const selected = lines.filter((line) => line.clientId === clientId && line.currency === currency)
  const { credits, debits } = sumOfKind(selected, 'fee_income')
  return credits - debits
}

// Stamp duty of a month by bank: the duty that banks charged, as booked on the stamp duty accounts, and the
// duty expected on naira by the rates in force. The rate decides whether recipients bear it on credits, or
// senders on payouts. Exempt transfers are not known, so the two amounts may differ.

export type StampDuty = {
  bankCode: string
  currency: string
  chargedKobo: Kobo
  givenBackKobo: Kobo
  dutyKobo: Kobo // Charged minus credited back.
  transfers: bigint // The number of transfers that reach the threshold.
  expectedKobo: Kobo
}

// Returns the stamp duty of a period by bank: the duty that the bank charged, and the duty expected by the
// rates in force. Call in a repeatable-read transaction.
export async function readStampDuty(db: Queryable, period: Period): Promise<StampDuty[]> {
  const lines = await readPeriodLines(db, period, ['stamp_duty'])
  const rows = new Map<string, StampDuty>()
  // Finds the report's row for a bank and currency, or adds an empty one.
  const rowOf = (bankCode: string, currency: string) => {
    const row = rows.get(`${currency} ${bankCode}`) ?? {
      bankCode,
      currency,
      chargedKobo: kobo(0n),
      givenBackKobo: kobo(0n),
      dutyKobo: kobo(0n),
      transfers: 0n,
      expectedKobo: kobo(0n),
    }
    rows.set(`${currency} ${bankCode}`, row)
    return row
  }
  // First the duty that the banks charged, then the duty expected by each rate in force.
  for (const { currency, owner, lines: selected } of groupBy(lines, ['stamp_duty'], 'bankCode')) {
    const { debits, credits } = sumOfKind(selected, 'stamp_duty')
    const booked = { chargedKobo: kobo(debits), givenBackKobo: kobo(credits) }
    Object.assign(rowOf(owner ?? '', currency), { ...booked, dutyKobo: kobo(debits - credits) })
  }
  const segments = await rateSegments(db, { tax: 'stamp_duty', clientId: null, period })
  for (const { from, to, rate } of segments) {
    if (!rate) continue
    const amountKobo = rate.amountKobo ?? 0n
    for (const { bankCode, transfers } of await countDutiable(db, { from, to }, rate)) {
      const row = rowOf(bankCode, CURRENCY)
      row.transfers += transfers
      row.expectedKobo = kobo(row.expectedKobo + transfers * amountKobo)
    }
  }
  return [...rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)
}

// SQL queries: the transfers that bear stamp duty, if their recipients (of credits) or senders (of payouts)
// bear it.
const DUTIABLE = {
  recipient: `select bank_code, count(*) as transfers from credits
               where received_at >= $1 and received_at < $2 and currency = $3 and amount_kobo >= $4
               group by 1`,
  sender: `select bank_code, count(*) as transfers from payouts
            where settled_at >= $1 and settled_at < $2 and currency = $3 and amount_kobo >= $4
              and status = 'confirmed' group by 1`,
}

// Counts the transfers of a period on which stamp duty is due, by bank: credits if the recipient bears it,
// confirmed payouts if the sender does, each of the threshold or more. The threshold is in naira, so
// transfers in other currencies are not counted.
async function countDutiable(
  db: Queryable,
  { from, to }: Period,
  { bearer, thresholdKobo }: TaxRate,
): Promise<{ bankCode: string; transfers: bigint }[]> {
  if (!bearer) return []
  const { rows } = await db.query<{ bankCode: string; transfers: bigint }>({
    name: `count-dutiable-of-${bearer}`,
    text: DUTIABLE[bearer],
    values: [from, to, CURRENCY, thresholdKobo],
  })
  return rows
}

type Group = { currency: string; owner: string | null; lines: JournalLine[] }

// Groups the lines of these kinds of accounts by currency and owner (a client or a bank), in the order of
// both.
function groupBy(
  lines: readonly JournalLine[],
  kinds: readonly string[],
  ownerField: 'clientCode' | 'bankCode',
): Group[] {
  const groups = new Map<string, Group>()
  for (const line of lines) {
    if (!kinds.includes(line.kind)) continue
    const [currency, owner] = [line.currency, line[ownerField]]
    const key = `${currency}\u0000${owner ?? ''}`
    const group = groups.get(key) ?? { currency, owner, lines: [] }
    group.lines.push(line)
    groups.set(key, group)
  }
  return [...groups].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group)
}

function sumOfKind(lines: readonly JournalLine[], kind: string) {
  const selected = lines.filter((line) => line.kind === kind)
  return {
    debits: selected.reduce((total, { debitKobo }) => total + debitKobo, 0n),
    credits: selected.reduce((total, { creditKobo }) => total + creditKobo, 0n),
  }
}

// Adds up the report by currency.
function totalsOf(output: readonly OutputVat[], input: readonly InputVat[]): VatTotal[] {
  const currencies = [...output, ...input].map(({ currency }) => currency)
  return [...new Set(currencies)].sort().map((currency) => {
    const sumVat = (rows: readonly { currency: string; vatKobo: Kobo }[]) =>
      rows.reduce((total, row) => (row.currency === currency ? total + row.vatKobo : total), 0n)
    const [outputKobo, inputKobo] = [sumVat(output), sumVat(input)]
    return {
      currency,
      outputKobo: kobo(outputKobo),
      inputKobo: kobo(inputKobo),
      payableKobo: kobo(outputKobo - inputKobo),
    }
  })
}
