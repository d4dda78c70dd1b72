// Withdraws a fee rule that has not begun (I43). It ends where it begins, and its predecessor stays
// in force until the next rule. Only the audit log still shows it.
//
// A rule cannot be withdrawn in its last minute before it begins. A minute is longer than this
// transaction takes, so no credit is charged by a rule whose withdrawal is not yet visible.
//
// Locks: the client's rules, then its test clock.

import type { Clock } from '#clock.ts'
import type { Transaction } from '#db/transaction.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { holdTestTime } from '#domain/records/test-clocks.ts'
import { Refusal } from '#errors.ts'
import type { FeeRuleId } from '#ids.ts'
import { type FeeRule, lockRules, readRules } from './fee-rules.ts'

const LEAD_MS = 60_000

export async function withdrawRule(
  tx: Transaction,
  { actor, clock }: { actor: string; clock: Clock },
  id: FeeRuleId,
): Promise<void> {
  const { clientId } = await getRule(tx, id)
  await lockRules(tx, clientId)
  const rule = await getRule(tx, id)
  const now = clock()
  const testTime = await holdTestTime(tx, now, clientId)
  const latest = testTime && testTime > now ? testTime : now
  if (rule.effectiveFrom.getTime() - latest.getTime() <= LEAD_MS) {
    throw new Refusal('fee_rule_in_force')
  }
  await tx.query({
    name: 'withdraw-fee-rule',
    text: 'update fee_rules set withdrawn_at = $2, effective_to = effective_from where id = $1',
    values: [id, now],
  })
  await resumeBefore(tx, rule)
  const { code, basis, merchantCode, effectiveFrom } = rule
  await writeAuditLog(tx, now, {
    clientId,
    actor,
    action: 'fee_rule.withdraw',
    subject: `fee-rule/${code}`,
    detail: { code, basis, merchantCode, effectiveFrom: effectiveFrom.toISOString() },
  })
}

async function getRule(tx: Transaction, id: FeeRuleId): Promise<FeeRule> {
  const rule = (await readRules(tx, [id])).get(id)
  if (!rule || rule.isWithdrawn) throw new Refusal('fee_rule_not_found')
  return rule
}

async function resumeBefore(tx: Transaction, rule: FeeRule): Promise<void> {
  const { clientId, merchantCode, basis, effectiveFrom, effectiveTo } = rule
  await tx.query({
    name: 'resume-fee-rule',
    text: `update fee_rules set effective_to = $5
            where client_id = $1 and merchant_code is not distinct from $2 and basis = $3
              and effective_to = $4 and withdrawn_at is null`,
    values: [clientId, merchantCode, basis, effectiveFrom, effectiveTo],
  })
}
