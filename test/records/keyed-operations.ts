// The POSTs that take an Idempotency-Key, each with a function that makes a valid request to it.

import { type Client, findClient } from '#access/permissions.ts'
import { withTransaction } from '#db/transaction.ts'
import type { SuspenseItemId } from '#ids.ts'
import { SharedAccounts } from '#ledger/accounts.ts'
import { requestReturn } from '#suspense/return.ts'
import { accountingOperations } from '../support/accounting-recipes.ts'
import { asId } from '../support/as-id.ts'
import { CLIENTS, registerOf } from '../support/clients.ts'
import { FEE_RULES, feeRuleBody } from '../support/fee-rules.ts'
import {
  ACCOUNTS,
  ADVICE,
  accountBody,
  adviceBody,
  createAccount,
  createAdvice,
  INITIATE,
  SIMULATE,
  startPayment,
} from '../support/fixtures.ts'
import { LIMIT_PROFILES, profileBody } from '../support/limit-profiles.ts'
import { payoutFileOperations, payoutOperations } from '../support/payout-recipes.ts'
import { refundOperations } from '../support/refund-recipes.ts'
import { resolutionOperations } from '../support/resolution-recipes.ts'
import type { Bench } from '../support/running-service.ts'
import { sealingOf } from '../support/sealing.ts'
import { settlementOperations } from '../support/settlement-recipes.ts'
import { storedId } from '../support/shown-ids.ts'
import { NOBODYS_NUMBER, pendingReturnOf, SUSPENSE, suspend } from '../support/suspense-desk.ts'
import { ENDPOINTS } from '../support/webhook-journeys.ts'
import { clockOperations } from './keyed-clock-operations.ts'
import { splitOperations } from './keyed-split-operations.ts'

const HOOK = 'https://shop.example.com/events'

type Ask = { url: string; body?: unknown; headers?: Record<string, string> }
export type KeyedOperation = {
  name: string
  ask: () => Promise<Ask>
  others?: (call: Ask) => unknown // The body of a different request to the same address.
}

// All operations that take a key, with valid requests to this service.
export async function keyedOperations(bench: Bench): Promise<KeyedOperation[]> {
  const made = await bench.call({ url: ENDPOINTS, body: { url: HOOK } })
  const endpoint = `${ENDPOINTS}/${made.json().data.id}`
  return [
    ...paymentOperations(bench),
    ...sandboxOperations(bench),
    ...suspenseOperations(bench),
    ...webhookOperations(bench, endpoint),
    ...erasureOperations(bench),
    ...accountOperations(bench),
    ...splitOperations(bench),
    ...operatorOperations(bench),
    ...payoutOperations(bench),
    ...settlementOperations(bench),
    ...refundOperations(bench),
    ...resolutionOperations(bench),
    ...accountingOperations(),
    ...payoutFileOperations(bench),
    ...clockOperations(), // Last: the others run in real time.
  ]
}

const erasureOperations = (bench: Bench): KeyedOperation[] => [
  {
    name: 'eraseCollectionAccount',
    ask: async () => ({
      url: `${ACCOUNTS}/${(await createAccount(bench)).accountNumber}/erase`,
      body: { reason: 'Asked for.' },
    }),
    others: () => ({ reason: 'Other.' }),
  },
  {
    name: 'eraseAdvice',
    ask: async () => ({
      url: `/api/v1/advices/${(await createAdvice(bench)).adviceReference}/erase`,
      body: { reason: 'Asked for.' },
    }),
    others: () => ({ reason: 'Other.' }),
  },
]

