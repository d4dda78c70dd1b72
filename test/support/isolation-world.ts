// For test/access/route-isolation.test.ts: a client with one object of every kind, whose names occur nowhere
// else, and made-up values of the same shapes, which no client has.

import assert from 'node:assert/strict'
import { withTransaction } from '#db/transaction.ts'
import { dispatchEvents } from '#webhooks/dispatch.ts'
import { registerOf } from './clients.ts'
import {
  ACCOUNTS,
  ADVICE,
  accountBody,
  adviceBody,
  createAccount,
  createAdvice,
  dataOf,
  initiate,
} from './fixtures.ts'
import { LIMIT_PROFILES, profileBody } from './limit-profiles.ts'
import { payoutThings } from './payout-recipes.ts'
import { BANK_ACCOUNTS, PAYOUTS } from './payouts.ts'
import { newBrowser } from './people.ts'
import { newSessionId, postRail } from './rail.ts'
import { refundThings } from './refund-recipes.ts'
import { reportThings } from './report-recipes.ts'
import type { Bench } from './running-service.ts'
import { settlementThings } from './settlement-recipes.ts'
import { SETTLEMENTS } from './settlements.ts'
import { postSplit, SPLITS, SUBACCOUNTS, splitBody, subaccountBody } from './splits.ts'
import { SUSPENSE, suspend } from './suspense-desk.ts'
import { ENDPOINTS } from './webhook-journeys.ts'

// The ids, references and personal data by which a request can name a client's objects.
export type Things = {
  clientId: string
  accountNumber: string
  additionalNumber: string // The same account's number at another bank.
  accountName: string
  bvn: string
  nin: string
  email: string
  merchantId: string
  merchantCode: string
  adviceReference: string
  merchantRef: string
  paymentReference: string
  paymentNumber: string
  openAdvice: string // No payer has chosen a bank for it yet.
  creditId: string
  sessionId: string
  itemId: string
  itemSession: string
  requestId: string
  ledgerIds: readonly string[] // The ledger accounts of its collection account and of its payments.
  limitProfile: string
  subaccountCode: string
  splitCode: string
  endpointId: string
  endpointUrl: string
  eventId: string
  sequence: string
  userId: string
  userEmail: string
  signInId: string
  passkeyId: string
  keyOfAccount: string
  keyOfAdvice: string
  bankAccount: string
  payoutReference: string
  settlementReference: string
  refundReference: string
  scheduleReference: string
  reportReference: string
  cursors: Record<string, string> // By the list's address.
}

// Lists with pages. The world has at least two entries in each, so that a page of one has a next cursor.
export const LISTS = [
  ACCOUNTS,
  '/api/v1/credits',
  '/api/v1/payments',
  '/api/v1/advices',
  '/api/v1/suspense',
  '/api/v1/events',
  '/api/v1/audit-log',
  '/api/v1/balances/merchants',
  '/api/v1/ledger/accounts',
  ENDPOINTS,
  LIMIT_PROFILES,
  BANK_ACCOUNTS,
  PAYOUTS,
  SETTLEMENTS,
  SUBACCOUNTS,
  SPLITS,
  '/api/v1/refunds',
]

