// The fields of MT940 that move money: balances (:60: :62:) and statement lines (:61:).
//
//   balance  1!a 6!n 3!a 15d             C261101NGN1000,00
//   line     6!n [4!n] 2a [1!a] 15d 1!a 3!c 16x [//16x], and [34x] on a line of its own
//
// RC takes a credit back and is a debit; RD takes a debit back and is a credit. The letter after it
// is the currency's third. The entry date has no year: it is the one nearest to the value date.

import { type Kobo, kobo } from '#money.ts'
import type { Mt940Field } from './mt940-lines.ts'
import { StatementProblem } from './statement.ts'
import { dayOf, fullYear, valueDayOf } from './written-dates.ts'

export type Balance = { amountKobo: Kobo; currency: string; day: string; line: number }
export type Entry = {
  valueOn: string
  bookedOn: string
  amountKobo: Kobo
  isReversal: boolean
  type: string // As NTRF, or S202.
  ownReference: string
  bankReference: string
  more: string // The supplementary line.
  line: number
}

const BALANCE = /^([CD])([0-9]{6})([A-Z]{3})([0-9]+(?:,[0-9]*)?)$/
const ENTRY =
  /^([0-9]{6})([0-9]{4}| {4})?(RC|RD|C|D)([A-Z])?([0-9]+(?:,[0-9]*)?) *([A-Z][A-Z0-9 ]{3})(.*)$/
const AMOUNT = /^0*([0-9]{1,16})(?:,([0-9]{0,2})0*)?$/

export function readBalance({ tag, lines, line }: Mt940Field): Balance {
  const match = BALANCE.exec((lines[0] as string).trim())
  const amount = match && readAmount(match[4] as string)
  const day = match && readDay(match[2] as string)
  if (!match || amount === undefined || amount === null || !day) {
    throw new StatementProblem(line, `The balance in :${tag}: cannot be read.`)
  }
  const amountKobo = match[1] === 'D' ? kobo(-amount) : amount
  return { amountKobo, currency: match[3] as string, day, line }
}

export function readEntry({ lines, line }: Mt940Field): Entry {
  const match = ENTRY.exec(lines[0] as string)
  if (!match) throw new StatementProblem(line, 'The statement line in :61: cannot be read.')
  const [, value = '', entry = '', mark = '', , amountText = '', type = '', references = ''] = match
  const amount = readAmount(amountText)
  if (amount === undefined) {
    throw new StatementProblem(line, `The amount "${amountText.slice(0, 40)}" cannot be read.`)
  }
  const valueOn = readDay(value, valueDayOf)
  const bookedOn = valueOn && (entry.trim() === '' ? valueOn : entryDay(entry, valueOn))
  if (!valueOn || !bookedOn) throw new StatementProblem(line, 'The date in :61: is not a day.')
  const [ownReference = '', ...rest] = references.split('//')
  return {
    valueOn,
    bookedOn,
    amountKobo: mark === 'C' || mark === 'RD' ? amount : kobo(-amount),
    isReversal: mark.startsWith('R'),
    type: type.trim(),
    ownReference: ownReference.trim(),
    bankReference: rest.join('//').trim(),
    more: lines.slice(1).join(' ').trim(),
    line,
  }
}

// "9,", "0,5" and "1000,00"; at most two decimals that mean something.
function readAmount(text: string): Kobo | undefined {
  const match = AMOUNT.exec(text)
  return match ? kobo(BigInt(`${match[1]}${(match[2] ?? '').padEnd(2, '0')}`)) : undefined
}

function readDay(text: string, toDay = dayOf): string | undefined {
  return toDay(fullYear(text.slice(0, 2)), Number(text.slice(2, 4)), Number(text.slice(4, 6)))
}

function entryDay(text: string, valueOn: string): string | undefined {
  const [month, day] = [Number(text.slice(0, 2)), Number(text.slice(2, 4))]
  const year = Number(valueOn.slice(0, 4))
  const days = [year, year - 1, year + 1].flatMap((each) => dayOf(each, month, day) ?? [])
  const distance = (each: string) => Math.abs(Date.parse(each) - Date.parse(valueOn))
  return days.sort((one, other) => distance(one) - distance(other))[0]
}
