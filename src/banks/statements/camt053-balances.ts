// The balances of a camt.053 statement: opening (OPBD, else PRCD) and closing (CLBD), and the
// interim ones (ITBD, or of subtype INTM) with which pages begin and end.

import { moneyOf } from '#banks/iso20022/camt054/amounts.ts'
import { textOf, type XmlElement } from '#banks/iso20022/xml.ts'
import { formatKobo, type Kobo, kobo, parseKobo } from '#money.ts'
import { dayIn } from './camt053-dates.ts'
import { StatementProblem } from './statement.ts'

export type Camt053Balance = {
  type: string
  isInterim: boolean
  amountKobo: Kobo
  currency: string
  day: string | null
  line: number
}

// Undefined for balances that do not count what is booked: available, forward, information.
export function readBalance(element: XmlElement, line: number): Camt053Balance | undefined {
  const type = textOf(element, 'Tp', 'CdOrPrtry', 'Cd') ?? ''
  if (!/^(?:OPBD|PRCD|CLBD|ITBD)$/.test(type)) return undefined
  const money = moneyOf(element)
  const amount = parseKobo(money?.amount ?? '')
  const direction = textOf(element, 'CdtDbtInd')
  if (amount === undefined || !money?.currency || !/^(?:CRDT|DBIT)$/.test(direction ?? '')) {
    throw new StatementProblem(line, `The balance ${type} cannot be read.`)
  }
  return {
    type,
    isInterim: type === 'ITBD' || textOf(element, 'Tp', 'SubTp', 'Cd') === 'INTM',
    amountKobo: direction === 'DBIT' ? kobo(-amount) : amount,
    currency: money.currency,
    day: dayIn(element, 'Dt') ?? null,
    line,
  }
}

export function openingOf(
  balances: readonly Camt053Balance[],
  currency: string | undefined,
): Camt053Balance | undefined {
  const all = ofCurrency(balances, currency)
  return only(all, 'OPBD') ?? only(all, 'PRCD') ?? all.find(({ type }) => type === 'ITBD')
}

export function closingOf(
  balances: readonly Camt053Balance[],
  currency: string | undefined,
): Camt053Balance | undefined {
  const all = ofCurrency(balances, currency)
  const closing = only(all, 'CLBD')
  if (closing) return closing
  const interim = all.filter(({ type }) => type === 'ITBD')
  const hasOpening = balances.some(({ type }) => type === 'OPBD' || type === 'PRCD')
  return hasOpening || interim.length > 1 ? interim.at(-1) : undefined
}

function ofCurrency(balances: readonly Camt053Balance[], currency: string | undefined) {
  return balances.filter((balance) => currency === undefined || balance.currency === currency)
}

// The statement's own before a page's. One that is given twice must be the same: nobody can say
// which one is meant.
function only(balances: readonly Camt053Balance[], type: string): Camt053Balance | undefined {
  const given = balances.filter((balance) => balance.type === type)
  const own = given.filter(({ isInterim }) => !isInterim)
  const [first, ...others] = own.length > 0 ? own : given
  const other = others.find(({ amountKobo }) => amountKobo !== first?.amountKobo)
  if (!first || !other) return first
  const amounts = `${formatKobo(first.amountKobo)} and ${formatKobo(other.amountKobo)}`
  throw new StatementProblem(other.line, `The balance ${type} is given as ${amounts}.`)
}
