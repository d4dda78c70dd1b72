// Paystack's transactions: one by its reference, or a page of a time window. The published rows of the list
// do not name the number that received the money, so we query each row without one by its reference.

import type { BankCalls, CallOptions, NoAnswer, TransferAnswer } from '#banks/connector.ts'
import { isObject, objectIn } from '#banks/json-body.ts'
import { type Ask, inTurn, type JsonAnswer, messageOf, noAnswer } from '#banks/json-calls.ts'
import { isText } from '#banks/json-notifications.ts'
import type { ParsedItem } from '#banks/notifications.ts'
import { readTransaction, receiverOf } from './notifications.ts'

const PAGE_SIZE = 20 // Each row may take one more request.
const IN_PROGRESS = ['ongoing', 'pending', 'processing', 'queued']
const NEVER_PAID = ['failed', 'abandoned']
const NOT_FOUND = /^transaction (?:reference )?not found/i

type Transaction = Record<string, unknown>

export function transactionCalls(ask: Ask): BankCalls {
  return {
    async findTransfer({ kind, value }, options) {
      if (kind !== 'bank_reference') return { status: 'not_found' }
      return findByReference(ask, { reference: value, accountNumber: null }, options)
    },
    async listTransfers({ accountNumber, from, to, cursor }, options) {
      const askInTurn = inTurn(ask)
      const page = Number(cursor ?? 1)
      const query = {
        perPage: String(PAGE_SIZE),
        page: String(page),
        from: from.toISOString(),
        to: to.toISOString(),
        status: 'success',
        channel: 'dedicated_nuban',
        virtual_account_number: accountNumber ?? undefined,
      }
      const answer = await askInTurn({ method: 'GET', path: '/transaction', query }, options)
      if (answer.status === 'no_answer') return answer
      const rows = answer.body.data
      if (answer.body.status !== true || !Array.isArray(rows)) return asNoAnswer(answer)
      const items: ParsedItem[] = []
      for (const row of rows.filter(isObject)) {
        const read = await readRow(askInTurn, { row, accountNumber }, options)
        // Returns no page, because a page with a missing row would count as complete.
        if (!Array.isArray(read)) return read
        items.push(...read)
      }
      const nextCursor = rows.length < PAGE_SIZE ? null : String(page + 1)
      return { status: 'listed', items, nextCursor }
    },
  }
}

async function readRow(
  ask: Ask,
  { row, accountNumber }: { row: Transaction; accountNumber: string | null },
  options: CallOptions,
): Promise<ParsedItem[] | NoAnswer> {
  if (receiverOf(row)) return [readTransaction(row)]
  const { reference } = row
  const found =
    isText(reference) && (await findByReference(ask, { reference, accountNumber }, options))
  if (found && found.status === 'no_answer') return found
  if (found && found.status === 'found') return [...found.items]
  return [readTransaction(withReceiver(row, accountNumber))]
}

async function findByReference(
  ask: Ask,
  { reference, accountNumber }: { reference: string; accountNumber: string | null },
  options: CallOptions,
): Promise<TransferAnswer> {
  const path = `/transaction/verify/${encodeURIComponent(reference)}`
  const answer = await ask({ method: 'GET', path }, options)
  if (answer.status === 'no_answer') return answer
  const isRefused = answer.body.status === false
  const isUnknown = isRefused && NOT_FOUND.test(messageOf(answer, 'message'))
  if (answer.httpStatus === 404 || isUnknown) return { status: 'not_found' }
  const transaction = objectIn(answer.body.data)
  const isOurTransaction = answer.body.status === true && transaction.reference === reference
  if (!isOurTransaction || !isText(transaction.status)) return asNoAnswer(answer)
  if (IN_PROGRESS.includes(transaction.status)) return { status: 'in_progress' }
  if (NEVER_PAID.includes(transaction.status)) return { status: 'not_found' }
  return { status: 'found', items: [readTransaction(withReceiver(transaction, accountNumber))] }
}

// Adds the account number that we asked for if Paystack names no receiver. A list for one account
// holds only transactions to that account.
function withReceiver(transaction: Transaction, accountNumber: string | null): Transaction {
  if (receiverOf(transaction) || accountNumber === null) return transaction
  const authorization = objectIn(transaction.authorization)
  const receiver = { receiver_bank_account_number: accountNumber }
  return { ...transaction, authorization: { ...authorization, ...receiver } }
}

function asNoAnswer(answer: JsonAnswer): NoAnswer {
  return { ...noAnswer(answer.httpStatus), reason: messageOf(answer, 'message') }
}
