// Name enquiry and transfers at Flutterwave, in naira. A transfer counts only if it repeats our reference,
// because Flutterwave answers a query by reference with a list.

import type { BankCalls, PayoutAnswer } from '#banks/connector.ts'
import { cleanText } from '#banks/credit-fields.ts'
import { findBank, providerCode } from '#banks/directory.ts'
import { isObject, objectIn } from '#banks/json-body.ts'
import {
  type Ask,
  type JsonAnswer,
  messageOf,
  nameNotFound,
  payoutNotFound,
  payoutUnanswered,
} from '#banks/json-calls.ts'
import { isText } from '#banks/json-notifications.ts'
import { toNaira } from '#money.ts'
import { idOf } from './notifications.ts'

const BANK_KINDS = ['commercial', 'merchant', 'non_interest']

export function payoutCalls(ask: Ask, { paysOut }: { paysOut: boolean }): BankCalls {
  return { ...nameCalls(ask), ...(paysOut ? transferCalls(ask) : {}) }
}

function nameCalls(ask: Ask): BankCalls {
  return {
    async enquireName({ bankCode, accountNumber }, options) {
      const body = { account_number: accountNumber, account_bank: flutterwaveCode(bankCode) }
      const answer = await ask({ method: 'POST', path: '/v3/accounts/resolve', body }, options)
      if (answer.status === 'no_answer') return answer
      const { account_name: accountName } = objectIn(answer.body.data)
      return answer.body.status === 'success' && typeof accountName === 'string'
        ? { status: 'found', accountName }
        : nameNotFound(answer, { isFromBank: answer.body.status === 'error', field: 'message' })
    },
  }
}

function transferCalls(ask: Ask): BankCalls {
  const path = '/v3/transfers'
  return {
    async sendMoney({ reference, amountKobo, currency, to, narration }, options) {
      const body = {
        account_bank: flutterwaveCode(to.bankCode),
        account_number: to.accountNumber,
        amount: toNaira(amountKobo),
        currency,
        narration,
        reference,
        debit_currency: currency,
      }
      const answer = await ask({ method: 'POST', path, body, isOrder: true }, options)
      if (answer.status === 'no_answer') return payoutUnanswered(answer, true)
      const transfer = objectIn(answer.body.data)
      const isOurs = answer.body.status === 'success' && transfer.reference === reference
      return isOurs ? readTransfer(transfer) : unclear(answer)
    },
    async findPayout(reference, options) {
      const answer = await ask({ method: 'GET', path, query: { reference } }, options)
      if (answer.status === 'no_answer') return payoutUnanswered(answer, false)
      if (answer.httpStatus === 404) return payoutNotFound(answer, answer.body.status === 'error')
      const { data } = answer.body
      if (answer.body.status !== 'success' || !Array.isArray(data)) return unclear(answer)
      if (data.length === 0) return { status: 'not_found' }
      const [ours, ...others] = data.filter(isObject).filter((row) => row.reference === reference)
      if (!ours) return { status: 'unknown', reason: 'The list has no transfer of this reference.' }
      return others.length === 0
        ? readTransfer(ours)
        : { status: 'unknown', reason: 'The list has several transfers of this reference.' }
    },
  }
}

function readTransfer(transfer: Record<string, unknown>): PayoutAnswer {
  const { status, complete_message: message } = transfer
  const id = idOf(transfer)
  if (!isText(status)) return { status: 'unknown', reason: 'The transfer has no status.' }
  if (status === 'SUCCESSFUL' && id) return { status: 'confirmed', bankReference: id }
  if (status === 'FAILED') {
    return { status: 'failed', reason: (isText(message) && cleanText(message)) || status }
  }
  return waitsForApproval(transfer)
    ? { status: 'unknown', reason: status, isAccepted: true, waitsFor: 'authorization' }
    : { status: 'unknown', reason: status, isAccepted: true }
}

// Somebody must approve the transfer in Flutterwave's dashboard.
function waitsForApproval(transfer: Record<string, unknown>): boolean {
  return Number(transfer.requires_approval) === 1 && Number(transfer.is_approved) !== 1
}

function unclear(answer: JsonAnswer): PayoutAnswer {
  return { status: 'unknown', reason: messageOf(answer, 'message') }
}

// CBN's three digits for banks, NIP's six for all other institutions.
function flutterwaveCode(bankCode: string): string {
  const isBank = BANK_KINDS.includes(findBank(bankCode)?.kind ?? '')
  return providerCode(bankCode, isBank ? 'cbn' : 'nip', 'flutterwave')
}
