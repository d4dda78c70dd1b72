// Fee rules: dated prices that the operator charges a client. For each basis (credits or payouts), at any
// moment at most one rule of a client is in force, plus one for each merchantCode, which takes precedence
// (I43).
//
// History is append-only: a new rule ends its predecessor at the time when it begins, never in the past. So
// the rule in force at any past moment stays known. To stop charging, an operator creates a rule of zero. A
// rule that has not begun can be withdrawn (withdrawRule): it then ends at the time when it begins.
//
// Every write locks the client's rules. The constraint fee_rules_do_not_overlap is a second safeguard.

import { isInMerchantScope } from '#access/permissions.ts'
import type { Clock } from '#clock.ts'
import { listQuery } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { numberArray, textArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import { type FieldError, Refusal } from '#errors.ts'
import type { ClientId, FeeRuleId } from '#ids.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import type { FeeBasis, FeeTerms } from './fee.ts'

export type FeeRule = FeeTerms & {
  id: FeeRuleId
  clientId: ClientId
  clientName: string // The client's public id.
  merchantCode: string | null // Null if the rule applies to all money without a more specific rule.
  effectiveFrom: Date
  effectiveTo: Date | null
  isWithdrawn: boolean
  createdAt: Date
}

const COLUMNS = `
         r.id, r.client_id, c.client_id as client_name, r.merchant_code, r.code, r.basis,
         r.flat_kobo, r.bps, r.min_kobo, r.cap_kobo, r.waive_flat_below_kobo, r.vat_bps,
         r.vat_included, r.bearer, r.effective_from,
         r.effective_to, r.withdrawn_at is not null as is_withdrawn, r.created_at`
const SELECT_RULE = `select ${COLUMNS} from fee_rules r join clients c on c.id = r.client_id`

// SQL scalar: whether there are any fee rules. Without them, booking a credit skips the look-up of its rule.
export const HAS_RULES = '(select exists (select from fee_rules))'

// SQL scalars that name the client and the merchant code that a fee rule is looked up for.
type RuleOf = { clientId: string; merchantCode?: string; basis?: FeeBasis }

// SQL scalar: the id of the rule in force at `at` (on credits by default), or null. A rule of the merchant
// code comes before a rule without one. `subject` and `at` are SQL expressions, such as $1.
export function ruleInForce(subject: RuleOf, at: string): string {
  const { basis = 'credit' } = subject
  const orMerchantRule =
    subject.merchantCode === undefined ? '' : `or r.merchant_code = ${subject.merchantCode}`
  return `(select r.id from fee_rules r
            where r.client_id = ${subject.clientId} and r.basis = '${basis}'
              and (r.merchant_code is null ${orMerchantRule})
              and r.effective_from <= ${at} and (r.effective_to is null or r.effective_to > ${at})
            order by r.merchant_code is null limit 1)`
}

// Reads fee rules by their ids. Ignores nulls, so that callers can pass optional ids.
export async function readRules(
  db: Queryable,
  ids: Iterable<FeeRuleId | null>,
): Promise<ReadonlyMap<FeeRuleId, FeeRule>> {
  const distinctIds = new Set<FeeRuleId>()
  for (const id of ids) if (id !== null) distinctIds.add(id)
  if (distinctIds.size === 0) return new Map()
  const { rows } = await db.query<FeeRule>({
    name: 'read-fee-rules',
    text: `${SELECT_RULE} where r.id = any($1::bigint[])`,
    values: [[...distinctIds]],
  })
  return new Map(rows.map((rule) => [rule.id, rule]))
}

const OF_MERCHANT = { clientId: 'm.client_id', merchantCode: 'm.merchant_code' }

type Merchant = { clientId: ClientId; merchantCode: string }

// Returns the rule in force now on the credits of each merchant. The keys are those of merchantName().
export async function findMerchantRules(
  db: Queryable,
  now: Date,
  merchants: Iterable<Merchant>,
): Promise<ReadonlyMap<string, FeeRule>> {
  const distinct = [
    ...new Map([...merchants].map((merchant) => [merchantName(merchant), merchant])).values(),
  ]
  if (distinct.length === 0) return new Map()
  const { rows } = await db.query<FeeRule & { of: string }>({
    name: 'find-merchant-fee-rules',
    text: `select m.merchant_code as "of", ${COLUMNS}
             from unnest($1::bigint[], $3::text[]) as m (client_id, merchant_code)
             join fee_rules r on r.id = ${ruleInForce(OF_MERCHANT, '$2')}
             join clients c on c.id = r.client_id`,
    values: [
      numberArray(distinct.map(({ clientId }) => clientId)),
      now,
      textArray(distinct.map(({ merchantCode }) => merchantCode)),
    ],
  })
  return new Map(
    rows.map(({ of: merchantCode, ...rule }) => [
      merchantName({ clientId: rule.clientId, merchantCode }),
      rule,
    ]),
  )
}

// Returns the key of a merchant in maps: merchant codes are unique only within a client.
export function merchantName({ clientId, merchantCode }: Merchant): string {
  return `${clientId}/${merchantCode}`
}

// Finds the rule in force for the payments of a client. Payments have no merchantCode, so rules for a single
// merchantCode never apply to them.
export async function findRule(
  db: Queryable,
  clientId: ClientId,
  now: Date,
): Promise<FeeRule | undefined> {
  const { rows } = await db.query<FeeRule>({
    name: 'find-fee-rule',
    text: `${SELECT_RULE}
            where r.id = ${ruleInForce({ clientId: '$1' }, '$2')}`,
    values: [clientId, now],
  })
  return rows[0]
}

// Finds the rule in force for the payouts of a client.
export async function findPayoutRule(
  db: Queryable,
  clientId: ClientId,
  now: Date,
): Promise<FeeRule | undefined> {
  const { rows } = await db.query<FeeRule>({
    name: 'find-payout-fee-rule',
    text: `${SELECT_RULE}
            where r.id = ${ruleInForce({ clientId: '$1', basis: 'payout' }, '$2')}`,
    values: [clientId, now],
  })
  return rows[0]
}

type RulePage = { clientId?: ClientId | undefined; beforeId: bigint | null; limit: number }

// Lists fee rules for operators, newest first. Withdrawn rules are left out.
export async function listRules(
  db: Queryable,
  { clientId, beforeId, limit }: RulePage,
): Promise<FeeRule[]> {
  const { rows } = await db.query<FeeRule>(
    listQuery({
      select: SELECT_RULE,
      where: [['r.client_id = $', clientId], 'r.withdrawn_at is null'],
      id: 'r.id',
      after: beforeId,
      limit,
    }),
  )
  return rows
}

// Lists the client's own rules. A client that is restricted to some merchantCodes sees the rules of these,
// and those that apply to all.
export async function listOwnRules(
  db: Queryable,
  { clientId, beforeId, limit }: RulePage & { clientId: ClientId },
): Promise<FeeRule[]> {
  const { rows } = await db.query<FeeRule>(
    listQuery({
      select: SELECT_RULE,
      where: [
        ['r.client_id = $', clientId],
        'r.withdrawn_at is null',
        `(r.merchant_code is null or ${isInMerchantScope('r.merchant_code', 'r.client_id')})`,
      ],
      id: 'r.id',
      after: beforeId,
      limit,
    }),
  )
  return rows
}

type NewRule = {
  clientId: ClientId
  merchantCode: string | null
  terms: FeeTerms
  effectiveFrom?: Date | undefined // Defaults to now.
}

// Creates a fee rule and ends its predecessor at the time when the new rule begins.
export async function createRule(
  tx: Transaction,
  { actor, now }: { actor: string; now: Date },
  { clientId, merchantCode, terms, effectiveFrom = now }: NewRule,
): Promise<FeeRule> {
  if (effectiveFrom < now) {
    const message = 'Must not be in the past.'
    throw new Refusal('invalid_request', [
      { field: 'effectiveFrom', message },
    ] satisfies FieldError[])
  }
  await lockRules(tx, clientId)
  await endRule(tx, { clientId, merchantCode, basis: terms.basis, at: effectiveFrom })
  const { rows } = await tx.query<{ id: FeeRuleId }>({
    name: 'create-fee-rule',
    text: `insert into fee_rules
             (client_id, merchant_code, code, basis, flat_kobo, bps, min_kobo, cap_kobo,
              waive_flat_below_kobo, vat_bps, vat_included, bearer, effective_from, created_by,
              created_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
           returning id`,
    values: [
      clientId,
      merchantCode,
      terms.code,
      terms.basis,
      terms.flatKobo,
      terms.bps,
      terms.minKobo,
      terms.capKobo,
      terms.waiveFlatBelowKobo,
      terms.vatBps,
      terms.vatIncluded,
      terms.bearer,
      effectiveFrom,
      actor,
      now,
    ],
  })
  const id = (rows[0] as { id: FeeRuleId }).id
  await writeAuditLog(tx, now, {
    clientId,
    actor,
    action: 'fee_rule.create',
    subject: `fee-rule/${terms.code}`,
    detail: { ...auditView(terms), merchantCode, effectiveFrom: effectiveFrom.toISOString() },
  })
  return (await readRules(tx, [id])).get(id) as FeeRule
}

// Locks the fee rules of a client until the end of the transaction, so that two changes cannot overlap.
export async function lockRules(tx: Transaction, clientId: ClientId): Promise<void> {
  await tx.query({
    name: 'lock-fee-rules',
    text: `select pg_advisory_xact_lock(hashtext('fee_rules'), hashtext($1))`,
    values: [clientId.toString()],
  })
}

// Ends the predecessor of a new rule. Refuses if a later rule exists, because the two rules would overlap.
async function endRule(
  tx: Transaction,
  rule: { clientId: ClientId; merchantCode: string | null; basis: string; at: Date },
): Promise<void> {
  const values = [rule.clientId, rule.merchantCode, rule.basis, rule.at]
  const sameSubject = 'client_id = $1 and merchant_code is not distinct from $2 and basis = $3'
  const { rowCount } = await tx.query({
    name: 'overlapping-fee-rules',
    text: `select from fee_rules
            where ${sameSubject} and effective_from >= $4 and withdrawn_at is null limit 1`,
    values,
  })
  if (rowCount !== 0) throw new Refusal('fee_rule_overlaps')
  await tx.query({
    name: 'end-fee-rule',
    text: `update fee_rules set effective_to = $4 where ${sameSubject} and effective_to is null`,
    values,
  })
}

// Returns the terms as the audit log stores them: amounts as texts, because JSON numbers lose precision.
function auditView(terms: FeeTerms) {
  const { flatKobo, minKobo, capKobo, waiveFlatBelowKobo, ...otherTerms } = terms
  return {
    ...otherTerms,
    flatKobo: flatKobo.toString(),
    minKobo: minKobo.toString(),
    capKobo: capKobo?.toString() ?? null,
    waiveFlatBelowKobo: waiveFlatBelowKobo.toString(),
  }
}

// A rule cannot be withdrawn in its last minute before it begins. A minute is longer than the transaction
// takes, so no credit is charged by a rule whose withdrawal is not yet visible.
const LEAD_MS = 60_000

// Withdraws a fee rule that has not begun (I43). The rule ends at the time when it begins, and its
// predecessor stays in force until the next rule. Only the audit log still shows the withdrawn rule.
//
// Locks: the client's rules.
export async function withdrawRule(
  tx: Transaction,
  { actor, clock }: { actor: string; clock: Clock },
  id: FeeRuleId,
): Promise<void> {
  const { clientId } = await getRule(tx, id)
  await lockRules(tx, clientId)
  const rule = await getRule(tx, id)
  const now = clock()
  if (rule.effectiveFrom.getTime() - now.getTime() <= LEAD_MS) {
    throw new Refusal('fee_rule_in_force')
  }
  await tx.query({
    name: 'withdraw-fee-rule',
    text: 'update fee_rules set withdrawn_at = $2, effective_to = effective_from where id = $1',
    values: [id, now],
  })
  await resumePredecessor(tx, rule)
  const { code, basis, merchantCode, effectiveFrom } = rule
  await writeAuditLog(tx, now, {
    clientId,
    actor,
    action: 'fee_rule.withdraw',
    subject: `fee-rule/${code}`,
    detail: { code, basis, merchantCode, effectiveFrom: effectiveFrom.toISOString() },
  })
}

// Reads a rule that is not withdrawn.
async function getRule(tx: Transaction, id: FeeRuleId): Promise<FeeRule> {
  const rule = (await readRules(tx, [id])).get(id)
  if (!rule || rule.isWithdrawn) throw new Refusal('fee_rule_not_found')
  return rule
}

// Lets the predecessor of a withdrawn rule continue until the time when the withdrawn rule would have ended.
async function resumePredecessor(tx: Transaction, rule: FeeRule): Promise<void> {
  const { clientId, merchantCode, basis, effectiveFrom, effectiveTo } = rule
  await tx.query({
    name: 'resume-fee-rule',
    text: `update fee_rules set effective_to = $5
            where client_id = $1 and merchant_code is not distinct from $2 and basis = $3
              and effective_to = $4 and withdrawn_at is null`,
    values: [clientId, merchantCode, basis, effectiveFrom, effectiveTo],
  })
}
