// Closes, cancels and finishes settlements. Closing is one transaction, however many credits there are:
//
//   1. turn        one closing of a client at a time
//   2. decide      the last transfer that the settlement can cover (waits for transfers being posted)
//   3. lines       list the covered money in one statement, while credits go on arriving
//   4. take        lock the accounts, and take the balance of each as of the cut-off into settling
//   5. share out   recover the client's debt and release its excess provision, hold back a reserve, release
//                  due reserves or hold them
//   6. approve     unless that needs a second person, or there is no account to pay to
//
// Locks: the client; its turn; ledger accounts in id order; the client's event counter.

import { refuseSuspended } from '#access/permissions.ts'
import { discountSettlement } from '#accounts/received-today.ts'
import { numberArray, plainArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { AccountId, ClientId, SettlementId, SubaccountId, UserId } from '#ids.ts'
import {
  clientOwner,
  type SharedAccount,
  type SharedAccounts,
  subaccountOwner,
} from '#ledger/accounts.ts'
import { decideTransfers, postTransfers, type Transfer, undoSettlement } from '#ledger/transfers.ts'
import { CURRENCY, type Kobo, kobo } from '#money.ts'
import { type Floor, readReserveFloor } from '#payouts/settings.ts'
import type { OutcomeHook } from '#payouts/settle.ts'
import { type ApprovalDeps, approveByPolicy, needsApproval, takesTwoApprovers } from './approve.ts'
import {
  type Cover,
  type Party,
  type PartyTotals,
  type Previous,
  sumLines,
  takeAvailable,
  writeLines,
} from './cover.ts'
import {
  type DueReserves,
  findProvisionAccounts,
  keepReserve,
  releaseExcess,
  releaseReserves,
  type ShareOut,
  shareOut,
  takeDueReserves,
  undoReserves,
} from './reserves.ts'
import { readSettings } from './settings.ts'
import {
  emitEvent,
  findPrevious,
  lockSettlement,
  newSettlementReference,
  readSettlement,
  recordSettlement,
  type Settlement,
  type SettlementAmounts,
} from './settlement.ts'
import { type SettlementStatus, transition } from './states.ts'

type Closing = {
  clientId: ClientId
  cutOff?: Date | undefined // Default: now.
  minimumKobo?: Kobo | undefined // Smaller settlements are refused.
  actor: string
  userId: UserId | null
}

type Deps = { sharedAccounts: SharedAccounts; now: Date }

// A settlement whose money was taken, and which is about to be written.
type Closed = {
  id: SettlementId
  closing: Closing
  previous: Previous | undefined
  cover: Cover
  nextFromId: bigint
  totals: readonly PartyTotals[]
  takenByParty: ReadonlyMap<SubaccountId | null, Kobo> // The client's key is null.
  parties: readonly Party[]
  receivable: SharedAccount
  reserve: SharedAccount
  reserveBps: number
  reserveDays: number
  floor: Floor
}

// How the client's part of the money is divided: recovered debt, reserves and the net amount.
type ClientPart = ShareOut & DueReserves & { takenKobo: Kobo }
// A line that explains no transfer: an amount carried, recovered, held back or released.
type ExtraLine = { kind: string; subaccountId: SubaccountId | null; kobo: bigint }

// Writes a settlement after its money was taken: its row with the totals, its reserves, its lines, and the
// amount of each party; the party `null` is the client. The database checks that the amounts add up
// (settlements_add_up). Returns the net amount of all parties together.
async function writeSettlement(tx: Transaction, deps: Deps, closed: Closed): Promise<Kobo> {
  const { id, closing, cover, totals, takenByParty, reserveBps, floor } = closed
  const { clientId } = closing
  const reserveId = deps.sharedAccounts.id(closed.reserve)
  const due = { clientId, reserveId, dueBy: cover.cutOff }
  const { heldKobo, releasedKobo } = await takeDueReserves(tx, deps.now, due)
  const owedKobo = await readOwed(tx, deps.sharedAccounts.id(closed.receivable))
  const takenKobo = takenByParty.get(null) as Kobo
  const clientPart: ClientPart = {
    heldKobo,
    releasedKobo,
    takenKobo,
    ...shareOut({ takenKobo, releasedKobo, owedKobo, reserveBps, floor }),
  }
  const movedKobo = heldKobo + releasedKobo + sum(takenByParty.values())
  if (totals.length === 0 && movedKobo === 0n) throw new Refusal('settlement_empty')
  const extra = extraLines(closed, clientPart)
  const amounts = settlementAmounts(closed, clientPart)
  const lines = sum(totals.map((party) => party.lines)) + BigInt(extra.length)
  await insertSettlement(tx, deps.now, { closed, amounts, lines })
  await writeExtraLines(tx, deps.now, { id, lines: extra })
  await postTransfers(tx, deps.now, transfersOf(deps.sharedAccounts, closed, clientPart))
  if (clientPart.recoveredKobo > 0n) {
    await releaseExcess(tx, deps.now, { clientId, currency: CURRENCY, settlementId: id })
  }
  if (releasedKobo > 0n) await releaseReserves(tx, { id, clientId, dueBy: cover.cutOff })
  const { reservedKobo: amountKobo, netKobo } = clientPart
  await keepReserve(tx, { id, clientId, amountKobo, from: cover.cutOff, days: closed.reserveDays })
  await writeShares(tx, closed, netKobo)
  return amounts.netKobo
}

// Returns what the client owes, such as money that banks reversed after it was paid out.
async function readOwed(tx: Transaction, receivableId: AccountId): Promise<Kobo> {
  const { rows } = await tx.query<{ kobo: Kobo }>({
    name: 'read-receivable',
    text: 'select debits_kobo - credits_kobo as kobo from ledger_accounts where id = $1',
    values: [receivableId],
  })
  return (rows[0] as { kobo: Kobo }).kobo
}

// Builds the lines that explain the difference between the money taken and the covered transfers.
function extraLines({ totals, takenByParty }: Closed, clientPart: ClientPart): ExtraLine[] {
  // For each party, how much more or less was taken than its covered transfers add up to.
  const carried = [...takenByParty].map(([subaccountId, takenKobo]) => {
    const party = totals.find((lineTotals) => lineTotals.subaccountId === subaccountId)
    return { kind: 'carried', subaccountId, kobo: takenKobo - (party?.netKobo ?? 0n) }
  })
  // A due reserve that a hold takes is released and carried: the two lines cancel out.
  const client = { subaccountId: null }
  return [
    ...carried,
    { kind: 'recovery', ...client, kobo: -clientPart.recoveredKobo },
    { kind: 'reserve', ...client, kobo: -clientPart.reservedKobo },
    { kind: 'release', ...client, kobo: clientPart.heldKobo + clientPart.releasedKobo },
    { kind: 'carried', ...client, kobo: -clientPart.heldKobo },
  ].filter((line) => line.kobo !== 0n)
}

// Returns the amounts of the settlement. `carried` is what is left after all other amounts, so that they add
// up to the net amount. The net amount is all the money of the subaccounts and the client's net part.
function settlementAmounts(
  { totals, takenByParty }: Closed,
  clientPart: ClientPart,
): SettlementAmounts {
  const sumOverParties = (amountOf: (party: PartyTotals) => bigint) =>
    kobo(sum(totals.map(amountOf)))
  const allTakenKobo = sum(takenByParty.values())
  const { recoveredKobo, reservedKobo, heldKobo, releasedKobo, takenKobo, netKobo } = clientPart
  return {
    grossKobo: sumOverParties((party) => party.grossKobo),
    feesKobo: sumOverParties((party) => party.feesKobo),
    vatKobo: sumOverParties((party) => party.vatKobo),
    reversedKobo: sumOverParties((party) => party.reversedKobo),
    refundsKobo: sumOverParties((party) => party.refundsKobo),
    paidOutKobo: sumOverParties((party) => party.paidOutKobo),
    recoveredKobo: kobo(sumOverParties((party) => party.recoveredKobo) + recoveredKobo),
    reservedKobo,
    releasedKobo: kobo(heldKobo + releasedKobo),
    carriedKobo: kobo(
      allTakenKobo -
        sumOverParties((party) => party.netKobo) +
        sumOverParties((party) => party.carriedKobo) -
        heldKobo,
    ),
    netKobo: kobo(allTakenKobo - takenKobo + netKobo),
  }
}

// Inserts the settlement's row, and decides who must approve it.
async function insertSettlement(
  tx: Transaction,
  now: Date,
  { closed, amounts, lines }: { closed: Closed; amounts: SettlementAmounts; lines: bigint },
): Promise<void> {
  const { id, closing, previous, cover, nextFromId } = closed
  const { clientId, actor, userId } = closing
  const { netKobo } = amounts
  const isApprovalNeeded = await needsApproval(tx, clientId, netKobo)
  const needsTwoApprovers = await takesTwoApprovers(tx, { clientId, actor, netKobo })
  await tx.query({
    name: 'insert-settlement',
    text: `insert into settlements
             (id, reference, client_id, previous_id, currency, status, period_from, cut_off, to_id,
              next_from_id, lines, gross_kobo, fees_kobo, vat_kobo, reversed_kobo, refunds_kobo,
              paid_out_kobo, recovered_kobo, reserved_kobo, released_kobo, carried_kobo, net_kobo,
              needs_approval, closed_by, closed_by_user, closed_at, approvers_needed,
              payouts_to_id)
           overriding system value
           values ($1, $2, $3, $4, $5, 'closed', $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
                   $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27)`,
    values: [
      id,
      newSettlementReference(),
      clientId,
      previous?.id ?? null,
      CURRENCY,
      previous?.cutOff ?? null,
      cover.cutOff,
      cover.toId,
      nextFromId,
      lines,
      amounts.grossKobo,
      amounts.feesKobo,
      amounts.vatKobo,
      amounts.reversedKobo,
      amounts.refundsKobo,
      amounts.paidOutKobo,
      amounts.recoveredKobo,
      amounts.reservedKobo,
      amounts.releasedKobo,
      amounts.carriedKobo,
      amounts.netKobo,
      isApprovalNeeded || needsTwoApprovers,
      actor,
      userId,
      now,
      needsTwoApprovers ? 2 : 1,
      closed.floor.payoutsToId,
    ],
  })
}

// Writes the lines that explain no transfer, such as the reserve.
async function writeExtraLines(
  tx: Transaction,
  now: Date,
  { id, lines }: { id: SettlementId; lines: readonly ExtraLine[] },
): Promise<void> {
  await tx.query({
    name: 'write-settlement-lines',
    text: `insert into settlement_lines
             (settlement_id, kind, subaccount_id, other_kobo, posted_at)
           select $1, l.*, $5 from unnest($2::text[], $3::bigint[], $4::bigint[]) as l`,
    values: [
      id,
      plainArray(lines.map(({ kind }) => kind)),
      numberArray(lines.map(({ subaccountId }) => subaccountId)),
      numberArray(lines.map((line) => line.kobo)),
      now,
    ],
  })
}

// Returns the transfers that recover the client's debt, hold back the reserve and release due reserves, out
// of and into the client's settling account.
function transfersOf(accounts: SharedAccounts, closed: Closed, clientPart: ClientPart): Transfer[] {
  const { settlingId: settling } = closed.parties[0] as Party // The client is always the first party.
  const [receivable, reserve] = [accounts.id(closed.receivable), accounts.id(closed.reserve)]
  const legs: [from: AccountId, to: AccountId, kobo: Kobo, reason: 'recovery' | 'reserve'][] = [
    [settling, receivable, clientPart.recoveredKobo, 'recovery'],
    [settling, reserve, clientPart.reservedKobo, 'reserve'],
    [reserve, settling, clientPart.releasedKobo, 'reserve'],
  ]
  return legs
    .filter(([, , amountKobo]) => amountKobo > 0n)
    .map(([debitAccountId, creditAccountId, amountKobo, reason]) => {
      return { debitAccountId, creditAccountId, amountKobo, reason, settlementId: closed.id }
    })
}

// Writes the amount of each party. The client gets `netKobo`; a subaccount gets all of the money that was
// taken from its account.
async function writeShares(tx: Transaction, closed: Closed, netKobo: Kobo): Promise<void> {
  const { id, closing, parties, takenByParty } = closed
  const shares = parties.map(({ subaccountId, settlingId }) => ({
    subaccountId,
    settlingId,
    kobo: subaccountId === null ? netKobo : (takenByParty.get(subaccountId) as Kobo),
  }))
  const paid = shares.filter((share) => share.kobo > 0n)
  await tx.query({
    name: 'write-settlement-shares',
    text: `insert into settlement_shares
             (settlement_id, client_id, subaccount_id, account_id, net_kobo)
           select $1, $2, s.* from unnest($3::bigint[], $4::bigint[], $5::bigint[]) as s`,
    values: [
      id,
      closing.clientId,
      numberArray(paid.map(({ subaccountId }) => subaccountId)),
      numberArray(paid.map(({ settlingId }) => settlingId)),
      numberArray(paid.map((share) => share.kobo)),
    ],
  })
}

function sum(values: Iterable<bigint>): bigint {
  let total = 0n
  for (const value of values) total += value
  return total
}

// Closes a settlement as described at the top of this file. Refusals, in this order: client_suspended,
// settlement_in_progress, cut_off_passed, settlement_empty, settlement_below_minimum.
export async function closeSettlement(
  tx: Transaction,
  deps: ApprovalDeps,
  closing: Closing,
): Promise<Settlement> {
  const { clientId, minimumKobo } = closing
  const { now, sharedAccounts } = deps
  await refuseSuspended(tx, clientId)
  await takeTurn(tx, clientId)
  const previous = await findPrevious(tx, clientId, CURRENCY)
  const cutOff = closing.cutOff ?? defaultCutOff(now, previous)
  if (previous && cutOff <= previous.cutOff) throw new Refusal('cut_off_passed')

  // The last transfer is decided before the accounts are read. So a subaccount whose first share is covered
  // is always among the parties.
  const toId = await decideTransfers(tx)
  const opened = await openAccounts(tx, deps, clientId)
  const cover: Cover = { fromId: previous?.nextFromId ?? 0n, toId, cutOff }
  const id = await newSettlementId(tx)
  const covering = { clientId, currency: CURRENCY, cover, previous }
  const nextFromId = await writeLines(tx, id, covering)
  const totals = await sumLines(tx, id)

  const { parties, receivable, reserve } = opened
  // The accounts that writeSettlement() moves money on, locked together with the client's accounts.
  const alsoLocked = [
    ...[receivable, reserve].map((account) => sharedAccounts.id(account)),
    ...(await findProvisionAccounts(tx, clientId, CURRENCY)),
  ]
  const taking = { settlementId: id, clientId, currency: CURRENCY, cover, nextFromId, parties }
  const takenByParty = await takeAvailable(tx, deps, { ...taking, alsoLocked })
  const { reserveBps, reserveDays } = await readSettings(tx, clientId)
  const floor = await readReserveFloor(tx, { clientId, currency: CURRENCY, now })
  const netKobo = await writeSettlement(tx, deps, {
    id,
    closing,
    previous,
    cover,
    nextFromId,
    totals,
    takenByParty,
    reserveBps,
    reserveDays,
    ...opened,
    floor,
  })
  if (minimumKobo !== undefined && netKobo < minimumKobo) {
    throw new Refusal('settlement_below_minimum')
  }
  await recordSettlement(tx, now, { id, verb: 'close', actor: closing.actor })
  await approveByPolicy(tx, deps, { id, actor: closing.actor })
  return readSettlement(tx, id)
}

// Takes the client's turn to close or cancel a settlement, until the transaction ends. Refuses at once if
// another transaction has the turn: by the time that it ends, the settlement may be closed.
async function takeTurn(tx: Transaction, clientId: ClientId): Promise<void> {
  const { rows } = await tx.query<{ isOurs: boolean }>({
    name: 'take-settlement-turn',
    text: `select pg_try_advisory_xact_lock(hashtext('settlement'), hashtext($1)) as is_ours`,
    values: [clientId.toString()],
  })
  if (!rows[0]?.isOurs) throw new Refusal('settlement_in_progress')
}

// Waits until no other transaction closes a settlement of the client.
export async function awaitTurn(tx: Transaction, clientId: ClientId): Promise<void> {
  await tx.query({
    name: 'await-settlement-turn',
    text: `select pg_advisory_xact_lock(hashtext('settlement'), hashtext($1))`,
    values: [clientId.toString()],
  })
}

// Returns the cut-off of a settlement that is closed without one: a millisecond after now, so that transfers
// posted at this instant are covered, or after the previous cut-off if that is later.
function defaultCutOff(now: Date, previous: Previous | undefined): Date {
  return new Date(Math.max(now.getTime(), previous?.cutOff.getTime() ?? 0) + 1)
}

// Draws the id of the settlement before its row exists, because its lines and transfers are written first.
async function newSettlementId(tx: Transaction): Promise<SettlementId> {
  const { rows } = await tx.query<{ id: SettlementId }>({
    name: 'new-settlement-id',
    text: `select nextval('settlements_id_seq') as id`,
  })
  return (rows[0] as { id: SettlementId }).id
}

type OpenedAccounts = {
  parties: Party[] // The client comes first.
  receivable: SharedAccount
  reserve: SharedAccount
}

// Opens the ledger accounts of a settlement: the receivable, the reserve, and a settling account for the
// client and each subaccount that has money.
async function openAccounts(
  tx: Transaction,
  { sharedAccounts }: ApprovalDeps,
  clientId: ClientId,
): Promise<OpenedAccounts> {
  const { rows } = await tx.query<{ subaccountId: SubaccountId; accountId: AccountId }>({
    name: 'list-settled-subaccounts',
    text: `select subaccount_id, account_id
             from settlement_accounts
            where client_id = $1 and currency = $2 and subaccount_id is not null
            order by subaccount_id`,
    values: [clientId, CURRENCY],
  })
  const owner = clientOwner(clientId)
  const receivable: SharedAccount = { kind: 'receivable', owner, currency: CURRENCY }
  const reserve: SharedAccount = { kind: 'reserve', owner, currency: CURRENCY }
  const settling = [{ subaccountId: null, accountId: null }, ...rows].map((party) => ({
    ...party,
    account: settlingAccount(clientId, party.subaccountId),
  }))
  await sharedAccounts.open([receivable, reserve, ...settling.map(({ account }) => account)])
  const parties = settling.map(({ account, ...party }) => ({
    ...party,
    settlingId: sharedAccounts.id(account),
  }))
  return { parties, receivable, reserve }
}

// Returns the ledger account that holds a party's money between closing and approval.
function settlingAccount(clientId: ClientId, subaccountId: SubaccountId | null): SharedAccount {
  const owner = subaccountId === null ? clientOwner(clientId) : subaccountOwner(subaccountId)
  return { kind: 'settling', owner, currency: CURRENCY }
}

type Cancellation = { clientId: ClientId; reference: string; actor: string; now: Date }

// Cancels a settlement that is not approved. Opposite transfers put the money back, and the next settlement
// covers it again. Only the client's latest settlement can be cancelled, because each settlement starts where
// the previous one ends. Cancelling it again changes nothing.
//
// Locks: the client's turn, the settlement; then ledger accounts.
export async function cancelSettlement(
  tx: Transaction,
  { clientId, reference, actor, now }: Cancellation,
): Promise<Settlement> {
  await takeTurn(tx, clientId)
  const settlement = await lockSettlement(tx, clientId, reference)
  const { id, status, currency } = settlement
  if (status === 'cancelled') return settlement
  const latest = await findPrevious(tx, clientId, currency)
  if (status !== 'closed' || latest?.id !== id) throw new Refusal('settlement_not_cancellable')
  await transition(tx, {
    name: 'cancel-settlement',
    id,
    from: 'closed',
    to: 'cancelled',
    set: 'cancelled_by = $2, cancelled_at = $3, held_reason = null',
    values: [actor, now],
  })
  for (const table of ['settlement_lines', 'settlement_shares']) {
    await tx.query({
      name: `delete-${table}`,
      text: `delete from ${table} where settlement_id = $1`,
      values: [id],
    })
  }
  await undoReserves(tx, id)
  await undoSettlement(tx, now, id)
  await discountSettlement(tx, id)
  await recordSettlement(tx, now, { id, verb: 'cancel', actor })
  return readSettlement(tx, id)
}

// Sets the status of a settlement from its payouts: sending while any is open, then paid if all are
// confirmed, failed if none is, else part_failed. The money of a failed payout becomes available again
// (src/payouts/settle.ts), and the next settlement covers it.
export const finishSettlement: OutcomeHook = async (tx, { now }, { settlementId }) => {
  const id = settlementId as SettlementId
  const { rows } = await tx.query<{ status: SettlementStatus }>({
    name: 'lock-paid-settlement',
    text: 'select status from settlements where id = $1 for no key update',
    values: [id],
  })
  const from = (rows[0] as { status: SettlementStatus }).status
  const { open, paid, unpaid } = await countPayouts(tx, id)
  if (open > 0) {
    if (from !== 'sending')
      await transition(tx, { name: 'send-settlement', id, from, to: 'sending' })
    return
  }
  const status = unpaid === 0 ? 'paid' : paid === 0 ? 'failed' : 'part_failed'
  await transition(tx, {
    name: 'finish-settlement',
    id,
    from,
    to: status,
    set: 'finished_at = $2',
    values: [now],
  })
  const settlement = await readSettlement(tx, id)
  const type = status === 'paid' ? 'settlement.paid' : 'settlement.failed'
  await emitEvent(tx, now, { settlement, type })
}

// Counts the settlement's payouts: still open, paid, and not paid.
async function countPayouts(tx: Transaction, id: SettlementId) {
  const { rows } = await tx.query<{ open: number; paid: number; unpaid: number }>({
    name: 'count-settlement-payouts',
    text: `select count(*) filter (where status in ('queued', 'sending', 'unknown'))::int as open,
                  count(*) filter (where status = 'confirmed')::int as paid,
                  count(*) filter (where status in ('failed', 'cancelled'))::int as unpaid
             from payouts where settlement_id = $1`,
    values: [id],
  })
  return rows[0] as { open: number; paid: number; unpaid: number }
}
