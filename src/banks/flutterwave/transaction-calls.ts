// Flutterwave's transactions: one by its id, or a page of a list. A transaction names its account by the
// tx_ref of the reservation, so we look up the number. The list filters by day only.

import type {
  BankCalls,
  CallOptions,
  NoAnswer,
  TimeWindow,
  TransferListQuery,
} from '#banks/connector.ts'
import { isObject, objectIn } from '#banks/json-body.ts'
import { type Ask, type JsonAnswer, messageOf, noAnswer } from '#banks/json-calls.ts'
import { isText } from '#banks/json-notifications.ts'
import type { ParsedItem } from '#banks/notifications.ts'
import { parseBankTime } from '#clock.ts'
import { FAILED, idOf, PENDING, readTransaction } from './notifications.ts'

const NOT_FOUND = /^no transaction was found\b/i
const DAY_MS = 86_400_000

type Transaction = Record<string, unknown>

export function transactionCalls(ask: Ask): BankCalls {
  return {
    async findTransfer({ kind, value }, options) {
      if (kind !== 'bank_reference') return { status: 'not_found' }
      const path = `/v3/transactions/${encodeURIComponent(value)}/verify`
      const answer = await ask({ method: 'GET', path }, options)
      if (answer.status === 'no_answer') return answer
      if (isUnknown(answer)) return { status: 'not_found' }
      const transaction = objectIn(answer.body.data)
      const isOfThis = answer.body.status === 'success' && idOf(transaction) === value
      if (!isOfThis || !isText(transaction.status)) return asNoAnswer(answer)
      if (transaction.status === PENDING) return { status: 'in_progress' }
      if (transaction.status === FAILED) return { status: 'not_found' }
      return { status: 'found', items: [await read(transaction, options)] }
    },
    async listTransfers(query, options) {
      const { accountNumber, cursor } = query
      const reference =
        accountNumber === null ? undefined : await options.reservations?.referenceOf(accountNumber)
      const page = Number(cursor ?? 1)
      const path = '/v3/transactions'
      const filters = { ...daysOf(query), page: String(page), tx_ref: reference }
      const answer = await ask({ method: 'GET', path, query: filters }, options)
      if (answer.status === 'no_answer') return answer
      const { data } = answer.body
      if (answer.body.status !== 'success' || !Array.isArray(data)) return asNoAnswer(answer)
      const rows = data.filter(isObject)
      const items: ParsedItem[] = []
      for (const row of rows.filter((each) => isListed(each, query, reference))) {
        items.push(await read(row, options))
      }
      const isLast = rows.length === 0 || page >= pagesOf(answer) || isPast(rows, query)
      return { status: 'listed', items, nextCursor: isLast ? null : String(page + 1) }
    },
  }
}

async function read(transaction: Transaction, options: CallOptions): Promise<ParsedItem> {
  const { tx_ref: reference } = transaction
  const accountNumber = isText(reference) && (await options.reservations?.numberOf(reference))
  return readTransaction(transaction, accountNumber || undefined)
}

// Flutterwave does not publish the time zone of the days, nor whether the last day is included.
function daysOf({ from, to }: TimeWindow): { from: string; to: string } {
  const dayOf = (timeMs: number) => new Date(timeMs).toISOString().slice(0, 10)
  return { from: dayOf(from.getTime()), to: dayOf(to.getTime() + DAY_MS) }
}

function isListed(
  row: Transaction,
  { from, to }: TransferListQuery,
  reference: string | undefined,
): boolean {
  if (row.status === PENDING || row.status === FAILED) return false
  if (reference !== undefined && row.tx_ref !== reference) return false
  const time = timeOf(row)
  return time === undefined || (time >= from && time <= to)
}

function timeOf({ created_at: time }: Transaction): Date | undefined {
  return typeof time === 'string' ? parseBankTime(time) : undefined
}

function pagesOf({ body }: JsonAnswer): number {
  const pages = objectIn(objectIn(body.meta).page_info).total_pages
  return typeof pages === 'number' ? pages : Number.POSITIVE_INFINITY
}

// The days have many more rows than the window. If rows in order of time have left the window, all later rows
// are outside it too.
function isPast(rows: readonly Transaction[], { from, to }: TimeWindow): boolean {
  const times = rows.map((row) => timeOf(row)?.getTime() ?? Number.NaN)
  const [first = Number.NaN, last = Number.NaN] = [times[0], times.at(-1)]
  const runs = (isNext: (one: number, next: number) => boolean) =>
    times.every((time, at) => at === 0 || isNext(times[at - 1] ?? Number.NaN, time))
  if (first > last) return last < from.getTime() && runs((one, next) => one >= next)
  return first < last && last > to.getTime() && runs((one, next) => one <= next)
}

// Flutterwave says in these words that it does not know the transaction. Any other refusal says nothing about
// the transaction.
function isUnknown(answer: JsonAnswer): boolean {
  return answer.body.status === 'error' && NOT_FOUND.test(messageOf(answer, 'message'))
}

function asNoAnswer(answer: JsonAnswer): NoAnswer {
  return { ...noAnswer(answer.httpStatus), reason: messageOf(answer, 'message') }
}
