// Initiates payments: leases a number for the payment of an advice, at the bank that the payer chose or,
// without a choice, at a bank that routing chooses (src/routing/).
//
// Initiating again at the same bank returns the same number of the same payment. Initiating at another bank
// leases a further number for the same payment, and money to either number pays it. The first number sets the
// payment's expiry and the amount that the payer must pay, which includes the fee if the customer bears it.
//
// Order of locks: advices, then payments, each in id order; then the number ranges, in the order of the
// banks.

import { MERCHANT_NAME } from '#accounts/account.ts'
import { allotNumbers, giveBack } from '#accounts/number-shares.ts'
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
  clientId: ClientId | undefined // Undefined for a payer, who has only the advice's reference.
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
// The decision of the router to store with the number. Null if the caller named the bank, or the payment
// keeps its bank.
type RoutingResult = StoredDecision | null
type NumberRequest = { payment: Payment; bank: BankSettings; routing: RoutingResult }
type Lease = NumberRequest & { accountNumber: string; isRecycled: boolean }
type Decision = { payment: Payment; bankCode: string }

// Initiates a batch of payments. First decides the payment and bank of each initiation, then leases all
// numbers that are needed, then answers in the order of the initiations.
async function initiatePayments(
  tx: Transaction,
  deps: Deps,
  initiations: readonly Initiation[],
): Promise<(Initiated | Refusal)[]> {
  const ids = [...new Set(initiations.map((initiation) => initiation.adviceId))]
  const { advices, payments, rules } = await lockAdvices(tx, deps.now, ids)

  const opened = new Map<string, Payment>()
  const requests = new Map<string, NumberRequest>()
  // Decides the payment and the bank of each initiation, and collects the numbers that must be leased.
  const decisions = initiations.map((initiation): Decision | Refusal => {
    const advice = advices.get(initiation.adviceId)
    if (!advice || (initiation.clientId ?? advice.clientId) !== advice.clientId) {
      return new Refusal('advice_not_found')
    }
    const existing = payments.get(advice.adviceId)
    const refusal = refusalIfClosed(advice, existing, deps.now)
    // Asks the router for a bank only if the payment can get a number: after a bank's outage, one payment
    // tries the bank again, and a choice without a payment would waste this trial.
    if (refusal && initiation.bankCode === undefined) return refusal
    const { bankCode, routing } = findBank(deps, { initiation, existing, advice })
    const bank = deps.banks.find(({ code }) => code === bankCode)
    if (bankCode !== null && (!bank || !issuesNumbers(bank, 'dynamic'))) {
      return new Refusal('bank_not_supported')
    }
    if (refusal) return refusal
    if (!bank) return new Refusal('no_bank_usable')
    const payment = existing ?? openPayment(advice, rules, deps.now)
    if (!existing) opened.set(payment.id, payment)
    payments.set(advice.adviceId, payment)
    const key = `${bank.code}/${payment.id}`
    if (!numberAt(payment, bank.code) && !requests.has(key)) {
      requests.set(key, { payment, bank, routing })
    }
    return { payment, bankCode: bank.code }
  })
  // Connects each payment, and so its events, with the trace of its own request: a batch serves many
  // requests.
  nameTraced(initiations, (index) => {
    const decision = decisions[index]
    if (!decision || decision instanceof Refusal) return ''
    return traceNames.payment(decision.payment.id)
  })

  const { leases, refused, alertEvents } = await leaseNumbers(tx, deps, [...requests.values()])
  // A new payment that got no number is not stored, and its initiation is refused below.
  const openedWithNumber = [...opened.values()].filter((payment) => payment.numbers.length > 0)
  if (leases.length > 0)
    await writeLeases(tx, deps, { opened: openedWithNumber, leases, alertEvents })
  else await appendEvents(tx, deps.now, alertEvents)

  return decisions.map((decision) => {
    if (decision instanceof Refusal) return decision
    const { payment, bankCode } = decision
    const accountNumber = numberAt(payment, bankCode)
    if (!accountNumber) {
      const isAboveCeiling = refused.has(requests.get(`${bankCode}/${payment.id}`))
      return new Refusal(isAboveCeiling ? 'number_ceiling_reached' : 'numbers_exhausted')
    }
    return { payment, bankCode, accountNumber, at: deps.now }
  })
}

type BankQuery = { initiation: Initiation; existing: Payment | undefined; advice: AdviceRow }

// Chooses the bank of a payment:
//
//   1. the bank that the caller named,
//   2. else the latest bank of the payment that routing still uses,
//   3. else the router's choice, if that is a usable bank,
//   4. else the latest bank of the payment that still has numbers,
//   5. else the router's last resort, or null if no bank has numbers.
function findBank(
  { router }: Deps,
  { initiation, existing, advice }: BankQuery,
): { bankCode: string | null; routing: RoutingResult } {
  if (initiation.bankCode !== undefined) return { bankCode: initiation.bankCode, routing: null }
  const banks = (existing?.numbers ?? []).map(({ bankCode }) => bankCode)
  const current = banks.findLast((bankCode) => router.isNotAvoided(bankCode))
  if (current !== undefined) return { bankCode: current, routing: null }
  const decision = router.choose(advice.amountKobo)
  const isNoneUsable = decision.bankCode === null || decision.why === 'last_resort'
  const former = isNoneUsable ? banks.findLast((bankCode) => router.has(bankCode)) : undefined
  if (former !== undefined) return { bankCode: former, routing: null }
  return { bankCode: decision.bankCode, routing: toStored(decision) }
}

