// Monnify's transactions: one by its reference, or a page of a time window. Neither answer names the number
// that received the money. We then ask for the reserved account by its reference. Unofficially, newer answers
// have the number.

import type { BankCalls, CallOptions, NoAnswer, TransferAnswer } from '#banks/connector.ts'
import { objectIn } from '#banks/json-body.ts'
import { type Ask, inTurn, type JsonAnswer, messageOf, noAnswer } from '#banks/json-calls.ts'
import type { ParsedItem } from '#banks/notifications.ts'
import { readTransaction } from './notifications.ts'

const PAGE_SIZE = 10 // Each row takes up to two more requests.
const IN_PROGRESS = ['PENDING']

export function transactionCalls(ask: Ask): BankCalls {
  return {
    async findTransfer({ kind, value }, options) {
      if (kind !== 'bank_reference') return { status: 'not_found' }
      return find(inTurn(ask), value, options)
    },
    async listTransfers({ accountNumber, from, to, cursor }, options) {
      const askInTurn = inTurn(ask)
      const page = Number(cursor ?? 0)
      const query = {
        page: String(page),
        size: String(PAGE_SIZE),
        paymentStatus: 'PAID',
        from: String(from.getTime()),
        to: String(to.getTime()),
      }
      const path = '/api/v1/transactions/search'
      const answer = await askInTurn({ method: 'GET', path, query }, options)
      if (answer.status === 'no_answer') return answer
      const { content } = objectIn(answer.body.responseBody)
      if (answer.httpStatus !== 200 || !Array.isArray(content)) return asNoAnswer(answer)
      const items: ParsedItem[] = []
      for (const row of content.map(objectIn)) {
        const found = await find(askInTurn, String(row.transactionReference), options)
        // Returns no page, because a page with a missing row would count as complete.
        if (found.status === 'no_answer') return found
        if (found.status === 'found') items.push(...found.items.filter(isOf(accountNumber)))
      }
      const nextCursor = content.length < PAGE_SIZE ? null : String(page + 1)
      return { status: 'listed', items, nextCursor }
    },
  }
}

function isOf(accountNumber: string | null) {
  return (item: ParsedItem) =>
    item.ok
      ? accountNumber === null || item.credit.accountNumber === accountNumber
      : item.money !== null
}

async function find(ask: Ask, reference: string, options: CallOptions): Promise<TransferAnswer> {
  const path = `/api/v2/transactions/${encodeURIComponent(reference)}`
  const answer = await ask({ method: 'GET', path }, options)
  if (answer.status === 'no_answer') return answer
  if (answer.httpStatus === 404) return { status: 'not_found' }
  const transaction = objectIn(answer.body.responseBody)
  if (answer.httpStatus !== 200 || transaction.paymentStatus === undefined)
    return asNoAnswer(answer)
  if (IN_PROGRESS.includes(String(transaction.paymentStatus))) return { status: 'in_progress' }
  const accountNumber = await findNumber(ask, transaction, options)
  if (typeof accountNumber === 'object') return accountNumber
  const destinationAccountInformation = { accountNumber }
  return {
    status: 'found',
    items: [readTransaction({ ...transaction, destinationAccountInformation })],
  }
}

// Undefined if the number is ambiguous, as for an account with numbers at several banks.
async function findNumber(
  ask: Ask,
  { product, destinationAccountInformation }: Record<string, unknown>,
  options: CallOptions,
): Promise<string | undefined | NoAnswer> {
  const { accountNumber } = objectIn(destinationAccountInformation)
  if (typeof accountNumber === 'string') return accountNumber
  const { type, reference } = objectIn(product)
  if (type !== 'RESERVED_ACCOUNT' || typeof reference !== 'string') return undefined
  const path = `/api/v2/bank-transfer/reserved-accounts/${encodeURIComponent(reference)}`
  const answer = await ask({ method: 'GET', path }, options)
  if (answer.status === 'no_answer') return answer
  const { accounts } = objectIn(answer.body.responseBody)
  const numbers = Array.isArray(accounts)
    ? accounts.map((each) => objectIn(each).accountNumber)
    : []
  return numbers.length === 1 && typeof numbers[0] === 'string' ? numbers[0] : undefined
}

function asNoAnswer(answer: JsonAnswer): NoAnswer {
  return { ...noAnswer(answer.httpStatus), reason: messageOf(answer, 'responseMessage') }
}
