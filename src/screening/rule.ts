// Screening rules. A rule stops credits (hold) or payouts (hold or refuse). A rule has a begin and an end,
// and its terms never change once it is active, so a decision can be repeated later (I145, replay.ts).
//
//   draft ──tested on history──▶ activated by two people ──▶ replaced by its next version, or ended by two
//
// A credit is screened by the rules that were in force when it was received. A rule begins and ends at least
// a minute after the approval, so that no credit received after that time has been screened yet.

import { type Conditions, listQuery } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { type ClientId, newReference } from '#ids.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import { BEGINS_AFTER_MS } from './lists.ts'

export const SUBJECTS = ['credit', 'payout'] as const
export const KINDS = ['velocity', 'structuring', 'new_payer', 'many_payers', 'list'] as const
export const OUTCOMES = ['hold', 'refuse'] as const
export const RULE_STATES = ['draft', 'active', 'ended'] as const

export type Subject = (typeof SUBJECTS)[number]
export type Kind = (typeof KINDS)[number]
export type Outcome = (typeof OUTCOMES)[number]

// Amounts are kobo as text, because JSON numbers are doubles.
export type Params = {
  count?: number
  amountKobo?: string
  minutes?: number
  percent?: number
  days?: number
  list?: string
  score?: number
}

// The parameters of each kind. A rule needs all of `needed` and at least one of `oneOf`.
export const PARAMS: Readonly<
  Record<Kind, { needed: readonly Param[]; oneOf?: readonly Param[] }>
> = {
  velocity: { needed: ['minutes'], oneOf: ['count', 'amountKobo'] },
  structuring: { needed: ['amountKobo', 'percent', 'count', 'minutes'] },
  new_payer: { needed: ['amountKobo', 'days'] },
  many_payers: { needed: ['count', 'minutes'] },
  list: { needed: ['list', 'score'] },
}
export type Param = keyof Params

export type RuleTest = {
  from: string
  to: string
  screened: number
  hits: number
  examples: readonly string[] // Session ids of credits, or references of payouts.
}

export type Rule = {
  id: bigint
  reference: string
  name: string
  version: number
  subject: Subject
  kind: Kind
  outcome: Outcome
  clientId: ClientId | null
  clientName: string | null
  params: Params
  createdBy: string
  createdAt: Date
  testedAt: Date | null
  test: RuleTest | null
  effectiveFrom: Date | null // null for a draft.
  effectiveTo: Date | null // null if no end is known.
}

const SELECT = `
  select r.id, r.reference, r.name, r.version, r.subject, r.kind, r.outcome, r.client_id,
         c.client_id as client_name, r.params, r.created_by, r.created_at, r.tested_at, r.test,
         r.effective_from, r.effective_to
    from screening_rules r left join clients c on c.id = r.client_id`

// SQL conditions: whether the rule `r` is in each state.
export const STATE_IS: Readonly<Record<(typeof RULE_STATES)[number], string>> = {
  draft: 'r.effective_from is null',
  active: 'r.effective_from is not null and r.effective_to is null',
  ended: 'r.effective_to is not null',
}

// Returns the state of a rule by its begin and end. A rule whose end is known counts as ended.
export function stateOf({ effectiveFrom, effectiveTo }: Rule): (typeof RULE_STATES)[number] {
  if (effectiveFrom === null) return 'draft'
  return effectiveTo === null ? 'active' : 'ended'
}

type Page = { where: Conditions; beforeId: bigint | null; limit: number }

// Lists rules, newest first.
export async function listRules(db: Queryable, { where, beforeId, limit }: Page): Promise<Rule[]> {
  const list = { select: SELECT, where, id: 'r.id', after: beforeId, limit }
  const { rows } = await db.query<Rule>(listQuery(list))
  return rows
}

export async function getRule(db: Queryable, reference: string): Promise<Rule> {
  const { rows } = await db.query<Rule>({
    name: 'get-screening-rule',
    text: `${SELECT} where r.reference = $1`,
    values: [reference],
  })
  if (!rows[0]) throw new Refusal('screening_rule_not_found')
  return rows[0]
}

// Returns the rules that are in force at any time from `from` to `to`, ordered by id.
export async function rulesInForce(
  db: Queryable,
  { subject, from, to }: { subject: Subject; from: Date; to: Date },
): Promise<Rule[]> {
  const { rows } = await db.query<Rule>({
    name: 'screening-rules-in-force',
    text: `${SELECT} where r.subject = $1 and r.effective_from <= $3
              and (r.effective_to is null or r.effective_to > $2) order by r.id`,
    values: [subject, from, to],
  })
  return rows
}

