// Requests that need two people: to activate or end a rule, to activate a version of a list, to release or
// refuse a held payout, and to release unidentified money that waits for an owner.

import type { Client } from '#access/permissions.ts'
import {
  type Checker,
  type Request,
  type Requester,
  type Verb,
  Workflow,
} from '#approvals/workflow.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { PayoutId } from '#ids.ts'
import type { SharedAccounts } from '#ledger/accounts.ts'
import { lockFileOf } from '#payouts/files.ts'
import { MAY_BE_STOPPED } from '#payouts/holds.ts'
import type { OutcomeHooks } from '#payouts/settle.ts'
import type { Decision } from './decisions.ts'
import { activateList, findActive, lockActivatable } from './lists.ts'
import { AFTER_CLAIM, refusePayout } from './payouts.ts'
import { activateRule, endRule, lockRule, type Rule, stateOf } from './rule.ts'

export const REQUEST_KINDS = ['activate', 'end', 'release', 'refuse'] as const

export type ScreeningRequest = Request & {
  kind: (typeof REQUEST_KINDS)[number]
  ruleId: bigint | null
  ruleReference: string | null
  ruleName: string | null
  ruleTestedAt: Date | null // An approver reads the result of the test.
  listId: bigint | null // The version of a list.
  listName: string | null
  decisionId: bigint | null
  decisionReference: string | null
  sessionId: string | null
  payoutId: PayoutId | null
  payoutReference: string | null
  effectiveFrom: Date | null
  reason: string
}

type Deps = { sharedAccounts: SharedAccounts; payoutHooks: OutcomeHooks }

export const screeningRequests = new Workflow<ScreeningRequest, Deps>({
  table: 'screening_requests',
  key: 'id',
  columns: `r.kind, r.rule_id, u.reference as rule_reference, u.name as rule_name,
    u.tested_at as rule_tested_at, r.list_id,
    l.name as list_name, r.decision_id, d.reference as decision_reference, c.session_id, d.payout_id,
    p.reference as payout_reference, r.effective_from, r.reason`,
  joins: `left join screening_rules u on u.id = r.rule_id
    left join screening_lists l on l.id = r.list_id
    left join screening_decisions d on d.id = r.decision_id
    left join payouts p on p.id = d.payout_id left join credits c on c.id = d.credit_id`,
  notFound: 'screening_request_not_found',
  lock: async (tx, { payoutReference }) => payoutReference && lockFileOf(tx, payoutReference),
  perform,
  audit,
})

// Returns the entry of the audit log for a request, an approval, a rejection or a withdrawal. Workflow passes
// the client that acts (`_by`), which this entry does not need.
function audit(request: ScreeningRequest, verb: Verb, _by: Client) {
  const {
    kind,
    ruleReference,
    ruleName,
    listId,
    listName,
    sessionId,
    payoutReference,
    decisionReference,
    reason: note,
  } = request
  const screenedSubject = payoutReference ? `payout/${payoutReference}` : `credit/${sessionId}`
  const action = `screening.${verb}` as const
  if (listId !== null) {
    const detail = { kind, version: Number(listId), note }
    return { action, subject: `screening_list/${listName}`, detail } as const
  }
  const subject = ruleReference ? `screening_rule/${ruleReference}` : screenedSubject
  const target = ruleReference ? { name: ruleName } : { decision: decisionReference }
  return { action, subject, detail: { kind, ...target, note } } as const
}

type RuleRequest = { kind: 'activate' | 'end'; effectiveFrom?: Date | null; reason: string }

// Creates a request to activate or end a rule.
export async function requestForRule(
  tx: Transaction,
  by: Requester,
  { rule, kind, effectiveFrom = null, reason }: RuleRequest & { rule: Rule },
): Promise<ScreeningRequest> {
  await refuseWrongState(tx, await lockRule(tx, rule.id), kind)
  const values = { kind, rule_id: rule.id, effective_from: effectiveFrom, reason }
  return screeningRequests.request(tx, by, { values, conflict: 'screening_request_open' })
}

