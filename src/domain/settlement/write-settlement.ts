// Writes a settlement once its money is taken: its row with the totals, its reserves, their lines, and
// the share of each party. The database checks that the amounts add up (settlements_add_up).

import { numberArray, plainArray } from '#db/arrays.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { AccountId, ClientId, SettlementId, SubaccountId, UserId } from '#ids.ts'
import type { SharedAccount, SharedAccounts } from '#ledger/accounts.ts'
import { postTransfers, type Transfer } from '#ledger/transfers.ts'
import { CURRENCY, type Kobo, kobo } from '#money.ts'
import { needsApproval } from './approve-settlement.ts'
import type { Cover, PartyTotals, Previous } from './cover-transfers.ts'
import { holdReserve, releaseReserves, sumDueReserves } from './reserves.ts'
import { takesTwoApprovers } from './settlement-approvers.ts'
import { newSettlementReference, type SettlementAmounts } from './settlements.ts'
import { type ShareOut, shareOut } from './share-out.ts'
import type { Party } from './take-available.ts'

export type Closing = {
  clientId: ClientId
  cutOff?: Date | undefined // Default: now.
  minimumKobo?: Kobo | undefined // Smaller settlements are refused.
  actor: string
  userId: UserId | null
}

type Deps = { sharedAccounts: SharedAccounts; now: Date }

export type Closed = {
  id: SettlementId
  closing: Closing
  previous: Previous | undefined
  cover: Cover
  nextFromId: bigint
  totals: readonly PartyTotals[]
  takings: ReadonlyMap<SubaccountId | null, Kobo>
  parties: readonly Party[]
  receivable: SharedAccount
  reserve: SharedAccount
  reserveBps: number
  reserveDays: number
}

type Shared = ShareOut & { releasedKobo: Kobo; takenKobo: Kobo }
type ExtraLine = { kind: string; subaccountId: SubaccountId | null; kobo: bigint }

// Returns the net amount of all parties.
export async function writeSettlement(tx: Transaction, deps: Deps, closed: Closed): Promise<Kobo> {
  const { id, closing, cover, totals, takings, reserveBps } = closed
  const { clientId } = closing
  const releasedKobo = await sumDueReserves(tx, clientId, cover.cutOff)
  const owedKobo = await readOwed(tx, deps.sharedAccounts.id(closed.receivable))
  const takenKobo = takings.get(null) as Kobo
  const shared: Shared = {
    ...{ releasedKobo, takenKobo },
    ...shareOut({ takenKobo, releasedKobo, owedKobo, reserveBps }),
  }
  const isEmpty = totals.length === 0 && releasedKobo === 0n && sum(takings.values()) === 0n
  if (isEmpty) throw new Refusal('settlement_empty')
  const extra = extraLines(closed, shared)
  const amounts = addUp(closed, shared)
  const lines = sum(totals.map((party) => party.lines)) + BigInt(extra.length)
  await insertSettlement(tx, deps.now, { closed, amounts, lines })
  await writeExtraLines(tx, deps.now, { id, lines: extra })
  await postTransfers(tx, deps.now, transfersOf(deps.sharedAccounts, closed, shared))
  await releaseReserves(tx, { id, clientId, dueBy: cover.cutOff })
  const { reservedKobo: amountKobo, netKobo } = shared
  await holdReserve(tx, { id, clientId, amountKobo, from: cover.cutOff, days: closed.reserveDays })
  await writeShares(tx, closed, netKobo)
  return amounts.netKobo
}

async function readOwed(tx: Transaction, receivableId: AccountId): Promise<Kobo> {
  const { rows } = await tx.query<{ kobo: Kobo }>({
    name: 'read-receivable',
    text: 'select debits_kobo - credits_kobo as kobo from ledger_accounts where id = $1',
    values: [receivableId],
  })
  return (rows[0] as { kobo: Kobo }).kobo
}

