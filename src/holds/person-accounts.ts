// The accounts of people whose money is held (person.ts). An account waits in held_person_accounts, which a
// trigger fills, until it has a hold of its own.

import { numberArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import { type AccountId, type ClientId, type HoldId, newReference } from '#ids.ts'
import { clientOwner, type SharedAccounts } from '#ledger/accounts.ts'
import { CURRENCY } from '#money.ts'

type Waiting = { personHoldId: HoldId; accountId: AccountId }
export type Filling = { now: Date; sharedAccounts: SharedAccounts }

// Locks the client's accounts that wait for the hold of a person, and that hold, so that it does not end
// before its accounts are held.
export async function lockWaitingAccounts(tx: Transaction, clientId: ClientId): Promise<Waiting[]> {
  const { rows } = await tx.query<Waiting>({
    name: 'lock-accounts-of-held-people',
    text: `select q.hold_id as person_hold_id, q.account_id
             from held_person_accounts q join holds p on p.id = q.hold_id and p.state = 'active'
            where q.client_id = $1 and q.account_hold_id is null
            order by q.hold_id, q.account_id
              for no key update of q for share of p`,
    values: [clientId],
  })
  return rows
}

// Places a hold on each waiting account, with the reason and the case of the person's hold. It has no amount:
// it holds all that is there and all that comes.
export async function holdWaitingAccounts(
  tx: Transaction,
  { now, sharedAccounts }: Filling,
  { clientId, waiting }: { clientId: ClientId; waiting: readonly Waiting[] },
): Promise<void> {
  const held = { kind: 'held', owner: clientOwner(clientId), currency: CURRENCY } as const
  await sharedAccounts.open([held])
  await tx.query({
    name: 'hold-accounts-of-held-people',
    text: `with placed as (
             insert into holds (reference, client_id, target, account_id, currency, held_account_id,
                                reason, case_reference, placed_by, placed_at)
             select w.reference, $4, 'account', w.account_id, '${CURRENCY}', $5, p.reason,
                    p.case_reference, p.placed_by, $6
               from unnest($1::text[], $2::bigint[], $3::bigint[]) as w (reference, hold_id, account_id)
               join holds p on p.id = w.hold_id
             returning id, reference
           )
           update held_person_accounts q set account_hold_id = placed.id
             from placed
             join unnest($1::text[], $2::bigint[], $3::bigint[]) as w (reference, hold_id, account_id)
               on w.reference = placed.reference
            where q.hold_id = w.hold_id and q.account_id = w.account_id`,
    values: [
      waiting.map(() => newReference('HLD')),
      numberArray(waiting.map(({ personHoldId }) => personHoldId)),
      numberArray(waiting.map(({ accountId }) => accountId)),
      clientId,
      sharedAccounts.id(held),
      now,
    ],
  })
}

// SQL condition: an account of a held person waits for its hold, or to be announced.
export const HAS_HELD_PEOPLE = `exists (
  select from held_person_accounts q join holds p on p.id = q.hold_id and p.state = 'active'
   where q.account_hold_id is null or not q.is_announced)`