// Creates a request to activate a version of a list.
export async function requestForList(
  tx: Transaction,
  by: Requester,
  { id, reason }: { id: bigint; reason: string },
): Promise<ScreeningRequest> {
  await lockActivatable(tx, id)
  const values = { kind: 'activate', list_id: id, reason }
  return screeningRequests.request(tx, by, { values, conflict: 'screening_request_open' })
}

// Requests that a held payout is released or refused, or that unidentified money is released. Refuses if the
// decision does not wait for two people, or no longer.
export async function requestForDecision(
  tx: Transaction,
  by: Requester,
  { decision, kind, reason }: { decision: Decision; kind: 'release' | 'refuse'; reason: string },
): Promise<ScreeningRequest> {
  const { payoutId, clientId, handling } = decision
  const isWaiting =
    payoutId === null
      ? kind === 'release' && handling === 'waiting' && clientId === null
      : handling === 'awaits_review'
  if (!isWaiting) throw new Refusal('screening_reviewed')
  const values = { kind, decision_id: decision.id, reason }
  return screeningRequests.request(tx, by, { values, conflict: 'screening_request_open' })
}

// Refuses a request that does not fit the state of the rule. The approval repeats the check, because the
// rule may have changed since the request.
async function refuseWrongState(
  tx: Transaction,
  rule: Rule,
  kind: 'activate' | 'end',
): Promise<void> {
  const state = stateOf(rule)
  if (kind === 'end') {
    if (state !== 'active') throw new Refusal('screening_rule_not_active')
    return
  }
  if (state !== 'draft') throw new Refusal('screening_rule_not_draft')
  if (rule.testedAt === null) throw new Refusal('screening_rule_untested')
  const { list } = rule.params
  if (list !== undefined && !(await findActive(tx, list))) {
    throw new Refusal('screening_rule_list_missing')
  }
}

// Carries out an approved request: activates a list version, activates or ends a rule, releases unidentified
// money, or releases or refuses a payout. Updates the payout only while it is held, so that it is reviewed
// once.
async function perform(
  tx: Transaction,
  by: Checker & Deps,
  { kind, ruleId, listId, decisionId, payoutId, effectiveFrom }: ScreeningRequest,
): Promise<void> {
  if (listId !== null) return activateList(tx, by.now, listId)
  if (kind === 'activate' || kind === 'end') {
    const id = ruleId as bigint
    await refuseWrongState(tx, await lockRule(tx, id), kind)
    if (kind === 'activate') await activateRule(tx, by.now, { id, effectiveFrom })
    else await endRule(tx, by.now, id)
    return
  }
  if (payoutId === null) return releaseUnidentified(tx, decisionId as bigint)
  const id = payoutId
  const { rowCount } = await tx.query({
    name: 'review-screened-payout',
    text: `update payouts p set screening = $2, screened_at = ${AFTER_CLAIM}
            where id = $1 and ${MAY_BE_STOPPED} and screening = 'held'`,
    values: [id, kind === 'release' ? 'clear' : 'refused', by.now],
  })
  if (rowCount === 0) throw new Refusal('screening_reviewed')
  if (kind === 'release') return
  const settling = { sharedAccounts: by.sharedAccounts, hooks: by.payoutHooks, now: by.now }
  if (!(await refusePayout(tx, settling, { id, by: by.actor })))
    throw new Refusal('screening_reviewed')
}

// Releases the decision on unidentified money. Refused if the money was assigned to a client in the
// meantime, because the credit then has a hold.
async function releaseUnidentified(tx: Transaction, decisionId: bigint): Promise<void> {
  const { rowCount } = await tx.query({
    name: 'release-unidentified-credit',
    text: `update screening_decisions set unheld_reason = 'released'
            where id = $1 and hold_id is null and unheld_reason is null and client_id is null`,
    values: [decisionId],
  })
  if (rowCount === 0) throw new Refusal('screening_reviewed')
}
