// Previews the settlement that would be closed now, and the time of the next scheduled one. Reads one
// snapshot and takes no lock.

import type { Transaction } from '#db/transaction.ts'
import type { ClientId } from '#ids.ts'
import { clientOwner } from '#ledger/accounts.ts'
import { CURRENCY, type Kobo, kobo } from '#money.ts'
import { previewTotals } from './cover-transfers.ts'
import { sumDueReserves } from './reserves.ts'
import { nextSlot, type Slot } from './schedule.ts'
import { readHolidays, readSettings } from './settlement-settings.ts'
import { findPrevious, type SettlementAmounts } from './settlements.ts'
import { shareOut } from './share-out.ts'

const LAST_ID = 9_223_372_036_854_775_807n

export type UpcomingSettlement = SettlementAmounts & {
  currency: string
  periodFrom: Date | null
  lines: bigint // Credits.
  schedule: string
  next: Slot | undefined
}

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
  const releasedKobo = await sumDueReserves(tx, clientId, cutOff)
  const { reserveBps, schedule, handledTo } = settings
  const shared = shareOut({ takenKobo: clientKobo, releasedKobo, owedKobo, reserveBps })
  const { netKobo: coveredNetKobo, lines, ...amounts } = covered
  return {
    ...amounts,
    lines,
    recoveredKobo: kobo(covered.recoveredKobo + shared.recoveredKobo),
    reservedKobo: shared.reservedKobo,
    releasedKobo,
    carriedKobo: kobo(clientKobo + subaccountsKobo - coveredNetKobo),
    netKobo: kobo(shared.netKobo + subaccountsKobo),
    currency: CURRENCY,
    periodFrom: previous?.cutOff ?? null,
    schedule,
    next: handledTo ? nextSlot(schedule, handledTo, await readHolidays(tx)) : undefined,
  }
}

type Balances = { clientKobo: Kobo; subaccountsKobo: Kobo; owedKobo: Kobo }

async function readBalances(tx: Transaction, clientId: ClientId): Promise<Balances> {
  const { rows } = await tx.query<Balances>({
    name: 'read-settleable-balances',
    text: `select coalesce(sum(l.credits_kobo - l.debits_kobo)
                    filter (where a.subaccount_id is null), 0)::bigint as "clientKobo",
                  coalesce(sum(l.credits_kobo - l.debits_kobo)
                    filter (where a.subaccount_id is not null), 0)::bigint as "subaccountsKobo",
                  (select coalesce(sum(debits_kobo - credits_kobo), 0)::bigint
                     from ledger_accounts
                    where kind = 'receivable' and owner = $3 and currency = $2) as "owedKobo"
             from settlement_accounts a join ledger_accounts l on l.id = a.account_id
            where a.client_id = $1 and a.currency = $2`,
    values: [clientId, CURRENCY, clientOwner(clientId)],
  })
  return rows[0] as Balances
}
