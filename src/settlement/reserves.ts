// Reserves: parts of settlements that are held back. The first settlement whose cut-off is late enough
// releases a reserve. Before that, an adjustment may use the reserve to pay the client's debt. If a hold of
// all the client's money lacks money, the hold takes a due reserve instead (I130).
//
// Also divides a client's money into debt recovery, reserve and net amount, and releases excess provisions.

import { DAY_MS } from '#clock.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { holdReserve, sumLacking } from '#holds/hold.ts'
import type { AccountId, ClientId, SettlementId } from '#ids.ts'
import { clientOwner, operatorOwner } from '#ledger/accounts.ts'
import { type Cause, postTransfers } from '#ledger/transfers.ts'
import { type Kobo, kobo } from '#money.ts'
import { type Floor, WHOLE_BPS } from '#payouts/settings.ts'

// SQL condition: whether a reserve of client $1 can pay the client's debt or be held. The settlement of such
// a reserve can no longer be cancelled.
const USABLE = `
  client_id = $1 and released_by is null
  and exists (select from settlements s where s.id = settlement_id and s.status <> 'closed')`

// A settlement releases a part of the due reserves, and holds take the other part.
export type DueReserves = { heldKobo: Kobo; releasedKobo: Kobo }

// Sums the reserves whose time has come by `dueBy`, and the part of them that holds or debts may take.
async function sumDueReserves(
  db: Queryable,
  clientId: ClientId,
  dueBy: Date,
): Promise<{ dueKobo: Kobo; usableKobo: Kobo }> {
  const { rows } = await db.query<{ dueKobo: Kobo; usableKobo: Kobo }>({
    name: 'sum-due-reserves',
    text: `select coalesce(sum(amount_kobo), 0)::bigint as due_kobo,
                  coalesce(sum(amount_kobo) filter (where ${USABLE}), 0)::bigint as usable_kobo
             from settlement_reserves
            where client_id = $1 and released_by is null and release_at <= $2`,
    values: [clientId, dueBy],
  })
  return rows[0] as { dueKobo: Kobo; usableKobo: Kobo }
}

// Returns what takeDueReserves() would do now, and changes nothing.
export async function previewDueReserves(
  db: Queryable,
  clientId: ClientId,
  dueBy: Date,
): Promise<DueReserves> {
  const { dueKobo } = await sumDueReserves(db, clientId, dueBy)
  const lackingKobo = dueKobo === 0n ? 0n : await sumLacking(db, clientId)
  const heldKobo = least(dueKobo, lackingKobo)
  return { heldKobo: kobo(heldKobo), releasedKobo: kobo(dueKobo - heldKobo) }
}

// Moves due reserves to holds that lack money, and returns how much the settlement may release: nothing while
// a hold still lacks money. The caller holds the client's turn and has locked the reserve account.
export async function takeDueReserves(
  tx: Transaction,
  now: Date,
  { clientId, reserveId, dueBy }: { clientId: ClientId; reserveId: AccountId; dueBy: Date },
): Promise<DueReserves> {
  const { dueKobo, usableKobo } = await sumDueReserves(tx, clientId, dueBy)
  if (dueKobo === 0n) return { heldKobo: kobo(0n), releasedKobo: kobo(0n) }
  const releasing = { clientId, reserveId, amountKobo: usableKobo }
  const { heldKobo, isLacking } = await holdReserve(tx, now, releasing)
  if (heldKobo > 0n) await useReserves(tx, clientId, heldKobo)
  return { heldKobo, releasedKobo: kobo(isLacking ? 0n : dueKobo - heldKobo) }
}

// Marks all due reserves as released by this settlement. Their money is posted with the settlement's other
// transfers.
export async function releaseReserves(
  tx: Transaction,
  { id, clientId, dueBy }: { id: SettlementId; clientId: ClientId; dueBy: Date },
): Promise<void> {
  await tx.query({
    name: 'release-reserves',
    text: `update settlement_reserves set released_by = $1
            where client_id = $2 and released_by is null and release_at <= $3`,
    values: [id, clientId, dueBy],
  })
}

type NewReserve = {
  id: SettlementId
  clientId: ClientId
  amountKobo: Kobo
  from: Date
  days: number
}

// Stores the part of a settlement that is held back, until `days` after its cut-off.
export async function keepReserve(
  tx: Transaction,
  { id, clientId, amountKobo, from, days }: NewReserve,
): Promise<void> {
  if (amountKobo === 0n) return
  await tx.query({
    name: 'keep-reserve',
    text: `insert into settlement_reserves (settlement_id, client_id, amount_kobo, release_at)
           values ($1, $2, $3, $4)`,
    values: [id, clientId, amountKobo, new Date(from.getTime() + days * DAY_MS)],
  })
}

// Undoes the reserves of a cancelled settlement: deletes the reserve that the settlement held back, and makes
// the reserves that the settlement released due again.
export async function undoReserves(tx: Transaction, id: SettlementId): Promise<void> {
  await tx.query({
    name: 'unhold-reserve',
    text: 'delete from settlement_reserves where settlement_id = $1',
    values: [id],
  })
  await tx.query({
    name: 'unrelease-reserves',
    text: 'update settlement_reserves set released_by = null where released_by = $1',
    values: [id],
  })
}