// Lines that explain the difference between the money taken and the covered lines.
function extraLines({ totals, takings }: Closed, shared: Shared): ExtraLine[] {
  const carried = [...takings].map(([subaccountId, takenKobo]) => {
    const party = totals.find((each) => each.subaccountId === subaccountId)
    return { kind: 'carried', subaccountId, kobo: takenKobo - (party?.netKobo ?? 0n) }
  })
  const client = { subaccountId: null }
  return [
    ...carried,
    { kind: 'recovery', ...client, kobo: -shared.recoveredKobo },
    { kind: 'reserve', ...client, kobo: -shared.reservedKobo },
    { kind: 'release', ...client, kobo: shared.releasedKobo },
  ].filter((line) => line.kobo !== 0n)
}

function addUp({ totals, takings }: Closed, shared: Shared): SettlementAmounts {
  const total = (of: (party: PartyTotals) => bigint) => kobo(sum(totals.map(of)))
  const allTakenKobo = sum(takings.values())
  const { recoveredKobo, reservedKobo, releasedKobo, takenKobo, netKobo } = shared
  return {
    grossKobo: total((party) => party.grossKobo),
    feesKobo: total((party) => party.feesKobo),
    vatKobo: total((party) => party.vatKobo),
    reversedKobo: total((party) => party.reversedKobo),
    refundsKobo: total((party) => party.refundsKobo),
    paidOutKobo: total((party) => party.paidOutKobo),
    recoveredKobo: kobo(total((party) => party.recoveredKobo) + recoveredKobo),
    reservedKobo,
    releasedKobo,
    carriedKobo: kobo(allTakenKobo - total((party) => party.netKobo)),
    netKobo: kobo(allTakenKobo - takenKobo + netKobo),
  }
}

type NewSettlement = { closed: Closed; amounts: SettlementAmounts; lines: bigint }

async function insertSettlement(
  tx: Transaction,
  now: Date,
  { closed, amounts, lines }: NewSettlement,
): Promise<void> {
  const { id, closing, previous, cover, nextFromId } = closed
  const { clientId, actor, userId } = closing
  const { netKobo } = amounts
  const isNeeded = await needsApproval(tx, clientId, netKobo)
  const takesTwo = await takesTwoApprovers(tx, { clientId, actor, netKobo })
  await tx.query({
    name: 'insert-settlement',
    text: `insert into settlements
             (id, reference, client_id, previous_id, currency, status, period_from, cut_off, to_id,
              next_from_id, lines, gross_kobo, fees_kobo, vat_kobo, reversed_kobo, refunds_kobo,
              paid_out_kobo, recovered_kobo, reserved_kobo, released_kobo, carried_kobo, net_kobo,
              needs_approval, closed_by, closed_by_user, closed_at, approvers_needed)
           overriding system value
           values ($1, $2, $3, $4, $5, 'closed', $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
                   $17, $18, $19, $20, $21, $22, $23, $24, $25, $26)`,
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
      isNeeded || takesTwo,
      actor,
      userId,
      now,
      takesTwo ? 2 : 1,
    ],
  })
}

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

type Leg = [from: AccountId, to: AccountId, kobo: Kobo, reason: 'recovery' | 'reserve']

function transfersOf(accounts: SharedAccounts, closed: Closed, shared: Shared): Transfer[] {
  const { settlingId: settling } = closed.parties[0] as Party
  const [receivable, reserve] = [accounts.id(closed.receivable), accounts.id(closed.reserve)]
  const legs: Leg[] = [
    [settling, receivable, shared.recoveredKobo, 'recovery'],
    [settling, reserve, shared.reservedKobo, 'reserve'],
    [reserve, settling, shared.releasedKobo, 'reserve'],
  ]
  return legs
    .filter(([, , amountKobo]) => amountKobo > 0n)
    .map(([debitAccountId, creditAccountId, amountKobo, reason]) => {
      return { debitAccountId, creditAccountId, amountKobo, reason, settlementId: closed.id }
    })
}

// A subaccount gets all of the money taken for it.
async function writeShares(tx: Transaction, closed: Closed, netKobo: Kobo): Promise<void> {
  const { id, closing, parties, takings } = closed
  const shares = parties.map(({ subaccountId, settlingId }) => ({
    ...{ subaccountId, settlingId },
    kobo: subaccountId === null ? netKobo : (takings.get(subaccountId) as Kobo),
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
