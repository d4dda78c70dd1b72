// The actions of clients before money comes in: they create and close accounts, request payments,
// and cancel the requests.

import { type Actor, askOnce, naira, newKey } from './client-calls.ts'
import type { Random } from './random.ts'
import { HOSTILE, type Receivers } from './receivers.ts'
import type { Client, Payment } from './world.ts'

export async function createAccount({ caller, world, random }: Actor): Promise<void> {
  const client = random.pick(world.clients)
  const bank = random.pick(world.banks)
  const key = newKey('account')
  const split = random.happens(0.3) ? { splitCode: world.splitCode } : {}
  const verdict = await askOnce(caller, {
    operation: 'account',
    key,
    client,
    path: '/api/v1/accounts/static',
    terms: { clientId: client.clientId, ...split },
    body: {
      accountName: key,
      bvn: '22212345654',
      email: 'ada@example.com',
      banks: [bank.code],
      merchantId: 'M-1',
      merchantCode: 'SHOP',
      phoneNumber: '+2348012345678',
      channel: 'API',
      notificationUrl: notificationUrl(world.receivers, random, { client, key }),
      ...split,
    },
    resultOf: ({ data }) => ({
      accountNumber: data.accountNumber,
      paidAt: data.accounts.find((each: { bankCode: string }) => each.bankCode === bank.code)
        .accountNumber,
    }),
  })
  if (verdict?.is !== 'acknowledged') return
  const { accountNumber: firstNumber = '', paidAt: accountNumber = '' } = verdict.result
  world.accounts.add({ firstNumber, accountNumber, client, bank })
}

export async function closeAccount({ caller, world, random }: Actor): Promise<void> {
  const account = random.pick(world.accounts.items)
  if (!account) return
  world.accounts.drop(account)
  const { firstNumber: accountNumber, client } = account
  await askOnce(caller, {
    operation: 'deactivation',
    key: newKey('deactivation'),
    client,
    body: {},
    path: `/api/v1/accounts/static/${accountNumber}/deactivate`,
    terms: { accountNumber },
    resultOf: () => ({}),
  })
}

// Creates an advice, and requests a number for it.
export async function startPayment(actor: Actor): Promise<Payment | undefined> {
  const { caller, world, random } = actor
  const { receivers } = world
  const client = random.pick(world.clients)
  const bank = random.pick(world.banks)
  const kobo = BigInt(random.integer(100, 500_000))
  const key = newKey('advice')
  const split = random.happens(0.2) ? { splitCode: world.splitCode } : {}
  const amountPolicy = random.pick(['allow_under', 'allow_under', 'exact', 'any'])
  const advice = await askOnce(caller, {
    operation: 'advice',
    key,
    client,
    path: '/Payment/advice',
    terms: { clientId: client.clientId, amount: `${kobo}`, ...split },
    body: {
      amount: naira(kobo),
      currency: 'NGN',
      merchantRef: key,
      customer: { customerFullName: key },
      callBackUrl: random.happens(0.5)
        ? receivers.of({ clientId: client.clientId, kind: 'callback', key })
        : receivers.hostile(random.pick(HOSTILE), client.clientId),
      ...(random.happens(0.5)
        ? { notificationUrl: notificationUrl(receivers, random, { client, key }) }
        : {}),
      expiresInSeconds: random.pick([60, 120, 1_800]),
      graceSeconds: random.pick([0, 300]),
      amountPolicy,
      ...split,
    },
    resultOf: ({ responseData }) => ({ adviceReference: responseData.adviceReference }),
  })
  const adviceReference = advice?.result.adviceReference
  if (advice?.is !== 'acknowledged' || !adviceReference) return undefined
  const verdict = await askOnce(caller, {
    operation: 'payment',
    key: newKey('payment'),
    client,
    path: `/Payment/process/banktransfer/${adviceReference}`,
    terms: { advice: key },
    body: { bankCode: bank.code },
    resultOf: ({ responseData: { paymentReference, bankAccount } }) => ({
      paymentReference,
      accountNumber: bankAccount,
    }),
  })
  const { paymentReference, accountNumber } = verdict?.result ?? {}
  if (verdict?.is !== 'acknowledged' || !paymentReference || !accountNumber) return undefined
  return { advice: key, adviceReference, paymentReference, accountNumber, kobo, client, bank }
}

// Cancels a payment, paid or not. The service refuses if it is paid in full.
export async function cancelPayment({ caller, world, random }: Actor): Promise<void> {
  const payment = random.pick(world.payments.items)
  if (!payment) return
  await askOnce(caller, {
    operation: 'advice_cancellation',
    key: newKey('advice_cancellation'),
    body: {},
    client: payment.client,
    path: `/Payment/advice/${payment.adviceReference}/cancel`,
    terms: { advice: payment.advice },
    resultOf: ({ responseData: { status } }) => ({ status }),
  })
}

// Returns a URL for an account or payment. Half of the URLs belong to hostile receivers.
function notificationUrl(
  receivers: Receivers,
  random: Random,
  { client: { clientId }, key }: { client: Client; key: string },
): string {
  if (random.happens(0.5)) return receivers.of({ clientId, kind: 'notification', key })
  return receivers.hostile(random.pick(HOSTILE), clientId)
}
