// Ends a hold: one user requests its release or forfeiture, and another, independent user decides (I130).
//
//   release       Held → the accounts that the money came from, a due reserve to Available; the hold is over
//   forfeiture    Held → Forfeited; if the request names an amount, the rest stays held
//
// The holds on the accounts of a held person (person.ts) are released together with the hold on the person,
// and never alone. A forfeiture of one of them leaves it active, so that later money is held.
//
// The client never gets forfeited money back. The operator pays it on, as the order behind the hold says.
//
// An approval locks the hold first, and then ledger accounts.

import type { Client } from '#access/permissions.ts'
import { type Checker, type Request, type Verb, Workflow } from '#approvals/workflow.ts'
import { joinConditions } from '#db/paging.ts'
import { namedByText } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { AccountId, ClientId, HoldId } from '#ids.ts'
import { clientOwner, operatorOwner, type SharedAccounts } from '#ledger/accounts.ts'
import { postTransfers, type Transfer } from '#ledger/transfers.ts'
import { formatKobo, type Kobo, kobo } from '#money.ts'
import { appendEvents } from '#records/events.ts'
import { appendHoldEvent, getHold, HELD_CLIENT, type Hold, holdEvent, listHolds } from './hold.ts'
import { announceAccounts } from './person.ts'
import { transition } from './states.ts'

export const ENDINGS = ['release', 'forfeiture'] as const

export type HoldRequest = Request & {
  holdId: HoldId
  reference: string // The hold's reference.
  clientId: ClientId
  clientName: string | null // Null for a person.
  kind: (typeof ENDINGS)[number]
  amountKobo: Kobo | null // Null means the whole held amount.
  reason: string
}

type Deps = { sharedAccounts: SharedAccounts }

export const holdRequests = new Workflow<HoldRequest, Deps>({
  table: 'hold_requests',
  key: 'id',
  columns: `r.hold_id, h.reference, h.client_id, ${HELD_CLIENT} as client_name, r.kind, r.amount_kobo,
    r.reason`,
  joins: 'join holds h on h.id = r.hold_id join clients k on k.id = h.client_id',
  notFound: 'hold_request_not_found',
  perform: performEnding,
  audit: auditEntryOf,
})

// Returns the entry of the audit log about a request that is made, approved, rejected or withdrawn. The
// workflow also passes the client of the acting user (`_by`), which this entry does not need.
function auditEntryOf({ reference, clientName, ...request }: HoldRequest, verb: Verb, _by: Client) {
  const { kind, amountKobo, reason: note } = request
  const amount = amountKobo === null ? 'all' : formatKobo(amountKobo)
  return {
    action: `hold.${verb}`,
    subject: clientName === null ? `hold/${reference}` : `client/${clientName}`,
    detail: { reference, kind, amount, note },
  } as const
}

type Ending = Pick<HoldRequest, 'kind' | 'amountKobo' | 'reason'> & { hold: Hold }

// Stores a request to release or forfeit. No money moves until another user approves (performEnding).
export async function requestEnd(
  tx: Transaction,
  by: Checker & Deps,
  { hold, kind, amountKobo, reason }: Ending,
): Promise<HoldRequest> {
  refuseImpossibleEnding(await lockHold(tx, hold.id), { kind, amountKobo })
  const values = { hold_id: hold.id, kind, amount_kobo: amountKobo, reason }
  return holdRequests.request(tx, by, { values, conflict: 'hold_request_open' })
}

// Returns the id of the hold's newest request, which is the open one if there is one. With `id`, refuses
// unless that request belongs to the hold.
export async function findHoldRequestId(tx: Transaction, hold: Hold, id?: number): Promise<bigint> {
  const { sql, values } = joinConditions([
    ['hold_id = $', hold.id],
    ['id = $', id],
  ])
  const text = `select id from hold_requests where ${sql} order by id desc limit 1`
  const { rows } = await tx.query<{ id: bigint }>(namedByText(text, values))
  if (!rows[0]) throw new Refusal('hold_request_not_found')
  return rows[0].id
}

type LockedHold = Pick<
  Hold,
  'id' | 'clientId' | 'target' | 'currency' | 'heldKobo' | 'forfeitedKobo' | 'state'
> & {
  heldAccountId: AccountId
  isOfPerson: boolean // It is the hold on an account of a held person.
}

// Locks a hold, so that it does not change until the transaction ends.
async function lockHold(tx: Transaction, id: HoldId): Promise<LockedHold> {
  const { rows } = await tx.query<LockedHold>({
    name: 'lock-hold',
    text: `select h.id, h.client_id, h.target, h.currency, h.held_kobo, h.forfeited_kobo, h.state,
                  h.held_account_id,
                  exists (select from held_person_accounts where account_hold_id = h.id) as is_of_person
             from holds h where h.id = $1 for no key update`,
    values: [id],
  })
  return rows[0] as LockedHold // The caller read the id from the database, and holds are not deleted.
}

// Refuses to end a hold that has ended, or to forfeit more than it holds. Called at the request, and again at
// the approval, because the hold may have changed in between.
function refuseImpossibleEnding(
  { state, target, heldKobo, isOfPerson }: LockedHold,
  { kind, amountKobo }: Pick<HoldRequest, 'kind' | 'amountKobo'>,
): void {
  if (state !== 'active') throw new Refusal('hold_ended')
  if (kind === 'release' && isOfPerson) throw new Refusal('hold_of_person')
  if (kind === 'forfeiture' && target === 'person') throw new Refusal('hold_of_accounts')
  if (kind === 'release') return
  if (heldKobo === 0n) throw new Refusal('hold_empty')
  if (amountKobo !== null && amountKobo > heldKobo) throw new Refusal('hold_too_small')
}

