// Requests for another client's payouts; and each POST about payouts, with something to do.

import type { PayoutId } from '#ids.ts'
import { CLIENTS } from './clients.ts'
import { FAILURES } from './failing.ts'
import type { Recipe } from './isolation-recipes.ts'
import { CSV, createFile, PAYOUT_FILES, queuePayouts, RESULTS } from './payout-desk.ts'
import {
  addBankAccount,
  BANK_ACCOUNTS,
  bankAccountNumber,
  createPayout,
  fund,
  OPERATOR_PAYOUTS,
  PAYOUTS,
  payoutBody,
} from './payouts.ts'
import type { Bench, Call } from './running-service.ts'

const SETTINGS = '/api/v1/payout-settings'
const TARIFFS = '/api/v1/operator/payout-tariffs'
const NUMBER = bankAccountNumber('00777')

const post = (url: string, body: object = {}): Call => ({ method: 'POST', url, body })
const patch = (url: string, body: object): Call => ({ method: 'PATCH', url, body })
const pages = (url: string): Recipe => {
  return (of) => [{ url }, { url: `${url}?limit=1&cursor=${of.cursors[url]}` }]
}
const payout = (verb: string, body: object): Recipe => {
  return (of) => [post(`${PAYOUTS}/${of.payoutReference}/${verb}`, body)]
}
const anyPayout = (verb: string, body: object): Recipe => {
  return (of) => [post(`${OPERATOR_PAYOUTS}/${of.payoutReference}/${verb}`, body)]
}

export const PAYOUT_RECIPES: Record<string, Recipe> = {
  listBankAccounts: pages(BANK_ACCOUNTS),
  getBankAccount: (of) => [{ url: `${BANK_ACCOUNTS}/${of.bankAccount}` }],
  updateBankAccount: (of) => [patch(`${BANK_ACCOUNTS}/${of.bankAccount}`, { isActive: false })],
  createPayout: (of) => [post(PAYOUTS, payoutBody({ bankAccount: of.bankAccount }))],
  listPayouts: pages(PAYOUTS),
  summarizePayouts: () => [{ url: `${PAYOUTS}/summary` }],
  getPayout: (of) => [{ url: `${PAYOUTS}/${of.payoutReference}` }],
  cancelPayout: payout('cancel', {}),
  approvePayout: payout('approve', {}),
  rejectPayout: payout('reject', { reason: 'No.' }),
  getPayoutSettings: () => [{ url: SETTINGS }],
  listAllPayouts: (of) => [
    { url: OPERATOR_PAYOUTS },
    { url: `${OPERATOR_PAYOUTS}?clientId=${of.clientId}` },
  ],
  summarizeAllPayouts: (of) => [
    { url: `${OPERATOR_PAYOUTS}/summary` },
    { url: `${OPERATOR_PAYOUTS}/summary?clientId=${of.clientId}` },
  ],
  getAnyPayout: (of) => [{ url: `${OPERATOR_PAYOUTS}/${of.payoutReference}` }],
  confirmPayout: anyPayout('confirm', { bankReference: 'X' }),
  failPayout: anyPayout('fail', { reason: 'X', evidence: 'X' }),
  getClientPayoutSettings: (of) => [{ url: `${CLIENTS}/${of.clientId}/payout-settings` }],
  updateClientPayoutSettings: (of) => [
    patch(`${CLIENTS}/${of.clientId}/payout-settings`, { dailyLimit: 1 }),
  ],
  listPayoutTariffs: () => [{ url: TARIFFS }],
  withdrawPayoutTariff: () => [{ method: 'DELETE', url: `${TARIFFS}/1` }],
  createPayoutTariff: () => [post(TARIFFS, { bands: [{ upTo: null, fee: 10 }] })],
}

const FIRST_FILE = `${PAYOUT_FILES}/PYF000000000000001`
const FIRST_FAILURE = `${FAILURES}/PFR000000000000001`

export const PAYOUT_FILE_RECIPES: Record<string, Recipe> = {
  createPayoutFile: () => [post(PAYOUT_FILES, { bankCode: '058', format: 'csv' })],
  listPayoutFiles: () => [{ url: PAYOUT_FILES }],
  getPayoutFile: () => [{ url: FIRST_FILE }],
  downloadPayoutFile: () => [{ url: `${FIRST_FILE}/download` }],
  listPayoutFailures: () => [{ url: FAILURES }],
  approvePayoutFailure: () => [post(`${FIRST_FAILURE}/approve`)],
  rejectPayoutFailure: () => [post(`${FIRST_FAILURE}/reject`, { reason: 'No.' })],
  withdrawPayoutFailure: () => [post(`${FIRST_FAILURE}/withdraw`)],
  failPayoutFile: () => [post(`${FIRST_FILE}/not-delivered`, { bankConfirmation: 'X' })],
  reportPayoutResults: (of) => [
    { url: RESULTS, body: `reference,status\n${of.payoutReference},ACSC`, headers: CSV },
  ],
}

