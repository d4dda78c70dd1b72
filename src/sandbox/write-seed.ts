// Writes a seed step by step, with the functions that create any merchant's accounts, advices, payments and
// credits, and with the dates of the plan. Nothing is dated into a closed day.
//
// The seed's events are listed and counted, but no webhook is sent for them. Other events of the client,
// waiting or concurrent, are dispatched as usual.

import { createAccounts } from '#accounts/create.ts'
import { makeSessionId } from '#banks/nuban.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import { findCollectionBank } from '#config/number-settings.ts'
import type { Policy } from '#config/policy-settings.ts'
import { expirePayments } from '#credits/close.ts'
import { takeCredits } from '#credits/take.ts'
import { pipeline, type Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { AdviceId, ClientId } from '#ids.ts'
import type { SharedAccounts } from '#ledger/accounts.ts'
import { AMOUNT_MAX_KOBO, CURRENCY, type Kobo } from '#money.ts'
import { createAdvices } from '#payments/advice.ts'
import { type Initiated, initiateOnce } from '#payments/initiate.ts'
import { PaymentRouter } from '#routing/decision.ts'
import type { Sealer } from '#seal.ts'
import { dispatchEvents } from '#webhooks/dispatch.ts'
import {
  claimSeed,
  countStep,
  creditOf,
  listSteps,
  paymentOf,
  type Seed,
  type SeedStep,
  sampleName,
} from './seeds.ts'

export type SeedDeps = {
  sealer: Sealer
  sharedAccounts: SharedAccounts
  banks: readonly BankSettings[]
  limits: Policy['limits']
  quarantineDays: number
  graceSeconds: number
}

const BVN = '22200000000' // A BVN that no person has.
const EXPIRES_SECONDS = 1_800
const BANK_TIME_MAX_MS = 0 // The seed's credits are judged by their booking time alone.

// A step that is being written. `now` is the time at which its rows are dated.
type Writing = { deps: SeedDeps; seed: Seed; now: Date }

// Writes the next step of a seed. Returns undefined if no seed is waiting.
export async function writeNextStep(
  tx: Transaction,
  deps: SeedDeps,
  { at, clientId }: { at: Date; clientId: ClientId | null },
): Promise<Seed | undefined> {
  const seed = await claimSeed(tx, clientId)
  if (!seed) return undefined
  const step = listSteps(seed, seed.endsAt)[seed.done] as SeedStep
  // The number of the last event that was dispatched before the step.
  const from = await dispatchEarlierEvents(tx, seed.clientId, at)
  const writing = { deps, seed, now: await openTime(tx, step.at) }
  if (step.kind === 'accounts') await writeAccounts(tx, writing, step)
  if (step.kind === 'credits') await writeCredits(tx, writing, step)
  if (step.kind === 'payments') await writePayments(tx, writing, { ...step, at })
  await skipEventsOfStep(tx, at, { clientId: seed.clientId, from })
  await countStep(tx, at, seed)
  return seed
}

// Returns `at`, or the end of the last closed day if that is later: closed books stay unchanged (I68).
async function openTime(tx: Transaction, at: Date): Promise<Date> {
  const { rows } = await tx.query<{ now: Date }>({
    name: 'open-time',
    text: 'select greatest($1, max(ends_at)) as now from closed_days',
    values: [at],
  })
  return (rows[0] as { now: Date }).now
}

// Returns the client whose seed it is, with its client ID and name.
async function readOwner(tx: Transaction, { clientId }: Seed) {
  const { rows } = await tx.query<{ clientId: string; name: string }>({
    name: 'client-of-seed',
    text: 'select client_id, name from clients where id = $1',
    values: [clientId],
  })
  return rows[0] as { clientId: string; name: string }
}

// Returns the merchant id of a sample account. Later steps find the account by its merchant id.
const merchantOf = ({ id }: Seed, index: number) => `sample-${id}-${index}`

// Creates the sample accounts from index `from` up to, but not including, `to`.
async function writeAccounts(
  tx: Transaction,
  { deps, seed, now }: Writing,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const { sealer, banks, limits } = deps
  // Skips banks that identify each customer: sample customers have no identity that a bank could check.
  const bank = findCollectionBank(banks.filter(({ numbers }) => numbers !== 'perCustomer'))
  if (!bank) return
  const { clientId: merchantCode } = await readOwner(tx, seed)
  const requests = range(from, to).map((index) => ({
    clientId: seed.clientId,
    fields: {
      accountName: sampleName(seed.seed, index),
      bvn: BVN,
      email: `customer${index}@shop.example`,
      phoneNumber: '+2348000000000',
      merchantId: merchantOf(seed, index),
      merchantCode,
      notificationUrl: 'https://shop.example/hooks',
      channel: 'sample',
    },
    kyc: {},
    payerRules: null,
  }))
  throwAnyRefusal(await createAccounts(tx, { sealer, bank, banks, limits, now }, requests))
}

// Books a day's credits to the sample accounts in the range of indexes.
async function writeCredits(
  tx: Transaction,
  { deps, seed, now }: Writing,
  { day, from, to }: { day: number; from: number; to: number },
): Promise<void> {
  const { rows } = await tx.query<{ merchantId: string; bankCode: string; number: string }>({
    name: 'accounts-of-seed',
    text: `select a.merchant_id, n.bank_code, n.account_number as number
             from collection_accounts a
             join numbers n on n.collection_account_id = a.id and n.account_number = a.account_number
            where a.client_id = $1 and a.merchant_id = any($2::text[])`,
    values: [seed.clientId, range(from, to).map((index) => merchantOf(seed, index))],
  })
  const numbers = new Map(rows.map((row) => [row.merchantId, row]))
  // The accounts that receive a credit on this day. `unique` is different for each transfer of the seed.
  const transfers = range(from, to).flatMap((index) => {
    const amountKobo = creditOf(seed.seed, day, index)
    const to = numbers.get(merchantOf(seed, index))
    if (amountKobo === undefined || !to) return []
    return [{ to, amountKobo, unique: (day + 1) * 1_000_000 + index }]
  })
  await bookTransfers(tx, { deps, seed, now }, transfers)
}

// Creates a day's payment requests, initiates their payments, and pays them as the plan says: in full, in
// part, too much or not at all. Expires unpaid ones that are past their grace period.
async function writePayments(
  tx: Transaction,
  { deps, seed, now }: Writing,
  { day, count, at }: { day: number; count: number; at: Date },
): Promise<void> {
  const { sealer, banks, quarantineDays, graceSeconds } = deps
  const bank = banks.find(({ dynamic }) => dynamic)
  if (!bank) return
  const { clientId } = seed
  const { name } = await readOwner(tx, seed)
  const planned = range(0, count).map((index) => paymentOf(seed.seed, day, index))
  const requests = planned.map(({ amountKobo }, index) => ({
    clientId,
    merchantName: name,
    terms: termsOf({ amountKobo, name: sampleName(seed.seed, index), graceSeconds }),
  }))
  const advices = throwAnyRefusal(await createAdvices(tx, { sealer, now }, requests))
  const initiations = advices.map(({ value }) => ({
    adviceId: value.id as AdviceId,
    bankCode: bank.code,
    clientId,
  }))
  // initiateOnce() requires a router, which has nothing to choose: each initiation names its bank.
  const router = new PaymentRouter({ banks, clock: () => now })
  const initiated: Initiated[] = throwAnyRefusal(
    await initiateOnce(tx, { sealer, banks, router, quarantineDays, now }, initiations),
  )
  // The transfers that pay the payments, as planned. A payment with a planned amount of 0 gets none.
  const transfers = initiated.flatMap(({ bankCode, accountNumber: number }, index) => {
    const amountKobo = planned[index]?.paidKobo ?? 0n
    if (amountKobo === 0n) return []
    const unique = 500_000_000 + day * 1_000_000 + index // Above the numbers of credits to accounts.
    return [{ to: { bankCode, number }, amountKobo: amountKobo as Kobo, unique }]
  })
  await bookTransfers(tx, { deps, seed, now }, transfers)
  const closesAt = new Date(now.getTime() + (EXPIRES_SECONDS + graceSeconds) * 1_000)
  if (closesAt > at) return // The worker closes these payments later.
  const ids = initiated.map(({ payment }) => payment.id)
  await expirePayments(tx, { sharedAccounts: deps.sharedAccounts, now: closesAt }, ids)
}

type Terms = { amountKobo: Kobo; name: string; graceSeconds: number }

// Returns the terms of a sample payment request.
function termsOf({ amountKobo, name, graceSeconds }: Terms) {
  return {
    merchantRef: null,
    amountKobo,
    currency: CURRENCY,
    narration: 'Sample order',
    callBackUrl: 'https://shop.example/thanks',
    notificationUrl: null,
    customer: { customerId: null, firstName: null, lastName: null, email: null, phoneNumber: null },
    customerName: name,
    amountPolicy: 'allow_under' as const,
    expiresInSeconds: EXPIRES_SECONDS,
    graceSeconds,
    payerRules: null,
    splitCode: null,
  }
}

// A transfer to a sample account or payment. `unique` is its place in the seed, for its session id.
type Sample = { to: { bankCode: string; number: string }; amountKobo: Kobo; unique: number }

// Books sample transfers, as if the bank had reported them at `now`.
async function bookTransfers(
  tx: Transaction,
  { deps, seed, now }: Writing,
  transfers: readonly Sample[],
): Promise<void> {
  if (transfers.length === 0) return
  const { sealer, sharedAccounts } = deps
  const credits = transfers.map(({ to, amountKobo, unique }) => ({
    bankCode: to.bankCode,
    accountNumber: to.number,
    amountKobo,
    // The session id is unique: it consists of the seed's id and the place in the seed.
    sessionId: makeSessionId({
      institution: '999998',
      now,
      unique: String((seed.id % 1_000n) * 1_000_000_000n + BigInt(unique)).padStart(12, '0'),
    }),
    currency: CURRENCY,
    sourceAccountNumber: null,
    sourceAccountName: 'Sandbox Payer',
    sourceBankCode: null,
    narration: 'Sample transfer',
    transactionTime: now,
    source: 'sandbox' as const,
  }))
  // No sample amount is above AMOUNT_MAX_KOBO, so none is suspended as suspicious.
  const judging = { bankTimeMaxAgeMs: BANK_TIME_MAX_MS, suspiciousKobo: AMOUNT_MAX_KOBO }
  const deciding = { sealer, sharedAccounts, ...judging, now }
  // takeCredits() returns the statements that it has sent but not awaited.
  await pipeline([...(await takeCredits(tx, deciding, credits)).statements])
}

// Dispatches the events that the client has so far, and returns the number of the last one. Holds the
// client's dispatch cursor until this transaction commits, so that no worker dispatches the events of the
// seed.
async function dispatchEarlierEvents(
  tx: Transaction,
  clientId: ClientId,
  now: Date,
): Promise<bigint> {
  while ((await dispatchEvents(tx, now, { clientId })).events > 0);
  await tx.query({
    name: 'open-dispatch-cursor',
    text: 'insert into dispatch_cursors (client_id) values ($1) on conflict do nothing',
    values: [clientId],
  })
  const { rows } = await tx.query<{ sequence: bigint }>({
    name: 'hold-dispatch',
    text: 'select sequence from dispatch_cursors where client_id = $1 for no key update',
    values: [clientId],
  })
  return (rows[0] as { sequence: bigint }).sequence
}

// Dispatches the client's events of other transactions after number `from`, and skips the events of this step
// (`xmin` is this transaction), for which no webhook is sent. The events of this step are the client's last
// ones, because the transaction has locked the client's counter since its first event.
async function skipEventsOfStep(
  tx: Transaction,
  now: Date,
  { clientId, from }: { clientId: ClientId; from: bigint },
): Promise<void> {
  const { rows } = await tx.query<{ first: bigint | null }>({
    name: 'first-event-of-step',
    text: `select min(sequence) as first from events
            where client_id = $1 and sequence > $2 and xmin = pg_current_xact_id()::xid`,
    values: [clientId, from],
  })
  const first = rows[0]?.first ?? null
  if (first === null) return
  let otherEvents = Number(first - from - 1n)
  while (otherEvents > 0) {
    const { events } = await dispatchEvents(tx, now, { clientId, eventsMax: otherEvents })
    if (events === 0) throw new Error('an event before those of the seed is missing')
    otherEvents -= events
  }
  await tx.query({
    name: 'skip-dispatch',
    text: `update dispatch_cursors c set sequence = k.sequence
             from event_counters k
            where k.client_id = c.client_id and c.client_id = $1`,
    values: [clientId],
  })
}

// Returns the answers, or throws the first refusal among them.
function throwAnyRefusal<T>(answers: readonly (T | Refusal)[]): T[] {
  return answers.map((answer) => {
    if (answer instanceof Refusal) throw answer
    return answer
  })
}

// Returns the numbers from `from` up to, but not including, `to`.
function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index)
}