// Values that no client has.
export const NOBODYS: Things = {
  clientId: 'NOBODY-0',
  accountNumber: '9999999990',
  additionalNumber: '9999999992',
  accountName: 'Nobody Here',
  bvn: '22200000001',
  nin: '33300000001',
  email: 'nobody@nowhere.example',
  merchantId: 'M-NOBODY',
  merchantCode: 'CODE-NOBODY',
  adviceReference: '0193f0e0-0000-7000-8000-000000000001',
  merchantRef: 'REF-NOBODY',
  paymentReference: '0193f0e0-0000-7000-8000-000000000002',
  paymentNumber: '9999999991',
  openAdvice: '0193f0e0-0000-7000-8000-000000000003',
  creditId: '98765432',
  sessionId: '999999261115080000000000000001',
  itemId: '98765433',
  itemSession: '999999261115080000000000000002',
  requestId: '98765434',
  ledgerIds: ['98765435', '98765436'],
  limitProfile: 'nobodys-profile',
  subaccountCode: 'nobodys-subaccount',
  splitCode: 'nobodys-split',
  endpointId: '0193f0e0-0000-7000-8000-000000000004',
  endpointUrl: 'https://nobody.example/hook',
  eventId: '0193f0e0-0000-7000-8000-000000000005',
  sequence: '1',
  userId: '0193f0e0-0000-7000-8000-000000000006',
  userEmail: 'nobody@people.example',
  signInId: '0193f0e0-0000-7000-8000-000000000007',
  passkeyId: '0193f0e0-0000-7000-8000-000000000008',
  keyOfAccount: 'key-nobody-1',
  keyOfAdvice: 'key-nobody-2',
  bankAccount: 'BAC000000000000001',
  payoutReference: 'PYT000000000000001',
  settlementReference: 'STL000000000000001',
  refundReference: 'RFD000000000000001',
  scheduleReference: 'RSC000000000000001',
  reportReference: 'RPT000000000000001',
  cursors: Object.fromEntries(LISTS.map((list) => [list, 'bm9ib2R5'])),
}

// Creates the client with all its objects; returns the values that name them.
export async function fillWorld(bench: Bench, clientId: string): Promise<Things> {
  const { secret } = await registerOf(bench).make({ clientId, name: 'Alpha Secret Stores' })
  const token = await bench.login(clientId, secret)
  const owner = await newBrowser(bench, 'owner', clientId)
  const names = {
    accountName: 'Alphonsine Secretaire',
    bvn: '22299988877',
    nin: '33399988877',
    email: 'alphonsine@secret.example',
    merchantId: 'M-ALPHA-SECRET',
    merchantCode: 'CODE-ALPHA-SECRET',
  }
  const keys = { keyOfAccount: 'key-alpha-1', keyOfAdvice: 'key-alpha-2' }
  const account = dataOf(
    await bench.call({
      url: ACCOUNTS,
      body: accountBody({ ...names, banks: ['058'] }),
      headers: { 'idempotency-key': keys.keyOfAccount },
      token,
    }),
  )
  await createAccount(bench, { ...names, merchantCode: 'CODE-ALPHA-SECOND' }, { token })
  const endpointUrl = 'https://alpha-secret.example/hook'
  const endpoint = await bench.call({ url: ENDPOINTS, body: { url: endpointUrl }, token })
  await bench.call({ url: ENDPOINTS, body: { url: `${endpointUrl}/2` }, token })
  const limitProfile = 'alpha-secret-profile'
  for (const code of [limitProfile, 'alpha-second']) {
    const body = profileBody({ code, name: 'Alpha secret limits' })
    await bench.call({ url: LIMIT_PROFILES, body, token })
  }
  const split = await splitOf(bench, token)
  const money = await moneyOf(bench, token, { account, key: keys.keyOfAdvice })
  const answer = await owner.call({
    url: `${SUSPENSE}/${money.itemId}/requests`,
    body: { action: 'return', reason: 'Alpha secret reason' },
  })
  await withTransaction(bench.db, (tx) => dispatchEvents(tx, bench.clock()))
  const [event] = (await bench.call({ url: '/api/v1/events', token })).json().data
  return {
    ...names,
    ...keys,
    ...money,
    ...(await payoutThings(bench, token)),
    ...(await settlementThings(bench, token)),
    ...(await refundThings(bench, token)),
    ...(await reportThings(bench, owner)),
    clientId,
    accountNumber: account.accountNumber,
    limitProfile,
    ...split,
    additionalNumber: account.accounts[1].accountNumber,
    endpointId: endpoint.json().data.id,
    endpointUrl,
    requestId: String(answer.json().data.id),
    ledgerIds: await ledgerIdsOf(bench, token),
    eventId: event.id,
    sequence: String(event.sequence),
    userId: owner.user.id,
    userEmail: owner.user.email,
    signInId: (await owner.call({ url: '/dashboard/api/sessions' })).json().data[0].id,
    passkeyId: await passkeyOf(bench, owner.user.id),
    cursors: await cursorsOf(bench, token),
  }
}

