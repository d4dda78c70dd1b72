// The clients' random actions before money comes in: they create and close collection accounts, request
// payments, and cancel the requests.

import { type Actor, askOnce, naira, newKey } from './client-calls.ts'
import type { Random } from './random.ts'
import { HOSTILE, type Receivers } from './receivers.ts'
import type { Client, Payment } from './world.ts'

// Creates a collection account with a number at a random bank, to which payers will pay. The API names the
// account by its `firstNumber`, which may be another bank's.
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
    termsToCheck: { clientId: client.clientId, ...split },
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
      paidAt: data.accounts.find((number: { bankCode: string }) => number.bankCode === bank.code)
        .accountNumber,
    }),
  })
  if (verdict?.is !== 'acknowledged') return
  const { accountNumber: firstNumber = '', paidAt: accountNumber = '' } = verdict.result
  world.accounts.add({ firstNumber, accountNumber, client, bank })
}

// Deactivates a random account, which later actions no longer use.
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
    termsToCheck: { accountNumber },
    resultOf: () => ({}),
  })
}

// Creates a payment request (advice), and starts its payment at a random bank, which leases a number for
// it. Returns undefined unless both calls were acknowledged.
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
    termsToCheck: { clientId: client.clientId, amount: `${kobo}`, ...split },
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
    termsToCheck: { advice: key },
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
    termsToCheck: { advice: payment.advice },
    resultOf: ({ responseData: { status } }) => ({ status }),
  })
}

// Picks the notification URL of an account or payment: half of the URLs belong to an honest receiver, which
// the checks rely on, and half to a hostile one.
function notificationUrl(
  receivers: Receivers,
  random: Random,
  { client: { clientId }, key }: { client: Client; key: string },
): string {
  if (random.happens(0.5)) return receivers.of({ clientId, kind: 'notification', key })
  return receivers.hostile(random.pick(HOSTILE), clientId)
}
