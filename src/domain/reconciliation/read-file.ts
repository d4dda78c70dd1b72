// Reads the statements of a file while its lines are staged: balances, days, number of lines and their
// sum. Finds all faults of the file itself.

import {
  type StatementEnd,
  type StatementHead,
  type StatementLine,
  type StatementPart,
  StatementProblem,
} from '#banks/statements/statement.ts'
import { formatKobo, type Kobo, kobo } from '#money.ts'
import { KOBO_MAX, type StagedLines } from './staged-lines.ts'

export type ReadStatement = StatementHead & {
  no: number // In the file, from 1.
  closingKobo: Kobo | null
  fromDay: string
  toDay: string
  coversFrom: string | null // Null: from `fromDay` on.
  lines: number
  sumKobo: Kobo
}

type Open = StatementHead & {
  no: number
  lines: number
  sumKobo: bigint
  firstDay: string | null
  firstDayAfterOpening: string | null
  lastDay: string | null
}

const STATEMENTS_MAX = 5_000 // One statement per day for 13 years.
const CURRENCY = /^[A-Z]{3}$/
const REFERENCE_MAX = 140

type Reading = { parts: AsyncIterable<StatementPart>; staged: StagedLines }

export async function readFile({ parts, staged }: Reading): Promise<ReadStatement[]> {
  const statements: ReadStatement[] = []
  let open: Open | undefined
  for await (const part of parts) {
    if (part.part === 'lines') {
      if (!open) throw new Error('a line came before its statement')
      for (const line of part.lines) {
        const full = addLine(open, line, staged)
        if (full) await full
      }
    } else if (part.part === 'opening') {
      if (open) throw new Error('a statement came within another')
      open = begin(part.statement, statements.length + 1)
    } else {
      if (!open) throw new Error('a statement ended that had not begun')
      statements.push(end(open, part.closing, staged))
      open = undefined
    }
  }
  if (open) throw new StatementProblem(null, 'The file ends in the middle of a statement.')
  if (statements.length === 0) throw new StatementProblem(null, 'The file has no statement.')
  await staged.flush()
  return statements
}

function begin(head: StatementHead, no: number): Open {
  if (no > STATEMENTS_MAX) {
    throw new StatementProblem(null, `The file has more than ${STATEMENTS_MAX} statements.`)
  }
  if (!CURRENCY.test(head.currency)) {
    throw new StatementProblem(null, 'The currency must be a code of three letters.')
  }
  for (const text of [head.reference, head.accountNumber]) {
    if (text !== null && (text.length > REFERENCE_MAX || text.includes('\u0000'))) {
      throw new StatementProblem(null, 'The reference or account number is too long.')
    }
  }
  const days = { firstDay: null, firstDayAfterOpening: null, lastDay: null }
  return { ...head, no, lines: 0, sumKobo: 0n, ...days }
}

function addLine(open: Open, line: StatementLine, staged: StagedLines): Promise<void> | undefined {
  if (line.currency !== open.currency) {
    const message = `The line is in ${line.currency}, its statement in ${open.currency}.`
    throw new StatementProblem(line.lineNo, message)
  }
  open.lines += 1
  open.sumKobo += line.amountKobo
  const day = line.bookedOn
  if (open.firstDay === null || day < open.firstDay) open.firstDay = day
  if (open.lastDay === null || day > open.lastDay) open.lastDay = day
  if (open.openingDay && day > open.openingDay) {
    open.firstDayAfterOpening = earlier(open.firstDayAfterOpening, day)
  }
  return staged.add(open.no, line)
}

// The days of a statement are those that it names and those of its lines.
function end(open: Open, closing: StatementEnd, staged: StagedLines): ReadStatement {
  const { no, lines, firstDay, lastDay } = open
  const openingKobo = open.openingKobo ?? closing.openingKobo ?? null // Newest first: at the end.
  const sumKobo = kobo(open.sumKobo)
  const from = earlier(open.fromDay, firstDay) ?? earlier(closing.toDay, lastDay)
  const to = later(closing.toDay, lastDay) ?? from
  if (from === null || to === null) {
    throw new StatementProblem(null, `Statement ${no} has neither lines nor days.`)
  }
  staged.checkDay(from, null, 'that the statement begins')
  staged.checkDay(to, null, 'that the statement ends')
  if (from > to) throw new StatementProblem(null, `Statement ${no} ends before it begins.`)
  if ((openingKobo === null) !== (closing.closingKobo === null)) {
    throw new StatementProblem(null, `Statement ${no} has only one of its two balances.`)
  }
  for (const amount of [sumKobo, openingKobo, closing.closingKobo]) {
    if (amount !== null && (amount > KOBO_MAX || amount < -KOBO_MAX)) {
      throw new StatementProblem(null, `A balance of statement ${no} is too large.`)
    }
  }
  if (openingKobo !== null && openingKobo + sumKobo !== closing.closingKobo) {
    throw doesNotAddUp(no, {
      openingKobo,
      sumKobo,
      closingKobo: closing.closingKobo as Kobo,
    })
  }
  const { accountNumber, reference, sequence, currency } = open
  const { closingKobo } = closing
  const head = { no, accountNumber, reference, sequence, currency, openingKobo }
  const own = ownDay(open, closing)
  const days = { fromDay: from, toDay: to, coversFrom: own === null ? null : earlier(own, to) }
  return { ...head, closingKobo, ...days, lines, sumKobo }
}

// The first day of the statement, whatever the dates of its lines: the day that it names, or the first
// day with a line after the opening balance, which is the balance at the end of a day. A bank that dates
// both balances alike means the day of the closing one. Null: only the lines tell.
function ownDay(open: Open, { toDay }: StatementEnd): string | null {
  const { fromDay, openingDay, firstDayAfterOpening } = open
  if (fromDay !== null || !openingDay || toDay === null) return fromDay
  return openingDay < toDay ? earlier(firstDayAfterOpening, toDay) : toDay
}

type Sums = { openingKobo: Kobo; sumKobo: Kobo; closingKobo: Kobo }

export function doesNotAddUp(no: number, sums: Sums): StatementProblem {
  const { openingKobo, sumKobo, closingKobo } = sums
  const difference = kobo(closingKobo - openingKobo - sumKobo)
  return new StatementProblem(
    null,
    `Statement ${no} does not add up: opening ${formatKobo(openingKobo)} and lines of ` +
      `${formatKobo(sumKobo)} do not make closing ${formatKobo(closingKobo)}. The difference is ` +
      `${formatKobo(difference)}.`,
  )
}

function earlier(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other
  return one < other ? one : other
}

function later(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other
  return one > other ? one : other
}