// Inserts a passkey of the user; returns its id.
async function passkeyOf(bench: Bench, userId: string): Promise<string> {
  const { rows } = await bench.db.query(
    `insert into passkeys (id, client_id, user_id, credential_id, public_key, counter, transports,
                           name, created_at)
     select gen_random_uuid(), client_id, id, 'alpha', 'alpha', 0, '{}', 'Alpha Secret Key', now()
       from users where id = $1 returning id`,
    [userId],
  )
  return rows[0].id
}

// Creates two subaccounts and two splits; returns the codes of the first ones.
async function splitOf(bench: Bench, token: string) {
  const [subaccountCode, splitCode] = ['alpha-secret-subaccount', 'alpha-secret-split']
  for (const code of [subaccountCode, 'alpha-second']) {
    const body = subaccountBody(code, { accountName: 'Alpha Secret Vendor' })
    dataOf(await bench.call({ url: SUBACCOUNTS, body, token }))
  }
  for (const code of [splitCode, 'alpha-second']) {
    const body = splitBody(code, 'percentage', [subaccountCode, 50])
    dataOf(await postSplit(bench, body, { token }))
  }
  return { subaccountCode, splitCode }
}

// Creates advices, payments, credits and suspense items; returns the values that name the first of each.
async function moneyOf(
  bench: Bench,
  token: string,
  { account, key }: { account: { accountNumber: string }; key: string },
) {
  const merchantRef = 'REF-ALPHA-SECRET'
  const advice = dataOf(
    await bench.call({
      url: ADVICE,
      body: adviceBody({ merchantRef, narration: 'Alpha secret shoes' }),
      headers: { 'idempotency-key': key },
      token,
    }),
    'payment',
  )
  const payment = await initiate(bench, advice.adviceReference, '035', token)
  const second = await createAdvice(bench, {}, { token })
  await initiate(bench, second.adviceReference, '035', token)
  const open = await createAdvice(bench, {}, { token })
  const sessionId = newSessionId()
  for (const [session, accountNumber] of [
    [newSessionId(), payment.bankAccount],
    [sessionId, account.accountNumber],
  ]) {
    const credit = { sessionId: session, accountNumber, amount: '6000', narration: 'Alpha pays' }
    assert.equal((await postRail(bench, '035/credits', credit)).json().responseCode, '00')
  }
  const item = await suspend(bench, payment.bankAccount, '10', { bank: '035' })
  await suspend(bench, payment.bankAccount, '11', { bank: '035' })
  const credit = await bench.call({ url: `/api/v1/credits/${sessionId}`, token })
  return {
    adviceReference: advice.adviceReference as string,
    merchantRef,
    paymentReference: payment.paymentReference as string,
    paymentNumber: payment.bankAccount as string,
    openAdvice: open.adviceReference as string,
    creditId: String(credit.json().data.id),
    sessionId,
    itemId: String(item.id),
    itemSession: item.sessionId as string,
  }
}

// The ids of the ledger accounts of the client's collection account and of its payments.
async function ledgerIdsOf(bench: Bench, token: string): Promise<string[]> {
  const { data } = (await bench.call({ url: '/api/v1/ledger/accounts', token })).json()
  const ids = ['collection', 'available'].map(
    (kind) => data.find((account: { kind: string }) => account.kind === kind).id,
  )
  return ids.map(String)
}

// The cursors of the second pages of the client's lists.
async function cursorsOf(bench: Bench, token: string): Promise<Record<string, string>> {
  const cursors: Record<string, string> = {}
  for (const list of LISTS) {
    const { nextCursor } = (await bench.call({ url: `${list}?limit=1`, token })).json()
    assert.equal(typeof nextCursor, 'string', list)
    cursors[list] = nextCursor
  }
  return cursors
}