// Moves the money, after the second user has approved the request.
async function performEnding(
  tx: Transaction,
  by: Checker & Deps,
  { holdId, reference, kind, amountKobo }: HoldRequest,
): Promise<void> {
  const hold = await lockHold(tx, holdId)
  refuseImpossibleEnding(hold, { kind, amountKobo })
  if (hold.target === 'person') return releasePerson(tx, by, hold)
  if (kind === 'release') await release(tx, by, hold)
  else {
    const endsHold = amountKobo === null && !hold.isOfPerson
    await forfeit(tx, by, { hold, amountKobo: amountKobo ?? hold.heldKobo, endsHold })
  }
  const type = kind === 'release' ? 'hold.released' : 'hold.forfeited'
  await appendHoldEvent(tx, by.now, { type, hold: await getHold(tx, reference) })
}

// Credits the held money back to the accounts that it came from. If a part was forfeited, the accounts with
// the lowest ids bear it, and get less back. Money from a settlement's reserve goes to Available instead,
// because the reserve was due when the hold took it.
async function release(
  tx: Transaction,
  { now, sharedAccounts }: Checker & Deps,
  { id, clientId, currency, heldAccountId: debitAccountId, forfeitedKobo }: LockedHold,
): Promise<void> {
  const { rows: sources } = await tx.query<Source>({
    name: 'sources-of-hold',
    text: `select t.debit_account_id as account_id, l.kind, sum(t.amount_kobo)::bigint as kobo
             from transfers t join ledger_accounts l on l.id = t.debit_account_id
            where t.hold_id = $1 and t.reason = 'hold' group by 1, 2 order by 1`,
    values: [id],
  })
  const available = { kind: 'available', owner: clientOwner(clientId), currency } as const
  await sharedAccounts.open([available])
  const transfers: Transfer[] = []
  let forfeitedLeftKobo: bigint = forfeitedKobo // Forfeited money that no source account has borne yet.
  for (const { accountId, kind, kobo: heldKobo } of sources) {
    const amountKobo = kobo(heldKobo > forfeitedLeftKobo ? heldKobo - forfeitedLeftKobo : 0n)
    forfeitedLeftKobo -= heldKobo - amountKobo
    if (amountKobo === 0n) continue
    const creditAccountId = kind === 'reserve' ? sharedAccounts.id(available) : accountId
    const reason = 'hold_release'
    transfers.push({ debitAccountId, creditAccountId, amountKobo, holdId: id, reason })
  }
  await postTransfers(tx, now, transfers)
  const set = 'held_kobo = 0, ended_at = $2'
  await transition(tx, { name: 'end-hold', id, from: 'active', to: 'released', set, values: [now] })
}

// Releases the hold on a person, and then the holds on the person's accounts. No account gets one meanwhile:
// placing it takes the lock of the person's hold.
async function releasePerson(
  tx: Transaction,
  by: Checker & Deps,
  { id }: LockedHold,
): Promise<void> {
  const { now } = by
  await announceAccounts(tx, now, id)
  const { rows } = await tx.query<{ id: HoldId }>({
    name: 'holds-of-person',
    text: `select h.id from held_person_accounts q join holds h on h.id = q.account_hold_id
            where q.hold_id = $1 and h.state = 'active' order by h.id`,
    values: [id],
  })
  const ids = rows.map((row) => row.id)
  for (const accountHoldId of ids) {
    const hold = await lockHold(tx, accountHoldId)
    if (hold.state === 'active') await release(tx, by, hold)
  }
  await transition(tx, {
    ...{ name: 'release-person', id, from: 'active', to: 'released' },
    ...{ set: 'ended_at = $2', values: [now] },
  })
  const where = [['h.id = any($::bigint[])', ids]] as const
  const released = await listHolds(tx, { where, beforeId: null, limit: ids.length })
  await appendEvents(
    tx,
    now,
    released.map((hold) => holdEvent('hold.released', hold)),
  )
}

type Source = { accountId: AccountId; kind: string; kobo: bigint }

// Moves held money to Forfeited. `endsHold` means that the whole held amount is forfeited, which ends the
// hold.
async function forfeit(
  tx: Transaction,
  { now, sharedAccounts }: Checker & Deps,
  { hold, amountKobo, endsHold }: { hold: LockedHold; amountKobo: Kobo; endsHold: boolean },
): Promise<void> {
  const { id, currency, clientId, heldAccountId: debitAccountId } = hold
  const forfeited = { kind: 'forfeited', owner: operatorOwner(clientId), currency } as const
  await sharedAccounts.open([forfeited])
  const creditAccountId = sharedAccounts.id(forfeited)
  const reason = 'forfeiture'
  await postTransfers(tx, now, [
    { debitAccountId, creditAccountId, amountKobo, holdId: id, reason },
  ])
  const set = 'held_kobo = held_kobo - $2, forfeited_kobo = forfeited_kobo + $2'
  if (endsHold) {
    const values = [amountKobo, now]
    const ended = `${set}, ended_at = $3`
    await transition(tx, {
      name: 'forfeit-hold',
      id,
      from: 'active',
      to: 'forfeited',
      set: ended,
      values,
    })
    return
  }
  await tx.query({
    name: 'forfeit-part-of-hold',
    text: `update holds set ${set} where id = $1`,
    values: [id, amountKobo],
  })
}