// Returns the refusal if the advice was cancelled or its payment is no longer open.
function refusalIfClosed(advice: AdviceRow, payment: Payment | undefined, now: Date) {
  if (advice.cancelledAt) return new Refusal('advice_cancelled')
  if (!payment || isOpen(statusAt(payment, now))) return undefined
  return closedRefusal(statusAt(payment, now))
}

function numberAt(payment: Payment, bankCode: string): string | undefined {
  return payment.numbers.find((number) => number.bankCode === bankCode)?.accountNumber
}

type Rules = ReadonlyMap<FeeRuleId, FeeRule>

// Builds the payment of an advice that has none yet. The fee rule in force now determines its quote.
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

// Locks advices and their payments, and reads the fee rules in force.
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

// Takes a number for each request, and adds it to the payment. The last requests of a client that would hold
// too many numbers of the bank are `refused`. If a bank has too few numbers, the last requests get none:
// routing avoids the bank from then on, and operators are alerted.
async function leaseNumbers(
  tx: Transaction,
  { banks, now, router }: Deps,
  requests: readonly NumberRequest[],
): Promise<{ leases: Lease[]; refused: Set<NumberRequest | undefined>; alertEvents: NewEvent[] }> {
  const leases: Lease[] = []
  const refused = new Set<NumberRequest | undefined>()
  const alerts: NewAlert[] = []
  for (const bank of banks) {
    const demands = requests.filter((request) => request.bank === bank)
    if (demands.length === 0) continue
    const source = { bank, purpose: 'dynamic' } as const
    const demand = countClients(demands)
    const { allotted, alerts: shareAlerts } = await allotNumbers(tx, now, { ...source, demand })
    alerts.push(...shareAlerts)
    const bankRequests = demands.filter((request) => {
      const left = allotted.get(request.payment.clientId) ?? 0
      allotted.set(request.payment.clientId, left - 1)
      if (left <= 0) refused.add(request)
      return left > 0
    })
    if (bankRequests.length === 0) continue
    const { fresh, recycled } = await takeDynamicNumbers(tx, now, {
      bank,
      count: bankRequests.length,
    })
    const numbers = [...fresh, ...recycled]
    for (const [index, accountNumber] of numbers.entries()) {
      const request = bankRequests[index] as NumberRequest
      request.payment.numbers.push({ bankCode: bank.code, accountNumber })
      leases.push({ ...request, accountNumber, isRecycled: index >= fresh.length })
    }
    if (numbers.length < bankRequests.length) {
      await giveBack(tx, { ...source, unused: countClients(bankRequests.slice(numbers.length)) })
      router.noteEmpty(bank.code)
      const subject = `${bank.code} dynamic`
      alerts.push({ kind: 'numbers_exhausted', subject, detail: { bank: bank.code } })
    }
  }
  const alertEvents = alerts.length > 0 ? await raiseAlerts(tx, now, alerts) : []
  return { leases, refused, alertEvents }
}

function countClients(requests: readonly NumberRequest[]): Map<ClientId, number> {
  const counts = new Map<ClientId, number>()
  for (const { payment } of requests) {
    counts.set(payment.clientId, (counts.get(payment.clientId) ?? 0) + 1)
  }
  return counts
}

type NewLeases = {
  opened: readonly Payment[]
  leases: readonly Lease[]
  alertEvents: readonly NewEvent[]
}

// Writes new payments, the leases of their numbers, and the events. A number that was leased before
// (isRecycled) has a row, which gets the new payment.
async function writeLeases(
  tx: Transaction,
  { quarantineDays, now }: Deps,
  { opened, leases, alertEvents }: NewLeases,
): Promise<void> {
  const reusableAt = ({ payment }: Lease) =>
    new Date(payment.closesAt.getTime() + quarantineDays * 86_400_000)
  const columns = (rows: readonly Lease[]) => [
    rows.map((lease) => lease.accountNumber),
    rows.map((lease) => lease.bank.code),
    numberArray(rows.map((lease) => lease.payment.clientId)),
    rows.map((lease) => lease.payment.id),
    rows.map(reusableAt),
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

// Initiates a batch of payments, some of them with an Idempotency-Key. Initiating again returns the same
// number even without a key. With a key, the whole first response is repeated: it shows the payment as it was
// then, even if it was paid or has expired since.
//
// A payer, who has no token, must not use up the idempotency keys of the client that owns the advice. So a
// payer's key is stored with the advice's id and a space before it. A key contains no space, so it cannot
// equal a client's.
export async function initiateOnce(
  tx: Transaction,
  deps: Deps & { sealer: Sealer; keyedAt?: Date },
  initiations: readonly Initiation[],
): Promise<(Initiated | Refusal)[]> {
  // Most batches contain no key, and skip the look-up.
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
        places.map((index) => initiations[index] as Initiation),
      ),
    resourceOf: storedInitiation,
    find: (resources) => findInitiated(tx, resources),
  })
  return answers.map((answer) =>
    'value' in answer ? { ...answer.value, isReplayed: answer.replayed } : answer,
  )
}

// Returns the key under which the response is stored, or undefined without an Idempotency-Key.
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

// The text that is stored with an idempotency key: the facts of the response that can change later.
function storedInitiation({ payment, bankCode, at }: Initiated): string {
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

// Rebuilds first responses from their stored texts, for retries with an idempotency key.
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
