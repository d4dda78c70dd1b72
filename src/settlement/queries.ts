// Reads the lines of a settlement, and previews the settlement that would be closed now.

import { MERCHANT_CURSOR, selectTotals } from '#accounts/merchant-totals.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { AccountId, ClientId, CreditId, PaymentId, SettlementId } from '#ids.ts'
import { clientOwner } from '#ledger/accounts.ts'
import { findPosition } from '#ledger/transfer-counts.ts'
import { CURRENCY, type Kobo, kobo } from '#money.ts'
import { readReserveFloor } from '#payouts/settings.ts'
import { previewTotals } from './cover.ts'
import { readHolidays } from './holidays.ts'
import { previewDueReserves, shareOut } from './reserves.ts'
import { nextSlot, type Slot } from './schedule.ts'
import { readSettings } from './settings.ts'
import { findPrevious, type SettlementAmounts } from './settlement.ts'

export const LINE_KINDS = [
  'credit',
  'payout',
  'refund',
  'adjustment',
  'carried',
  'recovery',
  'reserve',
  'release',
] as const

export type SettlementLine = {
  id: bigint
  kind: (typeof LINE_KINDS)[number]
  subaccountCode: string | null // null for a line of the client.
  postedAt: Date
  creditId: CreditId | null
  sessionId: string | null
  receivedAt: Date | null
  paymentReference: PaymentId | null
  merchantRef: string | null
  collectionAccountId: AccountId | null
  accountNumber: string | null
  merchantCode: string | null
  payoutReference: string | null
  grossKobo: Kobo
  feeKobo: Kobo
  vatKobo: Kobo
  splitKobo: Kobo
  reversedKobo: Kobo
  otherKobo: Kobo
  netKobo: Kobo
}

type LinePage = { settlementId: SettlementId; afterId: bigint | null; limit: number }

// Lists lines in the order in which the money moved, each with its credit or payout.
export async function listLines(
  db: Queryable,
  { settlementId, afterId, limit }: LinePage,
): Promise<SettlementLine[]> {
  const { rows } = await db.query<SettlementLine>({
    name: 'list-settlement-lines',
    text: `select l.id, l.kind, y.subaccount_code, l.posted_at, l.credit_id, c.session_id,
                  c.received_at, p.id as payment_reference, a.merchant_ref,
                  k.id as collection_account_id, k.account_number, k.merchant_code,
                  o.reference as payout_reference, l.gross_kobo, l.fee_kobo, l.vat_kobo,
                  l.split_kobo, l.reversed_kobo, l.other_kobo, l.net_kobo
             from (select * from settlement_lines
                    where settlement_id = $1 and id > $2
                    order by id limit $3) as l
             left join credits c on c.id = l.credit_id
             left join collection_accounts k on k.id = l.account_id
             left join suspense_items i
               on i.credit_id = l.credit_id and i.state = 'assigned' and l.account_id is not null
              and i.assigned_payment_id is not null and c.payment_id is null
             left join payments p
               on p.id = coalesce(c.payment_id, i.assigned_payment_id) and k.id is null
             left join advices a on a.id = p.advice_id
             left join payouts o on o.id = l.payout_id
             left join settlement_payees y on y.subaccount_id = l.subaccount_id
            order by l.id`,
    values: [settlementId, afterId ?? 0n, limit],
  })
  return rows
}

// Above the id of every transfer: the preview covers them all.
const LAST_ID = 9_223_372_036_854_775_807n

export type UpcomingSettlement = SettlementAmounts & {
  currency: string
  periodFrom: Date | null
  lines: bigint // The number of credits.
  schedule: string
  next: Slot | undefined
}

// Previews the settlement that would be closed now, and the time of the next scheduled one. Call in a
// repeatable-read transaction. Takes no lock.
export async function readUpcoming(
  tx: Transaction,
  { clientId, now }: { clientId: ClientId; now: Date },
): Promise<UpcomingSettlement> {
  const settings = await readSettings(tx, clientId)
  const previous = await findPrevious(tx, clientId, CURRENCY)
  const cutOff = new Date(now.getTime() + 1) // Covers transfers posted at this instant.
  const cover = { fromId: previous?.nextFromId ?? 0n, toId: LAST_ID, cutOff }
  const covered = await previewTotals(tx, { clientId, currency: CURRENCY, cover, previous })
  const { clientKobo, subaccountsKobo, owedKobo } = await readBalances(tx, clientId)
  const { heldKobo, releasedKobo } = await previewDueReserves(tx, clientId, cutOff)
  const { reserveBps, schedule, handledTo } = settings
  const floor = await readReserveFloor(tx, { clientId, currency: CURRENCY, now })
  const clientPart = shareOut({ takenKobo: clientKobo, releasedKobo, owedKobo, reserveBps, floor })
  const { netKobo: coveredNetKobo, lines, ...amounts } = covered
  return {
    ...amounts,
    lines,
    recoveredKobo: kobo(covered.recoveredKobo + clientPart.recoveredKobo),
    reservedKobo: clientPart.reservedKobo,
    releasedKobo: kobo(heldKobo + releasedKobo),
    carriedKobo: kobo(
      clientKobo + subaccountsKobo - coveredNetKobo + covered.carriedKobo - heldKobo,
    ),
    netKobo: kobo(clientPart.netKobo + subaccountsKobo),
    currency: CURRENCY,
    periodFrom: previous?.cutOff ?? null,
    schedule,
    next: handledTo ? nextSlot(schedule, handledTo, await readHolidays(tx)) : undefined,
  }
}

type Balances = { clientKobo: Kobo; subaccountsKobo: Kobo; owedKobo: Kobo }

// Returns what the client and its subaccounts could be paid now, and the client's debt. `kind <>
// 'collection'` repeats the condition of the partial index on kind, owner and currency, so that PostgreSQL
// can use it.
async function readBalances(tx: Transaction, clientId: ClientId): Promise<Balances> {
  const after = await findPosition(tx, MERCHANT_CURSOR)
  const { rows } = await tx.query<Balances>({
    text: `select coalesce(sum(kobo) filter (where kind in ('collection', 'available')), 0)::bigint
                    as client_kobo,
                  coalesce(sum(kobo) filter (where kind = 'subaccount'), 0)::bigint
                    as subaccounts_kobo,
                  coalesce(-sum(kobo) filter (where kind = 'receivable'), 0)::bigint as owed_kobo
             from (select kind, credits_kobo - debits_kobo as kobo
                     from ledger_accounts
                    where kind = any('{available,receivable,subaccount}') and kind <> 'collection'
                      and owner = any(array[$3] || array(select 'subaccount:' || id
                                                           from subaccounts where client_id = $1))
                      and currency = $2
                   union all
                   select 'collection', kobo
                     from (${after === undefined ? COLLECTION_BALANCES : COLLECTION_TOTALS}) as c
                    where currency = $2) as parts`,
    values: [clientId, CURRENCY, clientOwner(clientId), ...(after === undefined ? [] : [after])],
  })
  return rows[0] as Balances
}

// SQL queries: the balances of the collection accounts of client $1, by account and by merchant. $4 is the
// position of the totals.
const COLLECTION_BALANCES = `
  select l.currency, l.credits_kobo - l.debits_kobo as kobo
    from collection_accounts a join ledger_accounts l on l.id = a.id
   where a.client_id = $1`
const COLLECTION_TOTALS = `
  select currency, balance_kobo as kobo from (${selectTotals({ client: '$1', after: '$4' })}) as t`
