// Requests for another client's payouts, which test/access/route-isolation.test.ts sends; and requests about
// payouts that take an idempotency key, for test/records/keyed-operations.ts.

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
  return (things) => [{ url }, { url: `${url}?limit=1&cursor=${things.cursors[url]}` }]
}
const payout = (verb: string, body: object): Recipe => {
  return (things) => [post(`${PAYOUTS}/${things.payoutReference}/${verb}`, body)]
}
const anyPayout = (verb: string, body: object): Recipe => {
  return (things) => [post(`${OPERATOR_PAYOUTS}/${things.payoutReference}/${verb}`, body)]
}

export const PAYOUT_RECIPES: Record<string, Recipe> = {
  listBankAccounts: pages(BANK_ACCOUNTS),
  getBankAccount: (things) => [{ url: `${BANK_ACCOUNTS}/${things.bankAccount}` }],
  updateBankAccount: (things) => [
    patch(`${BANK_ACCOUNTS}/${things.bankAccount}`, { isActive: false }),
  ],
  createPayout: (things) => [post(PAYOUTS, payoutBody({ bankAccount: things.bankAccount }))],
  listPayouts: pages(PAYOUTS),
  summarizePayouts: () => [{ url: `${PAYOUTS}/summary` }],
  getPayout: (things) => [{ url: `${PAYOUTS}/${things.payoutReference}` }],
  cancelPayout: payout('cancel', {}),
  approvePayout: payout('approve', {}),
  rejectPayout: payout('reject', { reason: 'No.' }),
  getPayoutSettings: () => [{ url: SETTINGS }],
  listAllPayouts: (things) => [
    { url: OPERATOR_PAYOUTS },
    { url: `${OPERATOR_PAYOUTS}?clientId=${things.clientId}` },
  ],
  summarizeAllPayouts: (things) => [
    { url: `${OPERATOR_PAYOUTS}/summary` },
    { url: `${OPERATOR_PAYOUTS}/summary?clientId=${things.clientId}` },
  ],
  getAnyPayout: (things) => [{ url: `${OPERATOR_PAYOUTS}/${things.payoutReference}` }],
  confirmPayout: anyPayout('confirm', { bankReference: 'X' }),
  failPayout: anyPayout('fail', { reason: 'X', evidence: 'X' }),
  getClientPayoutSettings: (things) => [{ url: `${CLIENTS}/${things.clientId}/payout-settings` }],
  updateClientPayoutSettings: (things) => [
    patch(`${CLIENTS}/${things.clientId}/payout-settings`, { dailyLimit: 1 }),
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
  reportPayoutResults: (things) => [
    { url: RESULTS, body: `reference,status\n${things.payoutReference},ACSC`, headers: CSV },
  ],
}

// Requests that succeed for any client, because two clients may have the same bank account.
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

// Creates bank accounts and payouts of the isolation test's client; returns the references of the first ones.
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

// Requests about payout files that take an idempotency key. `ask` makes a request that succeeds; `others` is
// the body of a different request to the same address.
export function payoutFileOperations(bench: Bench) {
  const createFileOfOne = async () => {
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
      name: 'reportPayoutResults',
      ask: async () => ({
        url: RESULTS,
        body: `reference,status\n${(await createFileOfOne()).reference},ACSC\n`,
        headers: CSV,
      }),
      others: ({ body }: { body?: unknown }) => `${body}PYT000000000000009,ACSC\n`,
    },
  ]
}

let tariffDays = 0

// Requests about payouts that take an idempotency key, as in payoutFileOperations.
export function payoutOperations(bench: Bench) {
  const queuePayout = async () => {
    await fund(bench, '100')
    return (await createPayout(bench, { amount: '100' })).reference as string
  }
  const makeUnknownPayout = async () => {
    const reference = await queuePayout()
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
      ask: async () => ({ url: `${PAYOUTS}/${await queuePayout()}/cancel`, body: {} }),
      others: () => ({ reason: 'Other.' }),
    },
    {
      name: 'confirmPayout',
      ask: async () => ({
        url: `${await makeUnknownPayout()}/confirm`,
        body: { bankReference: 'B-1' },
      }),
      others: () => ({ bankReference: 'B-2' }),
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

// Puts a queued payout into the state `unknown`, as if it had been sent and the bank had not responded.
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
