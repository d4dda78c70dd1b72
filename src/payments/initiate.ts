// Initiates payments: leases a number at the bank that the payer chose, or else at a bank that routing
// chooses.
//
// Initiating again at the same bank returns the same number of the same payment. Initiating at another bank
// leases a further number for the same payment, and money to either number pays it. The first number sets the
// payment's expiry and the amount that the payer must pay, which includes the fee if the customer bears it.
//
// Locks: advices, then payments, each in id order; then the ranges in bank order.

import { MERCHANT_NAME } from '#accounts/account.ts'
import { takeDynamicNumbers } from '#accounts/numbers.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import { issuesNumbers } from '#config/number-settings.ts'
import { numberArray } from '#db/sql.ts'
import { pipeline, type Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { quoteFor } from '#fees/charges.ts'
import { type FeeRule, readRules, ruleInForce } from '#fees/rules.ts'
import {
  type AdviceId,
  type ClientId,
  type FeeRuleId,
  type PaymentId,
  timeOrderedId,
} from '#ids.ts'
import { kobo } from '#money.ts'
import { type NewAlert, raiseAlerts } from '#records/alerts.ts'
import { appendEvents, type NewEvent, traceNames } from '#records/events.ts'
import { createOnce, type IdempotencyKey } from '#records/idempotency.ts'
import { type PaymentRouter, type StoredDecision, toStored } from '#routing/decision.ts'
import type { Sealer } from '#seal.ts'
import { nameTraced } from '#trace-context.ts'
import { closedRefusal, isOpen, type Payment, SELECT_PAYMENT, statusAt } from './payment.ts'
import type { PaymentStatus } from './states.ts'

export type Initiation = {
  adviceId: AdviceId
  bankCode: string | undefined // Undefined if routing is to choose the bank (src/routing/).
  clientId: ClientId | undefined // Undefined if the caller holds only the reference.
  idempotencyKey?: string | undefined // See initiateOnce.
}

export type Initiated = {
  payment: Payment
  bankCode: string
  accountNumber: string
  at: Date // The moment as of which the payment is shown.
  isReplayed?: boolean
}

export type Deps = {
  now: Date
  banks: readonly BankSettings[]
  quarantineDays: number
  router: PaymentRouter
}
type AdviceRow = Omit<Payment, 'id' | 'status' | 'amountPaidKobo' | 'numbers' | Fees> & {
  expiresInSeconds: number
  graceSeconds: number
  cancelledAt: Date | null
}
type Fees = 'quotedFeeKobo' | 'quotedVatKobo' | 'chargedFeeKobo' | 'chargedVatKobo' | 'splits'
type Routing = StoredDecision | null // Null if the caller named the bank, or the payment keeps its bank.
type NumberRequest = { payment: Payment; bank: BankSettings; routing: Routing }
type Lease = NumberRequest & { accountNumber: string; isRecycled: boolean }
type Decided = { payment: Payment; bankCode: string }

async function initiatePayments(
  tx: Transaction,
  deps: Deps,
  initiations: readonly Initiation[],
): Promise<(Initiated | Refusal)[]> {
  const ids = [...new Set(initiations.map((initiation) => initiation.adviceId))]
  const { advices, payments, rules } = await lockAdvices(tx, deps.now, ids)

  // First decides about each initiation, then leases the numbers that are needed, then answers.
  const opened = new Map<string, Payment>()
  const requests = new Map<string, NumberRequest>()
  const decided = initiations.map((initiation): Decided | Refusal => {
    const advice = advices.get(initiation.adviceId)
    if (!advice || (initiation.clientId ?? advice.clientId) !== advice.clientId) {
      return new Refusal('advice_not_found')
    }
    const known = payments.get(advice.adviceId)
    const refusal = findRefusal(advice, known, deps.now)
    // Choosing a bank may use up a bank's trial, so a bank is chosen only for a payment that can get a
    // number.
    if (refusal && initiation.bankCode === undefined) return refusal
    const { bankCode, routing } = findBank(deps, { initiation, known, advice })
    const bank = deps.banks.find(({ code }) => code === bankCode)
    if (bankCode !== null && (!bank || !issuesNumbers(bank, 'dynamic'))) {
      return new Refusal('bank_not_supported')
    }
    if (refusal) return refusal
    if (!bank) return new Refusal('no_bank_usable')
    const payment = known ?? openPayment(advice, rules, deps.now)
    if (!known) opened.set(payment.id, payment)
    payments.set(advice.adviceId, payment)
    const key = `${bank.code}/${payment.id}`
    if (!numberAt(payment, bank.code) && !requests.has(key)) {
      requests.set(key, { payment, bank, routing })
    }
    return { payment, bankCode: bank.code }
  })
  nameTraced(initiations, (at) => {
    const found = decided[at]
    return found && !(found instanceof Refusal) ? traceNames.payment(found.payment.id) : ''
  })

  const { leases, alertEvents } = await leaseNumbers(tx, deps, [...requests.values()])
  const issued = [...opened.values()].filter((payment) => payment.numbers.length > 0)
  if (leases.length > 0) await writeLeases(tx, deps, { opened: issued, leases, alertEvents })
  else await appendEvents(tx, deps.now, alertEvents)

  return decided.map((found) => {
    if (found instanceof Refusal) return found
    const { payment, bankCode } = found
    const accountNumber = numberAt(payment, bankCode)
    if (!accountNumber) return new Refusal('numbers_exhausted')
    return { payment, bankCode, accountNumber, at: deps.now }
  })
}

type Finding = { initiation: Initiation; known: Payment | undefined; advice: AdviceRow }

// Chooses the bank of a payment: the bank that the caller named; else the payment's latest bank that routing
// still uses; else, if routing avoids all of them, another usable bank; else the payment's latest bank that
// can still be used. A payment without a bank gets one from the router. `bankCode` is null if no bank has
// numbers.
function findBank(
  { router }: Deps,
  { initiation, known, advice }: Finding,
): { bankCode: string | null; routing: Routing } {
  if (initiation.bankCode !== undefined) return { bankCode: initiation.bankCode, routing: null }
  const banks = (known?.numbers ?? []).map(({ bankCode }) => bankCode)
  const current = banks.findLast((bankCode) => router.isNotLeft(bankCode))
  if (current !== undefined) return { bankCode: current, routing: null }
  const decision = router.choose(advice.amountKobo)
  const isNoneUsable = decision.bankCode === null || decision.why === 'last_resort'
  const last = isNoneUsable ? banks.findLast((bankCode) => router.has(bankCode)) : undefined
  if (last !== undefined) return { bankCode: last, routing: null }
  return { bankCode: decision.bankCode, routing: toStored(decision) }
}

function findRefusal(advice: AdviceRow, payment: Payment | undefined, now: Date) {
  if (advice.cancelledAt) return new Refusal('advice_cancelled')
  if (!payment || isOpen(statusAt(payment, now))) return undefined
  return closedRefusal(statusAt(payment, now))
}

function numberAt(payment: Payment, bankCode: string): string | undefined {
  return payment.numbers.find((number) => number.bankCode === bankCode)?.accountNumber
}

type Rules = ReadonlyMap<FeeRuleId, FeeRule>

function openPayment(advice: AdviceRow, rules: Rules, now: Date): Payment {
  const { expiresInSeconds, graceSeconds, cancelledAt: _, feeRuleId, ...terms } = advice
  const rule = feeRuleId === null ? undefined : rules.get(feeRuleId)
  const expiresAt = new Date(now.getTime() + expiresInSeconds * 1000)
  return {
    ...terms,
    ...quoteFor(rule, advice.amountKobo),
    chargedFeeKobo: kobo(0n),
    chargedVatKobo: kobo(0n),
    splits: null,
    id: timeOrderedId(now),
    status: 'Processing',
    amountPaidKobo: kobo(0n),
    numbers: [],
    expiresAt,
    closesAt: new Date(expiresAt.getTime() + graceSeconds * 1000),
    createdAt: now,
    updatedAt: now,
  }
}

const RULE_NOW = ruleInForce({ clientId: 'a.client_id' }, '$2')

async function lockAdvices(tx: Transaction, now: Date, ids: readonly AdviceId[]) {
  const [advices, payments] = await pipeline([
    tx.query<AdviceRow>({
      name: 'lock-advices',
      text: `select a.id as advice_id, a.client_id, c.client_id as client_name,
                    ${MERCHANT_NAME.c}, a.merchant_ref, a.amount_kobo, a.amount_policy, a.currency,
                    a.narration, a.call_back_url, a.customer_name, a.cancelled_at,
                    a.expires_in_seconds + a.extended_seconds as expires_in_seconds,
                    a.grace_seconds, ${RULE_NOW} as fee_rule_id
               from advices a join clients c on c.id = a.client_id
              where a.id = any($1::uuid[])
              order by a.id
                for no key update of a`,
      values: [ids, now],
    }),
    tx.query<Payment>({
      name: 'lock-payments-of-advices',
      text: `${SELECT_PAYMENT} where p.advice_id = any($1::uuid[])
              order by p.id for no key update of p`,
      values: [ids],
    }),
  ])
  return {
    advices: new Map(advices.rows.map((row) => [row.adviceId, row])),
    payments: new Map(payments.rows.map((row) => [row.adviceId, row])),
    rules: await readRules(
      tx,
      advices.rows.map(({ feeRuleId }) => feeRuleId),
    ),
  }
}

// Adds each number to its payment. If a bank has too few numbers, the last payments get none.
async function leaseNumbers(
  tx: Transaction,
  { banks, now, router }: Deps,
  requests: readonly NumberRequest[],
): Promise<{ leases: Lease[]; alertEvents: NewEvent[] }> {
  const leases: Lease[] = []
  const alerts: NewAlert[] = []
  for (const bank of banks) {
    const waiting = requests.filter((request) => request.bank === bank)
    if (waiting.length === 0) continue
    const { fresh, recycled } = await takeDynamicNumbers(tx, now, { bank, count: waiting.length })
    const numbers = [...fresh, ...recycled]
    for (const [index, accountNumber] of numbers.entries()) {
      const request = waiting[index] as NumberRequest
      request.payment.numbers.push({ bankCode: bank.code, accountNumber })
      leases.push({ ...request, accountNumber, isRecycled: index >= fresh.length })
    }
    if (numbers.length < waiting.length) {
      router.noteEmpty(bank.code)
      const subject = `${bank.code} dynamic`
      alerts.push({ kind: 'numbers_exhausted', subject, detail: { bank: bank.code } })
    }
  }
  return { leases, alertEvents: alerts.length > 0 ? await raiseAlerts(tx, now, alerts) : [] }
}

type NewLeases = {
  opened: readonly Payment[]
  leases: readonly Lease[]
  alertEvents: readonly NewEvent[]
}

async function writeLeases(
  tx: Transaction,
  { quarantineDays, now }: Deps,
  { opened, leases, alertEvents }: NewLeases,
): Promise<void> {
  const reusableAt = ({ payment }: Lease) =>
    new Date(payment.closesAt.getTime() + quarantineDays * 86_400_000)
  const columns = (some: readonly Lease[]) => [
    some.map((lease) => lease.accountNumber),
    some.map((lease) => lease.bank.code),
    numberArray(some.map((lease) => lease.payment.clientId)),
    some.map((lease) => lease.payment.id),
    some.map(reusableAt),
  ]
  await pipeline([
    insertPayments(tx, now, opened),
    tx.query({
      name: 'insert-payment-numbers',
      text: `insert into payment_numbers (payment_id, bank_code, account_number, routing, issued_at)
             select n.*, $5 from unnest($1::uuid[], $2::text[], $3::text[], $4::jsonb[]) as n`,
      values: [
        leases.map((lease) => lease.payment.id),
        leases.map((lease) => lease.bank.code),
        leases.map((lease) => lease.accountNumber),
        leases.map(({ routing }) => routing && JSON.stringify(routing)),
        now,
      ],
    }),
    tx.query({
      name: 'lease-fresh-numbers',
      text: `insert into numbers (account_number, bank_code, client_id, payment_id, reusable_at)
             select * from unnest($1::text[], $2::text[], $3::bigint[], $4::uuid[],
                                  $5::timestamptz[])`,
      values: columns(leases.filter((lease) => !lease.isRecycled)),
    }),
    tx.query({
      name: 'lease-recycled-numbers',
      text: `update numbers n
                set bank_code = l.bank_code, client_id = l.client_id, payment_id = l.payment_id,
                    reusable_at = l.reusable_at
               from unnest($1::text[], $2::text[], $3::bigint[], $4::uuid[], $5::timestamptz[])
                    as l (account_number, bank_code, client_id, payment_id, reusable_at)
              where n.account_number = l.account_number`,
      values: columns(leases.filter((lease) => lease.isRecycled)),
    }),
    appendEvents(tx, now, [...opened.map(processingEvent), ...alertEvents]),
  ])
}

function processingEvent({ id, clientId }: Payment): NewEvent {
  const facts = { status: 'Processing', amountPaidKobo: kobo(0n) } as const
  return { clientId, type: 'payment.processing', paymentId: id, facts }
}

async function insertPayments(tx: Transaction, now: Date, payments: readonly Payment[]) {
  if (payments.length === 0) return
  await tx.query({
    name: 'insert-payments',
    text: `insert into payments
             (id, advice_id, client_id, amount_kobo, amount_policy, expires_at, closes_at,
              fee_rule_id, quoted_fee_kobo, quoted_vat_kobo, created_at, updated_at)
           select p.*, $11, $11
             from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[], $5::text[],
                         $6::timestamptz[], $7::timestamptz[], $8::bigint[], $9::bigint[],
                         $10::bigint[]) as p`,
    values: [
      payments.map((payment) => payment.id),
      payments.map((payment) => payment.adviceId),
      numberArray(payments.map((payment) => payment.clientId)),
      numberArray(payments.map((payment) => payment.amountKobo)),
      payments.map((payment) => payment.amountPolicy),
      payments.map((payment) => payment.expiresAt),
      payments.map((payment) => payment.closesAt),
      numberArray(payments.map((payment) => payment.feeRuleId)),
      numberArray(payments.map((payment) => payment.quotedFeeKobo)),
      numberArray(payments.map((payment) => payment.quotedVatKobo)),
      now,
    ],
  })
}

const OPERATION = 'initiate-payment'

// Initiates payments, some of them with an Idempotency-Key. Initiating again returns the same number even
// without a key. With a key, the whole response is the first one: it shows the payment as it was then, even
// if it was paid or has expired since.
//
// A caller without a token holds only an advice reference and must not use up the keys of the advice's owner.
// So the caller's keys are prefixed with the advice. Header values contain no space, so the two never
// collide.
export async function initiateOnce(
  tx: Transaction,
  deps: Deps & { sealer: Sealer; keyedAt?: Date },
  initiations: readonly Initiation[],
): Promise<(Initiated | Refusal)[]> {
  // Few callers send a key. The others must not pay for the look-up.
  const keyed = initiations.filter(({ idempotencyKey }) => idempotencyKey !== undefined)
  if (keyed.length === 0) return initiatePayments(tx, deps, initiations)
  const owners = await findOwners(tx, keyed)
  const answers = await createOnce(tx, deps.keyedAt ?? deps.now, {
    operation: OPERATION,
    keys: initiations.map((initiation) => toIdempotencyKey(deps.sealer, initiation, owners)),
    make: (places) =>
      initiatePayments(
        tx,
        deps,
        places.map((at) => initiations[at] as Initiation),
      ),
    resourceOf: formatResource,
    find: (resources) => findInitiated(tx, resources),
  })
  return answers.map((answer) =>
    'value' in answer ? { ...answer.value, isReplayed: answer.replayed } : answer,
  )
}

function toIdempotencyKey(
  sealer: Sealer,
  { clientId, adviceId, bankCode, idempotencyKey }: Initiation,
  owners: ReadonlyMap<string, ClientId>,
): IdempotencyKey | undefined {
  const owner = clientId ?? owners.get(adviceId)
  if (idempotencyKey === undefined || owner === undefined) return undefined
  const key = clientId === undefined ? `${adviceId} ${idempotencyKey}` : idempotencyKey
  return {
    clientId: owner,
    key,
    requestHash: sealer.hash(OPERATION, `${adviceId} ${bankCode ?? ''}`),
  }
}

async function findOwners(
  tx: Transaction,
  initiations: readonly Initiation[],
): Promise<Map<string, ClientId>> {
  const { rows } = await tx.query<{ id: string; clientId: ClientId }>({
    name: 'owners-of-advices',
    text: 'select id, client_id from advices where id = any($1::uuid[])',
    values: [initiations.map(({ adviceId }) => adviceId)],
  })
  return new Map(rows.map(({ id, clientId }) => [id, clientId]))
}

type StoredInitiation = {
  id: PaymentId
  bankCode: string
  status: PaymentStatus
  paid: string
  expiresAt: string
  at: string
}

function formatResource({ payment, bankCode, at }: Initiated): string {
  const { id, status } = payment
  const paid = payment.amountPaidKobo.toString()
  const expiresAt = payment.expiresAt.toISOString()
  return JSON.stringify({
    id,
    bankCode,
    status,
    paid,
    expiresAt,
    at: at.toISOString(),
  } satisfies StoredInitiation)
}

async function findInitiated(
  tx: Transaction,
  resources: readonly string[],
): Promise<Map<string, Initiated>> {
  if (resources.length === 0) return new Map()
  const initiations = resources.map((resource) => JSON.parse(resource) as StoredInitiation)
  const { rows } = await tx.query<Payment>({
    name: 'payments-initiated-before',
    text: `${SELECT_PAYMENT} where p.id = any($1::uuid[])`,
    values: [initiations.map(({ id }) => id)],
  })
  const byId = new Map(rows.map((payment) => [payment.id, payment]))
  return new Map(
    initiations.flatMap(({ id, bankCode, status, paid, expiresAt, at }, index) => {
      const current = byId.get(id)
      const accountNumber = current && numberAt(current, bankCode)
      if (!current || !accountNumber) return []
      const amountPaidKobo = kobo(BigInt(paid))
      const payment = { ...current, status, amountPaidKobo, expiresAt: new Date(expiresAt) }
      const initiated = { payment, bankCode, accountNumber, at: new Date(at) }
      return [[resources[index] as string, initiated]]
    }),
  )
}
