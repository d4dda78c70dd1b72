// Closes a settlement: everything in one transaction, however many credits there are.
//
//   1. turn        one closing of a client at a time
//   2. decide      the last transfer that it can cover (waits for transfers being posted)
//   3. lines       list the covered money in one statement, while credits go on arriving
//   4. take        lock the accounts, and take the balance of each as of the cut-off into settling
//   5. share out   recover the client's debt, hold back a reserve, release due reserves
//   6. approve     unless that needs a second person, or there is no account to pay to
//
// If the process dies, nothing has happened. Locks: the client; its turn; ledger accounts in id order;
// the client's event counter.

import { requireKept } from '#db/archived-period.ts'
import type { Transaction } from '#db/transaction.ts'
import { refuseSuspended } from '#domain/access/clients.ts'
import { Refusal } from '#errors.ts'
import type { AccountId, ClientId, SettlementId, SubaccountId } from '#ids.ts'
import { clientOwner, type SharedAccount, subaccountOwner } from '#ledger/accounts.ts'
import { CURRENCY } from '#money.ts'
import { type ApprovalDeps, approveByPolicy } from './approve-settlement.ts'
import {
  type Cover,
  decideTransfers,
  type Previous,
  sumLines,
  writeLines,
} from './cover-transfers.ts'
import { recordSettlement } from './settlement-events.ts'
import { readSettings } from './settlement-settings.ts'
import { findPrevious, readSettlement, type Settlement } from './settlements.ts'
import { type Party, takeAvailable } from './take-available.ts'
import { type Closing, writeSettlement } from './write-settlement.ts'

// Refusals, in this order: client_suspended, settlement_in_progress, cut_off_passed, settlement_empty,
// settlement_below_minimum.
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
  const cutOff = closing.cutOff ?? firstCutOff(now, previous)
  if (previous && cutOff <= previous.cutOff) throw new Refusal('cut_off_passed')
  await requireKept(tx, cutOff, 'cutOff')

  // In this order, a subaccount whose first share is covered is always among the parties.
  const toId = await decideTransfers(tx)
  const opened = await openAccounts(tx, deps, clientId)
  const cover: Cover = { fromId: previous?.nextFromId ?? 0n, toId, cutOff }
  const id = await newSettlementId(tx)
  const covering = { clientId, currency: CURRENCY, cover, previous }
  const nextFromId = await writeLines(tx, id, covering)
  const totals = await sumLines(tx, id)

  const { parties, receivable, reserve } = opened
  const alsoLocked = [receivable, reserve].map((account) => sharedAccounts.id(account))
  const taking = { settlementId: id, clientId, currency: CURRENCY, cover, nextFromId, parties }
  const takings = await takeAvailable(tx, now, { ...taking, alsoLocked })
  const { reserveBps, reserveDays } = await readSettings(tx, clientId)
  const netKobo = await writeSettlement(tx, deps, {
    ...{ id, closing, previous, cover, nextFromId, totals, takings, reserveBps, reserveDays },
    ...opened,
  })
  if (minimumKobo !== undefined && netKobo < minimumKobo) {
    throw new Refusal('settlement_below_minimum')
  }
  await recordSettlement(tx, now, { id, verb: 'close', actor: closing.actor })
  await approveByPolicy(tx, deps, { id, actor: closing.actor })
  return readSettlement(tx, id)
}

// Fails fast instead of queueing: the settlement may already be closed by the time the lock is free.
export async function takeTurn(tx: Transaction, clientId: ClientId): Promise<void> {
  const { rows } = await tx.query<{ isOurs: boolean }>({
    name: 'take-settlement-turn',
    text: `select pg_try_advisory_xact_lock(hashtext('settlement'), hashtext($1)) as "isOurs"`,
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

// Just after now, so that transfers posted at this instant are covered.
function firstCutOff(now: Date, previous: Previous | undefined): Date {
  return new Date(Math.max(now.getTime(), previous?.cutOff.getTime() ?? 0) + 1)
}

async function newSettlementId(tx: Transaction): Promise<SettlementId> {
  const { rows } = await tx.query<{ id: SettlementId }>({
    name: 'new-settlement-id',
    text: `select nextval('settlements_id_seq') as id`,
  })
  return (rows[0] as { id: SettlementId }).id
}

type OpenedAccounts = {
  parties: Party[] // The client first.
  receivable: SharedAccount
  reserve: SharedAccount
}

async function openAccounts(
  tx: Transaction,
  { sharedAccounts }: ApprovalDeps,
  clientId: ClientId,
): Promise<OpenedAccounts> {
  const { rows } = await tx.query<{ subaccountId: SubaccountId; accountId: AccountId }>({
    name: 'list-settled-subaccounts',
    text: `select subaccount_id as "subaccountId", account_id as "accountId"
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

function settlingAccount(clientId: ClientId, subaccountId: SubaccountId | null): SharedAccount {
  const owner = subaccountId === null ? clientOwner(clientId) : subaccountOwner(subaccountId)
  return { kind: 'settling', owner, currency: CURRENCY }
}