// Sums the reserves that an adjustment could use now to pay the client's debt.
export async function sumUsableReserves(db: Queryable, clientId: ClientId): Promise<Kobo> {
  const { rows } = await db.query<{ kobo: bigint }>({
    name: 'sum-usable-reserves',
    text: `select coalesce(sum(amount_kobo), 0)::bigint as kobo from settlement_reserves where ${USABLE}`,
    values: [clientId],
  })
  return kobo(rows[0]?.kobo ?? 0n)
}

// Takes an amount from the client's reserves, those that are released first: deletes the reserves that are
// used up, and reduces the last one. The caller holds the client's turn and has checked that there is
// enough.
export async function useReserves(
  tx: Transaction,
  clientId: ClientId,
  amountKobo: Kobo,
): Promise<void> {
  await tx.query({
    name: 'use-reserves',
    text: `with usable as (
             select settlement_id, amount_kobo,
                    sum(amount_kobo) over (order by release_at, settlement_id) as reached
               from settlement_reserves where ${USABLE}
           ), kept as (
             select settlement_id, least(amount_kobo, greatest(reached - $2, 0)) as left_kobo from usable
           ), used_up as (
             delete from settlement_reserves r using kept k
              where r.settlement_id = k.settlement_id and k.left_kobo = 0
           )
           update settlement_reserves r set amount_kobo = k.left_kobo
             from kept k
            where r.settlement_id = k.settlement_id and k.left_kobo between 1 and r.amount_kobo - 1`,
    values: [clientId, amountKobo],
  })
}

export type ShareOut = {
  recoveredKobo: Kobo
  reservedKobo: Kobo
  netKobo: Kobo // The amount to pay out.
}

type Inputs = {
  takenKobo: Kobo
  releasedKobo: Kobo
  owedKobo: Kobo
  reserveBps: number
  floor: Floor
}

// Divides the money taken from a client and the reserves that are due. First recovers the client's debt from
// both, then holds back a reserve from the money taken. The operator's floor also applies to the money that
// the client has paid out itself since the previous settlement (I96). Pure.
export function shareOut({
  takenKobo,
  releasedKobo,
  owedKobo,
  reserveBps,
  floor,
}: Inputs): ShareOut {
  const allKobo = takenKobo + releasedKobo
  const recoveredKobo = least(owedKobo, allKobo)
  const reserveBaseKobo = least(takenKobo, allKobo - recoveredKobo)
  const ownReserveKobo = (reserveBaseKobo * BigInt(reserveBps)) / WHOLE_BPS
  const floorReserveKobo = ((reserveBaseKobo + floor.paidKobo) * BigInt(floor.bps)) / WHOLE_BPS
  const reservedKobo = least(
    reserveBaseKobo,
    floorReserveKobo > ownReserveKobo ? floorReserveKobo : ownReserveKobo,
  )
  return {
    recoveredKobo: kobo(recoveredKobo),
    reservedKobo: kobo(reservedKobo),
    netKobo: kobo(allKobo - recoveredKobo - reservedKobo),
  }
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}

// Returns the accounts that releaseExcess() moves, so that the caller can lock them together with its own.
export async function findProvisionAccounts(
  tx: Transaction,
  clientId: ClientId,
  currency: string,
): Promise<AccountId[]> {
  const { rows } = await tx.query<{ id: AccountId }>({
    name: 'find-provision-accounts',
    text: `select id from ledger_accounts
            where kind in ('provision', 'doubtful_debt') and owner = $1 and currency = $2`,
    values: [operatorOwner(clientId), currency],
  })
  return rows.map(({ id }) => id)
}

// Releases the part of a client's provision that exceeds the client's debt (I119). Every transaction that
// lowers the debt calls this before it ends. So a debt that is written off becomes a cost only once, and a
// debt that is paid becomes none. The caller has lowered the debt and locked the receivable, which every
// transaction that changes a provision locks.
export async function releaseExcess(
  tx: Transaction,
  now: Date,
  { clientId, currency, ...cause }: { clientId: ClientId; currency: string } & Cause,
): Promise<void> {
  const { rows } = await tx.query<{ provisionId: AccountId; costId: AccountId; kobo: Kobo }>({
    name: 'find-excess-provision',
    text: `select p.id as provision_id, c.id as cost_id,
                  p.credits_kobo - p.debits_kobo - (r.debits_kobo - r.credits_kobo) as kobo
             from ledger_accounts p
             join ledger_accounts c on c.kind = 'doubtful_debt' and c.owner = p.owner
                                   and c.currency = p.currency
             join ledger_accounts r on r.kind = 'receivable' and r.owner = $1
                                   and r.currency = p.currency
            where p.kind = 'provision' and p.owner = $2 and p.currency = $3
              and p.credits_kobo - p.debits_kobo > r.debits_kobo - r.credits_kobo`,
    values: [clientOwner(clientId), operatorOwner(clientId), currency],
  })
  const transfers = rows.map(({ provisionId, costId, kobo }) => ({
    debitAccountId: provisionId,
    creditAccountId: costId,
    amountKobo: kobo,
    reason: 'provision_release' as const,
    ...cause,
  }))
  await postTransfers(tx, now, transfers)
}
