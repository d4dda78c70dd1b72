// One row of a CSV statement becomes a line. A row with a date and an amount is a line, whatever its
// narration says: the payer wrote that, and must not be able to hide a line.

import { type Kobo, kobo } from '#money.ts'
import type { Places } from './csv-header.ts'
import type { Column, CsvProfile } from './csv-profile.ts'
import type { CsvRow } from './csv-rows.ts'
import { amountReader } from './decimal-amounts.ts'
import { kindOf } from './line-kinds.ts'
import {
  cleanReference,
  cleanSessionId,
  cleanText,
  findSessionId,
  NARRATION_MAX,
  REFERENCE_MAX,
} from './line-texts.ts'
import { type StatementLine, StatementProblem } from './statement.ts'
import { dayReader, valueDayOf } from './written-dates.ts'

export type CsvLine = { line: StatementLine | undefined; balanceKobo: Kobo | undefined }
type Cell = (column: Column) => string
type Place = Pick<StatementLine, 'lineNo' | 'bookedOn' | 'valueOn' | 'amountKobo' | 'currency'>
type Amount = { amountKobo: Kobo } | { problem: string }

export class CsvLines {
  readonly #profile: CsvProfile
  readonly #places: Places
  readonly #readDay: (text: string) => string | undefined
  readonly #readValueDay: (text: string) => string | undefined
  readonly #readAmount: (text: string) => Kobo | undefined

  constructor(profile: CsvProfile, places: Places) {
    this.#profile = profile
    this.#places = places
    this.#readDay = dayReader(profile.dateFormats)
    this.#readValueDay = dayReader(profile.dateFormats, valueDayOf)
    this.#readAmount = amountReader(profile)
  }

  // A line; or, of zero, only its balance; or why it is neither.
  read(row: CsvRow, currency: string): CsvLine | { problem: string } {
    const cell: Cell = (column) => {
      const place = this.#places[column]
      return place === undefined ? '' : (row.cells[place]?.trim() ?? '')
    }
    const booked = cell('booked')
    const bookedOn = this.#readDay(booked)
    if (bookedOn === undefined) return { problem: this.#noDay(booked) }
    const amount = this.#amountOf(cell)
    if ('problem' in amount) return amount
    const balanceKobo = this.#balanceOf(cell, row.line)
    if (amount.amountKobo === 0n) return { line: undefined, balanceKobo }
    const valueOn = this.#valueDay(cell('value'), row.line)
    const { amountKobo } = amount
    const place = { lineNo: row.line, bookedOn, valueOn, amountKobo, currency }
    return { line: this.#lineOf(cell, place), balanceKobo }
  }

  readDay(text: string): string | undefined {
    return this.#readDay(text)
  }

  readAmount(text: string): Kobo | undefined {
    return this.#readAmount(text)
  }

  #noDay(text: string): string {
    if (text === '') return 'The line has no date.'
    const formats = this.#profile.dateFormats.join(' or ')
    return `The date ${quoted(text)} is not a day in the format ${formats}.`
  }

  #valueDay(text: string, line: number): string | null {
    if (text === '') return null
    const day = this.#readValueDay(text)
    if (day === undefined) throw new StatementProblem(line, this.#noDay(text))
    return day
  }

  #amountOf(cell: Cell): Amount {
    return this.#places.amount === undefined ? this.#debitOrCredit(cell) : this.#oneAmount(cell)
  }

  #oneAmount(cell: Cell): Amount {
    const text = cell('amount')
    const given = this.#readAmount(text)
    if (given === undefined) return { problem: unreadable(text) }
    const { indicators, sign } = this.#profile
    if (this.#places.indicator === undefined) {
      return { amountKobo: sign === 'debit_positive' ? kobo(-given) : given }
    }
    const indicator = cell('indicator').toUpperCase()
    const isCredit = indicators.credit.includes(indicator)
    if (!isCredit && !indicators.debit.includes(indicator)) {
      return { problem: `${quoted(indicator)} says neither debit nor credit.` }
    }
    // Some write the sign as well; a credit below zero would say two things.
    if (isCredit && given < 0n) return { problem: `The credit ${quoted(text)} is below zero.` }
    return { amountKobo: isCredit || given < 0n ? given : kobo(-given) }
  }

  #debitOrCredit(cell: Cell): Amount {
    const [debitText, creditText] = [cell('debit'), cell('credit')]
    if (isNone(debitText) && isNone(creditText)) return { problem: 'The line has no amount.' }
    const debit = isNone(debitText) ? kobo(0n) : this.#readAmount(debitText)
    const credit = isNone(creditText) ? kobo(0n) : this.#readAmount(creditText)
    if (debit === undefined) return { problem: unreadable(debitText) }
    if (credit === undefined) return { problem: unreadable(creditText) }
    if (debit !== 0n && credit !== 0n) return { problem: 'The line is both a debit and a credit.' }
    const debited = this.#profile.isDebitNegative ? kobo(-debit) : debit
    if (debited < 0n || credit < 0n) {
      return { problem: `The amount ${quoted(debited < 0n ? debitText : creditText)} has a sign.` }
    }
    return { amountKobo: kobo(credit - debited) }
  }

  #balanceOf(cell: Cell, line: number): Kobo | undefined {
    if (this.#profile.balances !== 'running') return undefined
    const text = cell('balance')
    const balance = this.#readAmount(text)
    if (balance === undefined) {
      throw new StatementProblem(line, `The balance ${quoted(text)} cannot be read.`)
    }
    return balance
  }

  #lineOf(cell: Cell, { lineNo, bookedOn, valueOn, amountKobo, currency }: Place): StatementLine {
    const narration = cleanText(cell('narration'), NARRATION_MAX)
    const named = this.#namedIn(narration)
    const of = (column: Column) => cell(column) || named[column]
    const isReversal =
      narration !== null && this.#profile.reversals.some((pattern) => pattern.test(narration))
    const isCredit = amountKobo > 0n
    return {
      lineNo,
      bookedOn,
      valueOn,
      amountKobo,
      currency: cell('currency').toUpperCase() || currency,
      isReversal,
      kind: kindOf({ isCredit, isReversal, narration }, this.#profile.kinds),
      sessionId: cleanSessionId(of('sessionId')) ?? findSessionId(narration),
      bankReference: cleanReference(of('bankReference')),
      endToEndId: cleanReference(of('endToEndId')),
      accountNumber: cleanReference(of('accountNumber')),
      counterparty: {
        name: cleanText(of('counterpartyName'), REFERENCE_MAX),
        account: cleanReference(of('counterpartyAccount')),
        bank: cleanReference(of('counterpartyBank')),
      },
      narration,
    }
  }

  // The first pattern that names a field decides over it.
  #namedIn(narration: string | null): Readonly<Record<string, string | undefined>> {
    const named: Record<string, string | undefined> = {}
    if (narration === null) return named
    for (const pattern of this.#profile.narrationPatterns) {
      const groups = pattern.exec(narration)?.groups
      for (const field in groups) named[field] ??= groups[field]
    }
    return named
  }
}

// A dash is how spreadsheets print an empty amount.
function isNone(text: string): boolean {
  return text === '' || text === '-'
}

function unreadable(text: string): string {
  return text === '' ? 'The line has no amount.' : `The amount ${quoted(text)} cannot be read.`
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)
}
