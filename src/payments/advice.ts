// Advices, which screens call payment requests. An advice asks one customer for one payment, and states its
// amount and terms. The state of an advice follows from its payment (payment.ts):
//
//   Pending ──▶ Paid ──▶ Reversed
//      └──────▶ Expired | Cancelled
//
// The id of an advice cannot be guessed, because it is all that a payer needs to open the checkout page.

import type { SignedInSession } from '#access/sessions.ts'
import type { PayerRules } from '#accounts/payer-rules.ts'
import type { Queryable } from '#db/pool.ts'
import { numberArray } from '#db/sql.ts'
import { pipeline, type Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { type FeeRule, readRules, ruleInForce } from '#fees/rules.ts'
import { type AdviceId, type ClientId, type FeeRuleId, type SplitId, timeOrderedId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import { createOnce, type Once } from '#records/idempotency.ts'
import type { Sealer } from '#seal.ts'
import { findUsableSplits, SPLIT_CODE } from '#splits/split.ts'

const OPERATION = 'create-advice'

export const AMOUNT_POLICIES = ['exact', 'allow_under', 'any'] as const
export type AmountPolicy = (typeof AMOUNT_POLICIES)[number]
export type AdviceStatus = 'Pending' | 'Paid' | 'Expired' | 'Cancelled' | 'Reversed'

export type Customer = {
  customerId: string | null
  firstName: string | null
  lastName: string | null
  email: string | null
  phoneNumber: string | null
}

export type AdviceTerms = {
  merchantRef: string | null
  amountKobo: Kobo
  currency: string
  narration: string | null
  callBackUrl: string
  notificationUrl: string | null
  customer: Customer
  customerName: string
  amountPolicy: AmountPolicy
  expiresInSeconds: number
  graceSeconds: number
  payerRules: PayerRules | null
  splitCode: string | null
}

export type Advice = AdviceTerms & {
  id: AdviceId
  clientId: ClientId
  merchantName: string
  extendedSeconds: number // The sum of all extensions of its expiry (extend.ts).
  cancelledAt: Date | null
  createdAt: Date
  feeRule?: FeeRule | undefined // The rule in force at its creation. Set only for a new advice.
  isKnown?: true // The advice existed before the request, which repeated its merchantRef.
}

export type AdviceRequest = {
  clientId: ClientId
  merchantName: string
  terms: AdviceTerms
  idempotencyKey?: string | undefined
  session?: SignedInSession | undefined // The creator's, if a person (credits/writers.ts).
}

// Creates the advices of a batch of requests. Answers each request separately, in order. A request that
// repeats a merchantRef gets the existing advice if the terms are the same, and is refused otherwise.
// `keyedAt` is the real time, for idempotency keys; `now` may be a sandbox's test clock. `make` gets the
// places, in `requests`, of those whose key is new or absent. `find` reads the advices of keys that were used
// before.
export function createAdvices(
  tx: Transaction,
  { sealer, now, keyedAt = now }: { sealer: Sealer; now: Date; keyedAt?: Date },
  requests: readonly AdviceRequest[],
): Promise<(Once<Advice> | Refusal)[]> {
  return createOnce(tx, keyedAt, {
    operation: OPERATION,
    keys: requests.map(({ clientId, terms, idempotencyKey: key }) =>
      key === undefined
        ? undefined
        : { clientId, key, requestHash: sealer.hash(OPERATION, comparableTerms(terms)) },
    ),
    make: (places) =>
      makeAdvices(
        tx,
        now,
        places.map((index) => requests[index] as AdviceRequest),
      ),
    resourceOf: (advice) => advice.id,
    find: (ids) => findByIds(tx, ids as AdviceId[]),
  })
}

// Creates the advices of the requests whose idempotency key is new, or that have no key.
async function makeAdvices(
  tx: Transaction,
  now: Date,
  requests: readonly AdviceRequest[],
): Promise<(Advice | Refusal)[]> {
  const [byRef, ruleIds, splitIds] = await pipeline([
    findByMerchantRefs(tx, requests),
    findRuleIds(tx, now, requests),
    findUsableSplits(
      tx,
      requests.map(({ clientId, terms }) => ({ ...terms, clientId })),
    ),
  ])
  const rules = new Map<ClientId, FeeRule>()
  for (const rule of (await readRules(tx, ruleIds)).values()) rules.set(rule.clientId, rule)
  const newAdvices: NewAdvice[] = []
  // Answers each request with an existing advice, a refusal or a new advice, which is inserted below.
  const answers = requests.map(({ clientId, merchantName, terms }, index): Advice | Refusal => {
    const refKey = terms.merchantRef === null ? undefined : merchantRefKey(clientId, terms)
    const existing = refKey === undefined ? undefined : byRef.get(refKey)
    if (existing) {
      const isSame = comparableTerms(existing) === comparableTerms(terms)
      return isSame ? { ...existing, isKnown: true } : new Refusal('merchant_ref_reused')
    }
    const splitId = splitIds[index] ?? null
    if (splitId instanceof Refusal) return splitId
    const id = timeOrderedId<AdviceId>(now)
    const initialState = { extendedSeconds: 0, cancelledAt: null, createdAt: now }
    const feeRule = rules.get(clientId)
    const advice = { ...terms, id, clientId, merchantName, ...initialState, feeRule }
    if (refKey !== undefined) byRef.set(refKey, advice) // For later requests of the same batch.
    newAdvices.push({ ...advice, splitId })
    return advice
  })
  await insertAdvices(tx, now, newAdvices)
  return answers
}

// Finds the fee rules in force for the clients of these requests, because the response to a new advice shows
// its charges.
async function findRuleIds(
  tx: Transaction,
  now: Date,
  requests: readonly AdviceRequest[],
): Promise<(FeeRuleId | null)[]> {
  const clientIds = [...new Set(requests.map(({ clientId }) => clientId))]
  const { rows } = await tx.query<{ ruleId: FeeRuleId | null }>({
    name: 'fee-rules-of-clients',
    text: `select ${ruleInForce({ clientId: 'c.id' }, '$2')} as rule_id
             from unnest($1::bigint[]) as c (id)`,
    values: [numberArray(clientIds), now],
  })
  return rows.map(({ ruleId }) => ruleId)
}

type NewAdvice = Advice & { splitId: SplitId | null }

// Inserts new advices with one statement: each array among its parameters is a column.
async function insertAdvices(tx: Transaction, now: Date, advices: readonly NewAdvice[]) {
  if (advices.length === 0) return
  await tx.query({
    name: 'insert-advices',
    text: `insert into advices
             (id, client_id, merchant_ref, amount_kobo, currency, narration, call_back_url,
              notification_url, customer, customer_name, amount_policy, expires_in_seconds,
              grace_seconds, payer_rules, split_id, created_at)
           select a.*, $16
             from unnest($1::uuid[], $2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::text[],
                         $7::text[], $8::text[], $9::jsonb[], $10::text[], $11::text[],
                         $12::int[], $13::int[], $14::jsonb[], $15::bigint[]) as a`,
    values: [
      advices.map((advice) => advice.id),
      numberArray(advices.map((advice) => advice.clientId)),
      advices.map((advice) => advice.merchantRef),
      numberArray(advices.map((advice) => advice.amountKobo)),
      advices.map((advice) => advice.currency),
      advices.map((advice) => advice.narration),
      advices.map((advice) => advice.callBackUrl),
      advices.map((advice) => advice.notificationUrl),
      advices.map((advice) => JSON.stringify(advice.customer)),
      advices.map((advice) => advice.customerName),
      advices.map((advice) => advice.amountPolicy),
      numberArray(advices.map((advice) => advice.expiresInSeconds)),
      numberArray(advices.map((advice) => advice.graceSeconds)),
      advices.map((advice) => advice.payerRules && JSON.stringify(advice.payerRules)),
      numberArray(advices.map((advice) => advice.splitId)),
      now,
    ],
  })
}

const ADVICE_COLUMNS = `
         a.id, a.client_id, c.name as merchant_name, a.merchant_ref, a.amount_kobo, a.currency,
         a.narration, a.call_back_url, a.notification_url, a.customer, a.customer_name,
         a.amount_policy, a.expires_in_seconds, a.grace_seconds,
         a.payer_rules, ${SPLIT_CODE}, a.extended_seconds, a.cancelled_at, a.created_at`

export const SELECT_ADVICE = `
  select ${ADVICE_COLUMNS}
    from advices a join clients c on c.id = a.client_id`

export async function getAdvice(db: Queryable, clientId: ClientId, id: string): Promise<Advice> {
  const { rows } = await db.query<Advice>({
    name: 'get-advice',
    text: `${SELECT_ADVICE} where a.id = $1 and a.client_id = $2`,
    values: [id, clientId],
  })
  if (!rows[0]) throw new Refusal('advice_not_found')
  return rows[0]
}

async function findByIds(tx: Transaction, ids: readonly AdviceId[]): Promise<Map<string, Advice>> {
  if (ids.length === 0) return new Map()
  const { rows } = await tx.query<Advice>({
    name: 'advices-by-id',
    text: `${SELECT_ADVICE} where a.id = any($1::uuid[])`,
    values: [ids],
  })
  return new Map(rows.map((advice) => [advice.id, advice]))
}

async function findByMerchantRefs(
  tx: Transaction,
  requests: readonly AdviceRequest[],
): Promise<Map<string, Advice>> {
  const requestsWithRef = requests.filter((request) => request.terms.merchantRef !== null)
  if (requestsWithRef.length === 0) return new Map()
  const { rows } = await tx.query<Advice>({
    name: 'advices-by-merchant-ref',
    // The requests come first, because on the batch pool PostgreSQL joins tables in the order of the
    // statement.
    text: `select ${ADVICE_COLUMNS}
             from unnest($1::bigint[], $2::text[]) as r (client_id, merchant_ref)
             join advices a on a.client_id = r.client_id and a.merchant_ref = r.merchant_ref
             join clients c on c.id = a.client_id`,
    values: [
      numberArray(requestsWithRef.map((request) => request.clientId)),
      requestsWithRef.map((request) => request.terms.merchantRef),
    ],
  })
  return new Map(rows.map((advice) => [merchantRefKey(advice.clientId, advice), advice]))
}

// Returns the key of a merchantRef in maps. Only within one client is a merchantRef unique.
function merchantRefKey(
  clientId: ClientId,
  { merchantRef }: { merchantRef: string | null },
): string {
  return `${clientId}/${merchantRef}`
}

// Returns a text of the terms. Two requests have the same terms if and only if their texts are equal. Hashes
// of this text are stored, so it must not change for existing fields.
function comparableTerms(terms: AdviceTerms): string {
  const { customer: c, payerRules: rules } = terms
  return JSON.stringify([
    terms.merchantRef,
    terms.amountKobo.toString(),
    terms.currency,
    terms.narration,
    terms.callBackUrl,
    terms.notificationUrl,
    [c.customerId, c.firstName, c.lastName, c.email, c.phoneNumber],
    terms.customerName,
    terms.amountPolicy,
    terms.expiresInSeconds,
    terms.graceSeconds,
    rules && [
      rules.minKobo,
      rules.maxKobo,
      rules.names,
      rules.accounts?.map((account) => account.hash),
    ],
    // An absent splitCode is left out, so that the text of requests from before splits stays the same.
    ...(terms.splitCode === null ? [] : [{ splitCode: terms.splitCode }]),
  ])
}
