// A hold on a person stops the money of all collection accounts with the person's BVN, of all clients:
//
//   hold on the person (target `person`, no money of its own) ─▶ a hold on each account (target `account`)
//
// Accounts are matched by the keyed hash of the BVN; the BVN itself is not stored. An account that is opened
// later gets its hold from a worker, or earlier, from whoever would draw its money (fillHolds() in hold.ts).
// An account stays held if its BVN is changed. The holds of the accounts end together with the person's
// (end.ts).
//
// A client sees a hold on its account, as any other. It does not learn that a person is held, nor at whom
// else.

import { joinConditions } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { namedByText } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import { type ClientId, type HoldId, newReference } from '#ids.ts'
import { clientOwner } from '#ledger/accounts.ts'
import { CURRENCY } from '#money.ts'
import { raiseAlerts } from '#records/alerts.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import { lockOutErasures } from '#records/erasure-bars.ts'
import { appendEvents } from '#records/events.ts'
import { maskIdentityNumber, type Sealer } from '#seal.ts'
import { type By, fillHolds, getHold, type Hold, holdEvent, listHolds, lockCase } from './hold.ts'
import type { Filling } from './person-accounts.ts'

type NewPersonHold = Pick<Hold, 'reason' | 'caseReference' | 'deadlineAt'> & { bvn: string }

// Places a hold on a person, and on all of the person's accounts.
//
// Locks: the accounts with a BVN that are being opened; then as placeHold(), client by client.
export async function placePersonHold(
  tx: Transaction,
  by: By & { sealer: Sealer },
  { bvn, reason, caseReference, deadlineAt }: NewPersonHold,
): Promise<Hold> {
  const { clientId, actor, now, sharedAccounts, sealer } = by
  await tx.query(`select pg_advisory_xact_lock(hashtext('held_people'))`)
  await lockOutErasures(tx)
  if (caseReference !== null) await lockCase(tx, caseReference)
  const held = { kind: 'held', owner: clientOwner(clientId), currency: CURRENCY } as const
  await sharedAccounts.open([held])
  const reference = newReference('HLD')
  const { rows } = await tx.query<{ clientId: ClientId }>({
    name: 'hold-person',
    text: `with placed as (
             insert into holds (reference, client_id, target, currency, held_account_id, reason,
                                case_reference, deadline_at, placed_by, placed_at)
             values ($1, $2, 'person', '${CURRENCY}', $3, $4, $5, $6, $7, $8) returning id
           ), person as (
             insert into held_people (hold_id, bvn_hash, bvn_masked) select id, $9, $10 from placed
           )
           insert into held_person_accounts (hold_id, account_id, client_id, is_later)
           select placed.id, a.id, k.id, false
             from placed cross join clients k
            cross join lateral (select id from collection_accounts
                                 where client_id = k.id and bvn_hash = $9) as a
           returning client_id`,
    values: [
      reference,
      clientId,
      sharedAccounts.id(held),
      reason,
      caseReference,
      deadlineAt,
      actor,
      now,
      sealer.hash('bvn', bvn),
      maskIdentityNumber(bvn),
    ],
  })
  const clients = [...new Set(rows.map((row) => row.clientId))].sort((a, b) => (a < b ? -1 : 1))
  for (const each of clients) await fillHolds(tx, by, each)
  const placed = await getHold(tx, reference)
  const detail = { reference, target: 'person', accounts: rows.length, note: reason }
  const subject = `hold/${reference}`
  await writeAuditLog(tx, now, { clientId, actor, action: 'hold.place', subject, detail })
  await announceAccounts(tx, now, placed.id)
  return placed
}

const ANNOUNCED_MAX = 200

type Announced = { holdId: HoldId; reference: string; isLater: boolean; accountNumber: string }

// Reports the holds on accounts of held people: to the client that owns the account, and, if the account came
// later, to operators as an alert. With `personHoldId` only those of one person. Returns whether there may be
// more.
export async function announceAccounts(
  tx: Transaction,
  now: Date,
  personHoldId?: HoldId,
): Promise<boolean> {
  const { sql, values } = joinConditions([
    'account_hold_id is not null and not is_announced',
    ['hold_id = $', personHoldId],
  ])
  const limit = personHoldId === undefined ? `limit ${ANNOUNCED_MAX}` : ''
  const text = `
    update held_person_accounts q set is_announced = true
      from holds p, holds h, collection_accounts a
     where (q.hold_id, q.account_id) in (
             select hold_id, account_id from held_person_accounts
              where ${sql} order by hold_id, account_id ${limit} for update skip locked)
       and p.id = q.hold_id and h.id = q.account_hold_id and a.id = q.account_id
    returning h.id as hold_id, p.reference, q.is_later, a.account_number`
  const { rows } = await tx.query<Announced>(namedByText(text, values))
  if (rows.length === 0) return false
  const ids = rows.map(({ holdId }) => holdId)
  const holds = await listHolds(tx, {
    where: [['h.id = any($::bigint[])', ids]],
    beforeId: null,
    limit: ids.length,
  })
  const alerts = rows
    .filter(({ isLater }) => isLater)
    .map(({ reference, accountNumber }) => ({
      kind: 'held_person_account' as const,
      subject: `account/${accountNumber}`,
      detail: { hold: reference, accountNumber },
    }))
  await appendEvents(tx, now, [
    ...(await raiseAlerts(tx, now, alerts)),
    ...holds.map((hold) => holdEvent('hold.placed', hold)),
  ])
  return rows.length === ANNOUNCED_MAX
}

// Returns the client of an account of a held person that waits for its hold, or null.
export async function findWaitingClient(db: Queryable): Promise<ClientId | null> {
  const { rows } = await db.query<{ clientId: ClientId }>({
    name: 'find-client-of-held-people',
    text: `select q.client_id
             from held_person_accounts q join holds p on p.id = q.hold_id and p.state = 'active'
            where q.account_hold_id is null limit 1`,
  })
  return rows[0]?.clientId ?? null
}

// Moves the money of a waiting account to its hold, or announces such holds. Returns whether there may be
// more.
export async function holdLaterAccounts(
  tx: Transaction,
  filling: Filling,
  clientId: ClientId | null,
): Promise<boolean> {
  if (clientId === null) return announceAccounts(tx, filling.now)
  await fillHolds(tx, filling, clientId)
  return true
}
