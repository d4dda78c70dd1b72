// VAT of a month: output VAT charged with fees minus refunds, by client; input VAT charged by
// banks, by bank; and the difference, payable to the tax authority. All figures are movements of
// the ledger's VAT, fee and bank cost accounts in that month.

import type { Queryable } from '#db/pool.ts'
import { type Kobo, kobo } from '#money.ts'
import type { JournalLine, Period } from './journal-lines.ts'
import { readPeriodLines } from './period-lines.ts'

export type OutputVat = {
  clientCode: string | null
  currency: string
  feesKobo: Kobo // Charged minus refunded.
  chargedKobo: Kobo
  givenBackKobo: Kobo
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

// Call in one snapshot.
export async function readVatReport(db: Queryable, period: Period): Promise<VatReport> {
  const lines = await readPeriodLines(db, period, KINDS)
  const output = groupBy(lines, ['fee_income', 'vat_payable'], 'clientCode').map(
    ({ currency, owner, lines: own }) => {
      const [fees, vat] = [sum(own, 'fee_income'), sum(own, 'vat_payable')]
      return {
        clientCode: owner,
        currency,
        feesKobo: kobo(fees.credits - fees.debits),
        chargedKobo: kobo(vat.credits),
        givenBackKobo: kobo(vat.debits),
        vatKobo: kobo(vat.credits - vat.debits),
      }
    },
  )
  const input = groupBy(lines, ['bank_cost', 'input_vat'], 'bankCode').map(
    ({ currency, owner, lines: own }) => {
      const [costs, vat] = [sum(own, 'bank_cost'), sum(own, 'input_vat')]
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

type Group = { currency: string; owner: string | null; lines: JournalLine[] }

function groupBy(
  lines: readonly JournalLine[],
  kinds: readonly string[],
  by: 'clientCode' | 'bankCode',
): Group[] {
  const groups = new Map<string, Group>()
  for (const line of lines) {
    if (!kinds.includes(line.kind)) continue
    const [currency, owner] = [line.currency, line[by]]
    const key = `${currency}\u0000${owner ?? ''}`
    const group = groups.get(key) ?? { currency, owner, lines: [] }
    group.lines.push(line)
    groups.set(key, group)
  }
  return [...groups].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group)
}

function sum(lines: readonly JournalLine[], kind: string) {
  const own = lines.filter((line) => line.kind === kind)
  return {
    debits: own.reduce((total, { debitKobo }) => total + debitKobo, 0n),
    credits: own.reduce((total, { creditKobo }) => total + creditKobo, 0n),
  }
}

function totalsOf(output: readonly OutputVat[], input: readonly InputVat[]): VatTotal[] {
  const currencies = [...output, ...input].map(({ currency }) => currency)
  return [...new Set(currencies)].sort().map((currency) => {
    const add = (rows: readonly { currency: string; vatKobo: Kobo }[]) =>
      rows.reduce((total, row) => (row.currency === currency ? total + row.vatKobo : total), 0n)
    const [outputKobo, inputKobo] = [add(output), add(input)]
    return {
      currency,
      outputKobo: kobo(outputKobo),
      inputKobo: kobo(inputKobo),
      payableKobo: kobo(outputKobo - inputKobo),
    }
  })
}
