// What clients do: create and close accounts, ask for payments, pay out, refund. Each has an idempotency
// key, and bears it where the books can be searched for it.

import { randomUUID } from 'node:crypto'
import type { Answer, Call, Caller, Verdict } from './caller.ts'
import type { Random } from './random.ts'
import { HOSTILE } from './receivers.ts'
import type { Operation, Terms } from './witness.ts'
import type { Client, Payment, World } from './world.ts'

const AGAIN = [401, 403, 408, 429]

export type Actor = { caller: Caller; world: World; random: Random }

export function naira(kobo: bigint): string {
  return `${kobo / 100n}.${String(kobo % 100n).padStart(2, '0')}`
}

export async function createAccount({ caller, world, random }: Actor): Promise<void> {
  const client = random.pick(world.clients)
  const key = newKey('account')
  const verdict = await askOnce(caller, {
    ...{ operation: 'account', key, client, path: '/api/v1/accounts/static' },
    terms: { clientId: client.clientId },
    body: {
      ...{ accountName: key, bvn: '22212345654', email: 'ada@example.com' },
      ...{ merchantId: 'M-1', merchantCode: 'SHOP', phoneNumber: '+2348012345678', channel: 'API' },
      notificationUrl: world.receivers.hostile(random.pick(HOSTILE), client.clientId),
    },
    resultOf: ({ data }) => ({ accountNumber: data.accountNumber }),
  })
  if (verdict?.is !== 'acknowledged') return
  world.accounts.add({ accountNumber: verdict.result.accountNumber as string, client })
}

export async function closeAccount({ caller, world, random }: Actor): Promise<void> {
  const account = random.pick(world.accounts.items)
  if (!account) return
  world.accounts.drop(account)
  const { accountNumber, client } = account
  await askOnce(caller, {
    ...{ operation: 'deactivation', key: newKey('deactivation'), client, body: {} },
    path: `/api/v1/accounts/static/${accountNumber}/deactivate`,
    terms: { accountNumber },
    resultOf: () => ({}),
  })
}

// An advice, and a number for it.
export async function startPayment(actor: Actor): Promise<Payment | undefined> {
  const { caller, world, random } = actor
  const client = random.pick(world.clients)
  const kobo = BigInt(random.integer(100, 500_000))
  const key = newKey('advice')
  const advice = await askOnce(caller, {
    ...{ operation: 'advice', key, client, path: '/Payment/advice' },
    terms: { clientId: client.clientId, amount: `${kobo}` },
    body: {
      ...{ amount: naira(kobo), currency: 'NGN', merchantRef: key },
      customer: { customerFullName: key },
      callBackUrl: world.receivers.hostile(random.pick(HOSTILE), client.clientId),
      expiresInSeconds: random.pick([60, 120, 1_800]),
      graceSeconds: random.pick([0, 300]),
      amountPolicy: random.pick(['allow_under', 'exact', 'any']),
    },
    resultOf: ({ responseData }) => ({ adviceReference: responseData.adviceReference }),
  })
  const adviceReference = advice?.result.adviceReference
  if (advice?.is !== 'acknowledged' || !adviceReference) return undefined
  const verdict = await askOnce(caller, {
    ...{ operation: 'payment', key: newKey('payment'), client },
    path: `/Payment/process/banktransfer/${adviceReference}`,
    terms: { advice: key },
    body: { bankCode: world.bankCode },
    resultOf: ({ responseData: { paymentReference, bankAccount } }) => ({
      paymentReference,
      accountNumber: bankAccount,
    }),
  })
  const { paymentReference, accountNumber } = verdict?.result ?? {}
  if (verdict?.is !== 'acknowledged' || !paymentReference || !accountNumber) return undefined
  return { paymentReference, accountNumber, kobo, client }
}

export async function payOut({ caller, world, random }: Actor): Promise<void> {
  const client = random.pick(world.clients)
  const key = newKey('payout')
  const kobo = BigInt(random.integer(100, 200_000))
  await askOnce(caller, {
    ...{ operation: 'payout', key, client, path: '/api/v1/payouts' },
    terms: { clientId: client.clientId, amount: `${kobo}` },
    body: { bankAccount: world.payeeOf(client), amount: naira(kobo), narration: key },
    resultOf: ({ data }) => ({ reference: data.reference }),
  })
}

export async function refund({ caller, world, random }: Actor): Promise<void> {
  const payment = random.pick(world.payments.items)
  if (!payment) return
  const { client, paymentReference, kobo: whole } = payment
  const key = newKey('refund')
  const kobo = BigInt(random.integer(1, Number(whole)))
  await askOnce(caller, {
    ...{ operation: 'refund', key, client },
    path: `/api/v1/payments/${paymentReference}/refunds`,
    terms: { clientId: client.clientId, amount: `${kobo}` },
    body: { amount: naira(kobo), reason: key },
    resultOf: ({ data }) => ({ reference: data.reference }),
  })
}

function newKey(operation: Operation): string {
  return `${operation}-${randomUUID()}`
}

type Once = {
  operation: Operation
  key: string
  client: Client
  path: string
  terms: Terms
  body: object
  // biome-ignore lint/suspicious/noExplicitAny: whatever comes is held against the books later.
  resultOf: (body: any) => Terms
}

async function askOnce(caller: Caller, once: Once): Promise<Verdict | undefined> {
  const { operation, key, client, path, terms, body, resultOf } = once
  const call: Call = {
    operation,
    wants: [{ key, terms }],
    path,
    body,
    async headers(_, api) {
      const token = await client.token(api)
      return token ? { authorization: `Bearer ${token}`, 'idempotency-key': key } : undefined
    },
    onUnauthorized: (api) => client.forget(api),
    read: (answer) => [readVerdict(answer, resultOf)],
  }
  const [verdict] = await caller.ask(call)
  return verdict
}

function readVerdict(
  { status, body }: Answer,
  resultOf: (body: never) => Terms,
): Verdict | undefined {
  if (status === 200 || status === 201) {
    return { is: 'acknowledged', result: resultOf(body as never) }
  }
  if (status >= 500 || AGAIN.includes(status)) return undefined
  const { code = '', message = '' } = body as Record<string, string>
  return { is: 'refused', result: { status: `${status}`, code, message } }
}