// Two clients may have the same bank account.
export const PAYOUT_MAKING: Record<string, Recipe> = {
  createBankAccount: () => [
    post(BANK_ACCOUNTS, {
      bankCode: '058',
      accountNumber: bankAccountNumber(),
      accountName: 'Own',
    }),
  ],
  setPayoutSettings: () => [{ method: 'PUT', url: SETTINGS, body: { payoutApproval: 'none' } }],
}

// The client's own payouts and bank accounts.
export async function payoutThings(bench: Bench, token: string) {
  await fund(bench, '500', { token })
  const accountName = 'Alpha Secret Payee'
  const body = { bankCode: '058', accountNumber: NUMBER, accountName }
  const made = await bench.call({ url: BANK_ACCOUNTS, body, token })
  await addBankAccount(bench, { token, accountName })
  const narration = 'Alpha secret narration'
  const { reference } = await createPayout(bench, { amount: 100, narration }, { token })
  await createPayout(bench, { amount: 100, narration }, { token })
  return { bankAccount: made.json().data.reference as string, payoutReference: reference as string }
}

export function payoutFileOperations(bench: Bench) {
  const file = async () => {
    const [reference] = await queuePayouts(bench, { amountsKobo: [100n] })
    return { reference, id: (await createFile(bench)).id as string }
  }
  return [
    {
      name: 'createPayoutFile',
      ask: async () => {
        await queuePayouts(bench)
        return { url: PAYOUT_FILES, body: { bankCode: '058', format: 'csv' } }
      },
      others: () => ({ bankCode: '058', format: 'pain.001' }),
    },
    {
      name: 'failPayoutFile',
      ask: async () => ({
        url: `${PAYOUT_FILES}/${(await file()).id}/not-delivered`,
        body: { bankConfirmation: 'Letter 1' },
      }),
      others: () => ({ bankConfirmation: 'Letter 2' }),
    },
    {
      name: 'reportPayoutResults',
      ask: async () => ({
        url: RESULTS,
        body: `reference,status\n${(await file()).reference},ACSC\n`,
        headers: CSV,
      }),
      others: ({ body }: { body?: unknown }) => `${body}PYT000000000000009,ACSC\n`,
    },
  ]
}

let tariffDays = 0

export function payoutOperations(bench: Bench) {
  const queued = async () => {
    await fund(bench, '100')
    return (await createPayout(bench, { amount: '100' })).reference as string
  }
  const unknown = async () => {
    const reference = await queued()
    await setUnknown(bench, reference)
    return `${OPERATOR_PAYOUTS}/${reference}`
  }
  return [
    {
      name: 'createBankAccount',
      ask: async () => ({
        url: BANK_ACCOUNTS,
        body: { bankCode: '058', accountNumber: bankAccountNumber(), accountName: 'Ada Obi' },
      }),
      others: ({ body }: { body?: unknown }) => ({ ...(body as object), accountName: 'Obi Ada' }),
    },
    {
      name: 'createPayout',
      ask: async () => {
        await fund(bench, '1000')
        return { url: PAYOUTS, body: payoutBody() }
      },
      others: () => payoutBody({ amount: '7' }),
    },
    {
      name: 'cancelPayout',
      ask: async () => ({ url: `${PAYOUTS}/${await queued()}/cancel`, body: {} }),
      others: () => ({ reason: 'Other.' }),
    },
    {
      name: 'confirmPayout',
      ask: async () => ({ url: `${await unknown()}/confirm`, body: { bankReference: 'B-1' } }),
      others: () => ({ bankReference: 'B-2' }),
    },
    {
      name: 'failPayout',
      ask: async () => ({
        url: `${await unknown()}/fail`,
        body: { reason: 'Closed.', evidence: 'Letter 1' },
      }),
      others: () => ({ reason: 'Other.', evidence: 'Letter 1' }),
    },
    {
      name: 'createPayoutTariff',
      ask: async () => {
        const effectiveFrom = new Date(Date.UTC(2030, 0, ++tariffDays)).toISOString()
        return { url: TARIFFS, body: { bands: [{ upTo: null, fee: 10 }], effectiveFrom } }
      },
      others: () => ({ bands: [{ upTo: null, fee: 11 }] }),
    },
  ]
}

// The state after a send without an answer from the bank.
export async function setUnknown({ db, clock }: Bench, reference: string): Promise<PayoutId> {
  const { rows } = await db.query<{ id: PayoutId }>(
    `update payouts set status = 'sending', sending_at = $2 where reference = $1 returning id`,
    [reference, clock()],
  )
  await db.query(
    `insert into payout_changes (payout_id, change, changed_by, changed_at)
     select id, 'sending', 'bank:035', $2 from payouts where reference = $1`,
    [reference, clock()],
  )
  await db.query(`update payouts set status = 'unknown', next_query_at = $2 where reference = $1`, [
    reference,
    clock(),
  ])
  return (rows[0] as { id: PayoutId }).id
}