const paymentOperations = (bench: Bench): KeyedOperation[] => [
  {
    name: 'createCollectionAccount',
    ask: async () => ({ url: ACCOUNTS, body: accountBody() }),
    others: () => accountBody({ channel: 'WEB' }),
  },
  {
    name: 'createAdvice',
    ask: async () => ({ url: ADVICE, body: adviceBody() }),
    others: () => adviceBody({ amount: 7 }),
  },
  {
    name: 'cancelAdvice',
    ask: async () => ({
      url: `${ADVICE}/${(await createAdvice(bench)).adviceReference}/cancel`,
    }),
    others: () => ({ why: 'not' }),
  },
  {
    name: 'cancelAdviceByAnyReference',
    ask: async () => ({
      url: `/api/v1/advices/${(await createAdvice(bench)).adviceReference}/cancel`,
    }),
  },
  {
    name: 'extendAdvice',
    ask: async () => ({
      url: `/api/v1/advices/${(await startPayment(bench)).adviceReference}/extend`,
      body: { seconds: 60 },
    }),
    others: () => ({ seconds: 61 }),
  },
  {
    name: 'initiateBankTransfer',
    ask: async () => ({
      url: `${INITIATE}/${(await createAdvice(bench)).adviceReference}`,
      body: { bankCode: '035' },
    }),
    others: () => ({ bankCode: '058' }),
  },
  {
    name: 'simulatePayment',
    ask: async () => {
      const { accountNumber } = await createAccount(bench)
      return { url: SIMULATE, body: { virtualAccountNumber: accountNumber, amount: '10' } }
    },
    others: ({ body }) => ({ ...(body as object), amount: '11' }),
  },
]

const sandboxOperations = (bench: Bench): KeyedOperation[] => [
  {
    name: 'sendSandboxTransfer',
    ask: async () => {
      const { bankAccount } = await startPayment(bench)
      return { url: '/sandbox/transfers', body: { accountNumber: bankAccount, kind: 'exact' } }
    },
    others: ({ body }) => ({ ...(body as object), kind: 'over' }),
  },
]

const suspenseOperations = (bench: Bench): KeyedOperation[] => [
  {
    name: 'assignSuspense',
    ask: async () => {
      const { accountNumber } = await createAccount(bench)
      const { id } = await suspend(bench, NOBODYS_NUMBER, '10')
      return { url: `${SUSPENSE}/${id}/assign`, body: { accountNumber } }
    },
    others: ({ body }) => ({ ...(body as object), note: 'Other.' }),
  },
  {
    name: 'returnSuspense',
    ask: async () => ({
      url: `${SUSPENSE}/${(await suspend(bench, NOBODYS_NUMBER, '10')).id}/return`,
      body: {},
    }),
    others: () => ({ note: 'Other.' }),
  },
]

const webhookOperations = (bench: Bench, endpoint: string): KeyedOperation[] => [
  {
    name: 'createWebhookEndpoint',
    ask: async () => ({ url: ENDPOINTS, body: { url: HOOK } }),
    others: () => ({ url: `${HOOK}/other` }),
  },
  {
    name: 'rotateWebhookSecret',
    ask: async () => ({ url: '/api/v1/webhook-secret/rotate' }),
  },
  {
    name: 'rotateWebhookEndpointSecret',
    ask: async () => ({ url: `${endpoint}/rotate-secret` }),
  },
  {
    name: 'testWebhookEndpoint',
    ask: async () => ({ url: `${endpoint}/test` }),
  },
  {
    name: 'replayEvents',
    ask: async () => ({
      url: `${endpoint}/replay`,
      body: { from: '2026-11-01', to: '2026-12-01' },
    }),
    others: () => ({ from: '2026-11-02', to: '2026-12-01' }),
  },
  {
    name: 'redeliverEvent',
    ask: async () => {
      const { data } = (await bench.call({ url: '/api/v1/events?type=account.created' })).json()
      return { url: `/api/v1/events/${data[0].id}/redeliver`, body: {} }
    },
    others: () => ({ endpointId: endpoint.slice(ENDPOINTS.length + 1) }),
  },
  {
    name: 'pushPayment',
    ask: async () => ({
      url: `/api/WebHook/push/${(await startPayment(bench)).paymentReference}`,
    }),
  },
]

let codes = 0
const newCode = () => `code-${++codes}`

