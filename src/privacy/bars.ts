// Refuses erasures of data that a hold or an open case needs (I250), and alerts operators. A client only
// hears that the data is still needed: neither a case nor the reason of a hold is for it to know.

import type { Client } from '#access/permissions.ts'
import type { Clock } from '#clock.ts'
import type { Pool } from '#db/pool.ts'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { AccountId, AdviceId } from '#ids.ts'
import { alertDeadlines, type NewAlert, raiseAlerts } from '#records/alerts.ts'
import { findBars, WHOLLY_BARRED_CLIENTS } from '#records/erasure-bars.ts'
import { appendEvents } from '#records/events.ts'

// `alert` is for the operators alone: no response shows it.
export class BarredErasure extends Refusal {
  readonly alert: NewAlert

  constructor(alert: NewAlert) {
    super('erasure_waits')
    this.alert = alert
  }
}

type Subject = { accountId?: AccountId; adviceId?: AdviceId; name: string }

// Refuses to erase what a hold or a case needs. The caller has locked out new holds and cases.
export async function refuseBarred(
  tx: Transaction,
  { id: clientId, clientId: client }: Pick<Client, 'id' | 'clientId'>,
  { name, ...subject }: Subject,
): Promise<void> {
  const bars = await findBars(tx, { clientId, ...subject })
  if (bars)
    throw new BarredErasure({ kind: 'erasure_refused', subject: name, detail: { client, ...bars } })
}

type Alerting = { db: Pool; clock: Clock }

// Alerts operators to a refused erasure. Called once the refusal has rolled the erasure back, because an
// alert of the same transaction would be rolled back with it.
export async function alertRefusal({ db, clock }: Alerting, refusal: unknown): Promise<void> {
  if (!(refusal instanceof BarredErasure)) return
  await withTransaction(db, async (tx) => {
    const now = clock()
    await appendEvents(tx, now, await raiseAlerts(tx, now, [refusal.alert]))
  })
}

// SQL query: the erasures that have begun and are paused. An erasure of a wholly barred client names no hold:
// there may be many.
const PAUSED = `
  select 'erasure_paused' as kind,
         coalesce('account/' || a.account_number, 'advice/' || e.advice_id) as subject,
         jsonb_build_object('client', k.client_id) as detail, e.asked_at as due_at
    from erasures e join clients k on k.id = e.client_id
    left join collection_accounts a on a.id = e.account_id
   where e.step <> 'done' and $1::timestamptz is not null
     and (e.client_id = any (array(${WHOLLY_BARRED_CLIENTS}))
          or exists (select from erasure_bars(e.client_id, e.account_id, e.advice_id, null)))`

// Raises and clears the alerts of paused erasures. Returns whether more may be due.
export async function alertPausedErasures(tx: Transaction, now: Date): Promise<boolean> {
  return alertDeadlines(tx, now, {
    name: 'paused-erasures',
    kinds: ['erasure_paused'],
    pending: PAUSED,
  })
}