// Whether the rule applies to a credit or payout of this time.
export function isInForce({ effectiveFrom, effectiveTo }: Rule, at: Date): boolean {
  return effectiveFrom !== null && effectiveFrom <= at && (!effectiveTo || effectiveTo > at)
}

type NewRule = Pick<Rule, 'name' | 'subject' | 'kind' | 'outcome' | 'clientId' | 'params'>
type By = { clientId: ClientId; actor: string; now: Date }

// Creates a draft. If the name has versions, the draft is the next version, and must have the same subject.
// The lock keeps two drafts from getting the same version number.
export async function draftRule(tx: Transaction, by: By, rule: NewRule): Promise<Rule> {
  const { name, subject, kind, outcome, clientId, params } = rule
  const reference = newReference('SCR')
  await tx.query(`select pg_advisory_xact_lock(hashtext('screening_rules'))`)
  const { rows } = await tx.query<{ fits: boolean }>({
    name: 'draft-screening-rule',
    text: `insert into screening_rules
             (reference, name, version, subject, kind, outcome, client_id, params, created_by, created_at)
           select $1, $2, coalesce(max(version), 0) + 1, $3, $4, $5, $6, $7, $8, $9
             from screening_rules where name = $2
           returning not exists (select from screening_rules where name = $2 and subject <> $3) as fits`,
    values: [reference, name, subject, kind, outcome, clientId, params, by.actor, by.now],
  })
  if (!rows[0]?.fits) throw new Refusal('screening_rule_name_taken')
  const drafted = await getRule(tx, reference)
  await auditRule(tx, by, { rule: drafted, action: 'draft', detail: { kind, outcome, params } })
  return drafted
}

// Stores the result of a draft's test, without which it cannot be activated.
export async function saveTest(tx: Transaction, by: By, rule: Rule, test: RuleTest): Promise<Rule> {
  const { rowCount } = await tx.query({
    name: 'save-screening-test',
    text: `update screening_rules set tested_at = $2, test = $3
            where id = $1 and effective_from is null`,
    values: [rule.id, by.now, test],
  })
  if (rowCount === 0) throw new Refusal('screening_rule_not_draft')
  const { examples: _, ...detail } = test
  await auditRule(tx, by, { rule, action: 'test', detail })
  return getRule(tx, rule.reference)
}

// Activates a draft. The previous version ends when this one begins. The caller has locked the rule.
export async function activateRule(
  tx: Transaction,
  now: Date,
  { id, effectiveFrom }: { id: bigint; effectiveFrom: Date | null },
): Promise<void> {
  const from = earliestChange(now, effectiveFrom)
  await tx.query({
    name: 'replace-screening-rule',
    text: `update screening_rules o set effective_to = greatest($2, o.effective_from)
             from screening_rules r
            where r.id = $1 and o.name = r.name and o.effective_from is not null
              and o.effective_to is null`,
    values: [id, from],
  })
  await tx.query({
    name: 'activate-screening-rule',
    text: 'update screening_rules set effective_from = $2 where id = $1',
    values: [id, from],
  })
}

// Ends a rule. A rule that has not begun yet ends at its beginning, so it never applies. The caller has
// locked the rule.
export async function endRule(tx: Transaction, now: Date, id: bigint): Promise<void> {
  await tx.query({
    name: 'end-screening-rule',
    text: `update screening_rules set effective_to = greatest($2, effective_from) where id = $1`,
    values: [id, earliestChange(now, null)],
  })
}

// Returns the earliest time at which a rule may begin or end, or the requested time if that is later.
function earliestChange(now: Date, requestedTime: Date | null): Date {
  return new Date(Math.max(now.getTime() + BEGINS_AFTER_MS, requestedTime?.getTime() ?? 0))
}

// Locks a rule, so that two people cannot activate and end it at once.
export async function lockRule(tx: Transaction, id: bigint): Promise<Rule> {
  const { rows } = await tx.query<Rule>({
    name: 'lock-screening-rule',
    text: `${SELECT} where r.id = $1 for no key update of r`,
    values: [id],
  })
  return rows[0] as Rule
}

type Audited = { rule: Rule; action: string; detail: object }

function auditRule(tx: Transaction, by: By, { rule, action, detail }: Audited): Promise<void> {
  return writeAuditLog(tx, by.now, {
    clientId: by.clientId,
    actor: by.actor,
    action: `screening_rule.${action}`,
    subject: `screening_rule/${rule.reference}`,
    detail: { name: rule.name, version: rule.version, ...detail },
  })
}
