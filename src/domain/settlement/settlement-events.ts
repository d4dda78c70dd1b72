// Records settlements in the audit log and in the client's events.

import type { Transaction } from '#db/transaction.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import type { SettlementFacts } from '#domain/records/event-types.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import type { SettlementId } from '#ids.ts'
import { timestamp } from '#wat-time.ts'
import { readSettlement, type Settlement } from './settlements.ts'

type SettlementAction = {
  id: SettlementId
  verb: 'close' | 'approve_first' | 'approve' | 'cancel'
  actor: string
  more?: object
}

export async function recordSettlement(
  tx: Transaction,
  now: Date,
  { id, verb, actor, more }: SettlementAction,
): Promise<void> {
  const settlement = await readSettlement(tx, id)
  const { clientId, reference, cutOff, lines, grossKobo, netKobo } = settlement
  await writeAuditLog(tx, now, {
    clientId,
    actor,
    action: `settlement.${verb}`,
    subject: `settlement/${reference}`,
    detail: {
      cutOff: cutOff.toISOString(),
      lines: lines.toString(),
      grossKobo: grossKobo.toString(),
      netKobo: netKobo.toString(),
      ...more,
    },
  })
  if (verb === 'close') await emitEvent(tx, now, { settlement, type: 'settlement.closed' })
}

type SettlementEvent = {
  settlement: Settlement
  type: 'settlement.closed' | 'settlement.paid' | 'settlement.failed'
}

export async function emitEvent(
  tx: Transaction,
  now: Date,
  { settlement, type }: SettlementEvent,
): Promise<void> {
  const { clientId } = settlement
  await appendEvents(tx, now, [{ clientId, type, facts: factsOf(settlement) }])
}

function factsOf(settlement: Settlement): SettlementFacts {
  return {
    reference: settlement.reference,
    status: settlement.status,
    currency: settlement.currency,
    periodFrom: settlement.periodFrom && timestamp(settlement.periodFrom),
    cutOff: timestamp(settlement.cutOff),
    lines: Number(settlement.lines),
    grossKobo: settlement.grossKobo,
    feesKobo: settlement.feesKobo,
    vatKobo: settlement.vatKobo,
    reversedKobo: settlement.reversedKobo,
    refundsKobo: settlement.refundsKobo,
    paidOutKobo: settlement.paidOutKobo,
    recoveredKobo: settlement.recoveredKobo,
    reservedKobo: settlement.reservedKobo,
    releasedKobo: settlement.releasedKobo,
    carriedKobo: settlement.carriedKobo,
    netKobo: settlement.netKobo,
    closedAt: timestamp(settlement.closedAt),
  }
}
