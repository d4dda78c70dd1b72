// Advices: what a customer is asked to pay, and on which terms. An advice is settled by one
// payment (payments.ts), whose state it shows:
//
//   Pending ──▶ Paid ──▶ Reversed
//      └──────▶ Expired | Cancelled
//
// Its reference is unguessable: the payer's page holds it as the right to pay.

import { numberArray } from '#db/arrays.ts'
import type { Queryable } from '#db/pool.ts'
import { pipeline, type Transaction } from '#db/transaction.ts'
import type { PayerRules } from '#domain/accounts/payer-rules.ts'
import { type FeeRule, readRules, ruleInForce } from '#domain/fees/fee-rules.ts'
import { createOnce, type Once } from '#domain/records/idempotency.ts'
import { findUsableSplits, SPLIT_CODE } from '#domain/splits/use-splits.ts'
import { Refusal } from '#errors.ts'
import { type AdviceId, type ClientId, type FeeRuleId, type SplitId, timeOrderedId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import type { Sealer } from '#seal.ts'

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
  extendedSeconds: number // By how much its expiry was put off: see extend-advice.ts.
  cancelledAt: Date | null
  createdAt: Date
  feeRule?: FeeRule | undefined // In force when it was created; of one created just now only.
  isKnown?: true // By its merchantRef: it was there before it was asked for.
}

export type AdviceRequest = {
  clientId: ClientId
  merchantName: string
  terms: AdviceTerms
  idempotencyKey?: string | undefined
}

// Answers each request on its own, in order. The same merchantRef on the same terms finds the
// advice that was made; on other terms it is refused.
export function createAdvices(
  tx: Transaction,
  { sealer, now }: { sealer: Sealer; now: Date },
  requests: readonly AdviceRequest[],
): Promise<(Once<Advice> | Refusal)[]> {
  return createOnce(tx, now, {
    operation: OPERATION,
    keys: requests.map(({ clientId, terms, idempotencyKey: key }) =>
      key === undefined
        ? undefined
        : { clientId, key, requestHash: sealer.hash(OPERATION, termsText(terms)) },
    ),
    make: (places) =>
      makeAdvices(
        tx,
        now,
        places.map((at) => requests[at] as AdviceRequest),
      ),
    resourceOf: (advice) => advice.id,
    find: (ids) => findByIds(tx, ids as AdviceId[]),
  })
}

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
  const made: NewAdvice[] = []
  const answers = requests.map(({ clientId, merchantName, terms }, at): Advice | Refusal => {
    const earlier = terms.merchantRef === null ? undefined : byRef.get(refName(clientId, terms))
    if (earlier) {
      const isSame = termsText(earlier) === termsText(terms)
      return isSame ? { ...earlier, isKnown: true } : new Refusal('merchant_ref_reused')
    }
    const splitId = splitIds[at] ?? null
    if (splitId instanceof Refusal) return splitId
    const id = timeOrderedId<AdviceId>(now)
    const untouched = { extendedSeconds: 0, cancelledAt: null, createdAt: now }
    const feeRule = rules.get(clientId)
    const advice = { ...terms, id, clientId, merchantName, ...untouched, feeRule }
    if (terms.merchantRef !== null) byRef.set(refName(clientId, terms), advice)
    made.push({ ...advice, splitId })
    return advice
  })
  await insertAdvices(tx, now, made)
  return answers
}

// The rules in force for these clients, for what an advice says of its charges.
async function findRuleIds(
  tx: Transaction,
  now: Date,
  requests: readonly AdviceRequest[],
): Promise<(FeeRuleId | null)[]> {
  const clientIds = [...new Set(requests.map(({ clientId }) => clientId))]
  const { rows } = await tx.query<{ ruleId: FeeRuleId | null }>({
    name: 'fee-rules-of-clients',
    text: `select ${ruleInForce({ clientId: 'c.id' }, '$2')} as "ruleId"
             from unnest($1::bigint[]) as c (id)`,
    values: [numberArray(clientIds), now],
  })
  return rows.map(({ ruleId }) => ruleId)
}

type NewAdvice = Advice & { splitId: SplitId | null }

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
         a.id, a.client_id as "clientId", c.name as "merchantName",
         a.merchant_ref as "merchantRef", a.amount_kobo as "amountKobo", a.currency, a.narration,
         a.call_back_url as "callBackUrl", a.notification_url as "notificationUrl", a.customer,
         a.customer_name as "customerName", a.amount_policy as "amountPolicy",
         a.expires_in_seconds as "expiresInSeconds", a.grace_seconds as "graceSeconds",
         a.payer_rules as "payerRules", ${SPLIT_CODE}, a.extended_seconds as "extendedSeconds",
         a.cancelled_at as "cancelledAt", a.created_at as "createdAt"`

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
  const named = requests.filter((request) => request.terms.merchantRef !== null)
  if (named.length === 0) return new Map()
  const { rows } = await tx.query<Advice>({
    name: 'advices-by-merchant-ref',
    // What is asked for comes first: batches join in the order that is written.
    text: `select ${ADVICE_COLUMNS}
             from unnest($1::bigint[], $2::text[]) as r (client_id, merchant_ref)
             join advices a on a.client_id = r.client_id and a.merchant_ref = r.merchant_ref
             join clients c on c.id = a.client_id`,
    values: [
      numberArray(named.map((request) => request.clientId)),
      named.map((request) => request.terms.merchantRef),
    ],
  })
  return new Map(rows.map((advice) => [refName(advice.clientId, advice), advice]))
}

function refName(clientId: ClientId, { merchantRef }: { merchantRef: string | null }): string {
  return `${clientId}/${merchantRef}`
}

// Two requests ask for the same thing when this is the same.
function termsText(terms: AdviceTerms): string {
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
    // Only where there is one: keys from before there were any still fit.
    ...(terms.splitCode === null ? [] : [{ splitCode: terms.splitCode }]),
  ])
}
