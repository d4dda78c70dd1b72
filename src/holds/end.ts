// Ends a hold: one user requests its release or forfeiture, and another, independent user decides (I130).
//
//   release       Held → the accounts that the money came from, a due reserve to Available; the hold is over
//   forfeiture    Held → Forfeited; if the request names an amount, the rest stays held
//
// Forfeited money has left the client permanently. The operator pays it on, as the order behind the hold
// says.
// Locks of an approval: the hold, then ledger accounts.

import type { Client } from '#access/permissions.ts'
import { type Checker, type Request, type Verb, Workflow } from '#approvals/workflow.ts'
import { fits } from '#db/paging.ts'
import { namedByText } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { AccountId, ClientId, HoldId } from '#ids.ts'
import { clientOwner, operatorOwner, type SharedAccounts } from '#ledger/accounts.ts'
import { postTransfers, type Transfer } from '#ledger/transfers.ts'
import { formatKobo, type Kobo, kobo } from '#money.ts'
import { appendHoldEvent, getHold, type Hold } from './hold.ts'
import { transition } from './states.ts'

export const ENDINGS = ['release', 'forfeiture'] as const

export type HoldRequest = Request & {
  holdId: HoldId
  reference: string // The hold's reference.
  clientId: ClientId
  clientName: string
  kind: (typeof ENDINGS)[number]
  amountKobo: Kobo | null // Null means the whole held amount.
  reason: string
}

type Deps = { sharedAccounts: SharedAccounts }

export const holdRequests = new Workflow<HoldRequest, Deps>({
  table: 'hold_requests',
  key: 'id',
  columns: `r.hold_id, h.reference, h.client_id, c.client_id as client_name, r.kind, r.amount_kobo,
    r.reason`,
  joins: 'join holds h on h.id = r.hold_id join clients c on c.id = h.client_id',
  notFound: 'hold_request_not_found',
  perform: end,
  audit,
})

function audit({ reference, clientName, ...request }: HoldRequest, verb: Verb, _by: Client) {
  const { kind, amountKobo, reason: note } = request
  const amount = amountKobo === null ? 'all' : formatKobo(amountKobo)
  return {
    action: `hold.${verb}`,
    subject: `client/${clientName}`,
    detail: { reference, kind, amount, note },
  } as const
}

type Ending = Pick<HoldRequest, 'kind' | 'amountKobo' | 'reason'> & { hold: Hold }

export async function requestEnd(
  tx: Transaction,
  by: Checker & Deps,
  { hold, kind, amountKobo, reason }: Ending,
): Promise<HoldRequest> {
  refuseUnfitting(await lockHold(tx, hold.id), { kind, amountKobo })
  const values = { hold_id: hold.id, kind, amount_kobo: amountKobo, reason }
  return holdRequests.request(tx, by, { values, conflict: 'hold_request_open' })
}

// Returns the id of the hold's request with this id or, by default, of its newest request. If a request is
// open, it is the newest.
export async function findRequestOf(tx: Transaction, hold: Hold, id?: number): Promise<bigint> {
  const { sql, values } = fits([
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
  'id' | 'clientId' | 'currency' | 'heldKobo' | 'forfeitedKobo' | 'state'
> & {
  heldAccountId: AccountId
}

async function lockHold(tx: Transaction, id: HoldId): Promise<LockedHold> {
  const { rows } = await tx.query<LockedHold>({
    name: 'lock-hold',
    text: `select id, client_id, currency, held_kobo, forfeited_kobo, state, held_account_id
             from holds where id = $1 for no key update`,
    values: [id],
  })
  return rows[0] as LockedHold
}

function refuseUnfitting(
  { state, heldKobo }: LockedHold,
  { kind, amountKobo }: Pick<HoldRequest, 'kind' | 'amountKobo'>,
): void {
  if (state !== 'active') throw new Refusal('hold_ended')
  if (kind === 'release') return
  if (heldKobo === 0n) throw new Refusal('hold_empty')
  if (amountKobo !== null && amountKobo > heldKobo) throw new Refusal('hold_too_small')
}

async function end(
  tx: Transaction,
  by: Checker & Deps,
  { holdId, reference, kind, amountKobo }: HoldRequest,
): Promise<void> {
  const hold = await lockHold(tx, holdId)
  refuseUnfitting(hold, { kind, amountKobo })
  if (kind === 'release') await release(tx, by, hold)
  else {
    const isLast = amountKobo === null
    await forfeit(tx, by, { hold, amountKobo: amountKobo ?? hold.heldKobo, isLast })
  }
  const type = kind === 'release' ? 'hold.released' : 'hold.forfeited'
  await appendHoldEvent(tx, by.now, { type, hold: await getHold(tx, reference) })
}

// Credits the held money back to its sources. Forfeited money is deducted from the first source accounts,
// ordered by id. A reserve was due when the hold took it, so it becomes available.
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
  let goneKobo: bigint = forfeitedKobo
  for (const { accountId, kind, kobo: takenKobo } of sources) {
    const amountKobo = kobo(takenKobo > goneKobo ? takenKobo - goneKobo : 0n)
    goneKobo -= takenKobo - amountKobo
    if (amountKobo === 0n) continue
    const creditAccountId = kind === 'reserve' ? sharedAccounts.id(available) : accountId
    const reason = 'hold_release'
    transfers.push({ debitAccountId, creditAccountId, amountKobo, holdId: id, reason })
  }
  await postTransfers(tx, now, transfers)
  const set = 'held_kobo = 0, ended_at = $2'
  await transition(tx, { name: 'end-hold', id, from: 'active', to: 'released', set, values: [now] })
}

type Source = { accountId: AccountId; kind: string; kobo: bigint }
type Forfeiture = { hold: LockedHold; amountKobo: Kobo; isLast: boolean }

async function forfeit(
  tx: Transaction,
  { now, sharedAccounts }: Checker & Deps,
  { hold, amountKobo, isLast }: Forfeiture,
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
  if (isLast) {
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