const accountOperations = (bench: Bench): KeyedOperation[] => [
  ...(['deactivate', 'activate', 'verify', 'default'] as const).map((change) => ({
    name: change === 'default' ? 'setDefaultCollectionAccount' : `${change}CollectionAccount`,
    ask: async () => {
      const url = `${ACCOUNTS}/${(await createAccount(bench)).accountNumber}`
      if (change === 'activate') await bench.call({ method: 'POST', url: `${url}/deactivate` })
      return { url: `${url}/${change}` }
    },
  })),
  {
    name: 'addCollectionAccountNumber',
    ask: async () => ({
      url: `${ACCOUNTS}/${(await createAccount(bench)).accountNumber}/numbers`,
      body: { bankCode: '058' },
    }),
    others: () => ({ bankCode: '101' }),
  },
  {
    name: 'createCollectionAccounts',
    ask: async () => ({ url: `${ACCOUNTS}/bulk`, body: { accounts: [accountBody()] } }),
    others: () => ({ accounts: [accountBody({ channel: 'WEB' })] }),
  },
  {
    name: 'createLimitProfile',
    ask: async () => ({ url: LIMIT_PROFILES, body: profileBody({ code: newCode() }) }),
    others: () => profileBody({ code: newCode() }),
  },
]

const operatorOperations = (bench: Bench): KeyedOperation[] => [
  {
    name: 'createClient',
    ask: async () => ({ url: CLIENTS, body: { name: 'Ada’s Shop' } }),
    others: () => ({ name: 'Obi’s Shop' }),
  },
  ...[
    { name: 'rotateClientSecret', verb: 'rotate-secret', other: { overlapSeconds: 1 } },
    { name: 'suspendClient', verb: 'suspend', other: { note: 'Other.' } },
    { name: 'resumeClient', verb: 'resume', other: { note: 'Other.' } },
  ].map(({ name, verb, other }) => ({
    name,
    ask: async () => ({
      url: `${CLIENTS}/${(await registerOf(bench).make()).clientId}/${verb}`,
      body: {},
    }),
    others: () => other,
  })),
  {
    name: 'createFeeRule',
    ask: async () => {
      const { clientId } = await registerOf(bench).make()
      return { url: FEE_RULES, body: feeRuleBody({ clientId }) }
    },
    others: () => feeRuleBody({ bps: 1 }),
  },
  {
    name: 'confirmReturn',
    ask: async () => ({ url: `${await startReturn(bench)}/confirm`, body: {} }),
    others: () => ({ bankReference: 'OTHER' }),
  },
  {
    name: 'failReturn',
    ask: async () => ({ url: `${await startReturn(bench)}/fail`, body: { reason: 'Closed.' } }),
    others: () => ({ reason: 'Other.' }),
  },
  ...(['acknowledge', 'reopen'] as const).map((action) => ({
    name: `${action}Alert`,
    ask: async () => {
      const { rows } = await bench.db.query(
        `insert into alerts (kind, subject, detail, raised_at)
         values ('session_reused', gen_random_uuid()::text, '{}', $1) returning id`,
        [bench.clock()],
      )
      return { url: `/api/v1/operator/alerts/${rows[0].id}/${action}`, body: {} }
    },
  })),
]

// Requests a return that the sandbox's bank has not confirmed yet; returns its route.
async function startReturn(bench: Bench): Promise<string> {
  const { id } = await suspend(bench, NOBODYS_NUMBER, '10')
  const itemId = asId<SuspenseItemId>(storedId('suspense', id))
  const by = (await findClient(bench.db, 'MAN0000001')) as Client
  const sharedAccounts = new SharedAccounts(bench.db)
  const acting = { sharedAccounts, by, actor: 'client:MAN0000001', userId: null }
  await withTransaction(bench.db, (tx) =>
    requestReturn(tx, { ...acting, ...sealingOf(bench), now: bench.clock(), note: null }, itemId),
  )
  return `/api/v1/operator/returns/${await pendingReturnOf(bench.db, itemId)}`
}
