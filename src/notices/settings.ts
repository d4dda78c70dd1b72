// A client's settings for notices: which notices its payers and its users get. Payers get none until the
// client turns them on. Users get all unless the client turns them off.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { ClientId } from '#ids.ts'
import { MESSAGE_KIND_NAMES, type MessageKind } from '#messages/kinds.ts'
import type { Channel } from '#messages/recipients.ts'
import type { Severity } from '#records/alerts.ts'
import { writeAuditLog } from '#records/audit-log.ts'

export type PayerKind = Extract<MessageKind, `payer.${string}`>
type StaffKind =
  | Extract<MessageKind, `merchant.${string}` | `operator.${string}`>
  | 'user.approval_waiting'

export const PAYER_KINDS = MESSAGE_KIND_NAMES.filter((kind): kind is PayerKind =>
  kind.startsWith('payer.'),
)
export const STAFF_KINDS = MESSAGE_KIND_NAMES.filter(
  (kind): kind is StaffKind =>
    /^(?:merchant|operator)\./.test(kind) || kind === 'user.approval_waiting',
)

export type NoticeSettings = {
  payerChannels: readonly Channel[]
  payerKinds: readonly PayerKind[]
  staffKinds: readonly StaffKind[]
  alertSeverity: Severity
}

const DEFAULTS: NoticeSettings = {
  payerChannels: [],
  payerKinds: PAYER_KINDS,
  staffKinds: STAFF_KINDS,
  alertSeverity: 'warning',
}

// Returns the client's settings, or the defaults if it has set none.
export async function readNoticeSettings(
  db: Queryable,
  clientId: ClientId,
): Promise<NoticeSettings> {
  const { rows } = await db.query<NoticeSettings>({
    name: 'read-notice-settings',
    text: `select payer_channels, payer_kinds, staff_kinds, alert_severity
             from notice_settings where client_id = $1`,
    values: [clientId],
  })
  return rows[0] ?? DEFAULTS
}

export async function setNoticeSettings(
  tx: Transaction,
  { clientId, now, actor }: { clientId: ClientId; now: Date; actor: string },
  settings: NoticeSettings,
): Promise<NoticeSettings> {
  const { payerChannels, payerKinds, staffKinds, alertSeverity } = settings
  await tx.query({
    name: 'set-notice-settings',
    text: `insert into notice_settings (client_id, payer_channels, payer_kinds, staff_kinds,
                                        alert_severity, updated_by, updated_at)
           values ($1, $2, $3, $4, $5, $6, $7)
           on conflict (client_id) do update
              set payer_channels = excluded.payer_channels, payer_kinds = excluded.payer_kinds,
                  staff_kinds = excluded.staff_kinds, alert_severity = excluded.alert_severity,
                  updated_by = excluded.updated_by, updated_at = excluded.updated_at`,
    values: [
      clientId,
      [...payerChannels],
      [...payerKinds],
      [...staffKinds],
      alertSeverity,
      actor,
      now,
    ],
  })
  const subject = 'notice-settings'
  await writeAuditLog(tx, now, {
    clientId,
    actor,
    action: 'notices.set',
    subject,
    detail: settings,
  })
  return settings
}
