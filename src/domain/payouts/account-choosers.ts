// Whoever chose where money goes is a maker too (I49, I53): who added the bank account, made it the
// default or chose it for a subaccount, the people behind them (I93), and everybody to whom they gave access,
// approves nothing that
// goes to it, until a user who is independent of them has approved a payout or settlement to it since;
// of a subaccount's, one that paid that subaccount.

import { numberArray } from '#db/arrays.ts'
import type { Queryable } from '#db/pool.ts'
import type { BankAccountId, SubaccountId, UserId } from '#ids.ts'

type Approving = {
  userId: UserId
  bankAccountIds: readonly BankAccountId[]
  subaccountIds: readonly SubaccountId[] // Locked: nobody chooses another account for them meanwhile.
}

// Accounts from before 0065, and those that the release before adds meanwhile, have the name only.
const ADDED_BY = `coalesce(b.added_by_user, (
  select u.id from users u where u.client_id = b.client_id and b.created_by = 'user:' || u.email))`

const choosersStandBehind = (user: string) => `not is_independent(h.by, ${user})`

// `known_at`: no payout that counts was requested earlier.
const CHOICES = `
  select b.client_id, b.id, null::bigint,
         array[${ADDED_BY}, b.default_by_user] || b.added_by_people || b.default_by_people, b.created_at,
         coalesce(b.default_at, b.created_at)
    from bank_accounts b where b.id = any($1::bigint[])
   union all
  select s.client_id, s.bank_account_id, s.id, 
         s.account_chosen_by_user || s.account_chosen_by_people,
         s.account_chosen_at, s.account_chosen_at
    from subaccounts s where s.id = any($2::bigint[])`

// Approvals are searched only for an approver who needs one.
export async function isAccountChooser(
  db: Queryable,
  { userId, bankAccountIds, subaccountIds }: Approving,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'find-accounts-chosen-by-approver',
    text: `select from (${CHOICES}) as c
                    (client_id, bank_account_id, subaccount_id, choosers, known_at, chosen_at)
            cross join lateral (select array_remove(c.choosers, null)) as h (by)
            where case when ${choosersStandBehind('$3')} then not exists (
                    select from payouts p
                      left join settlements s on s.id = p.settlement_id
                     cross join lateral (
                       select coalesce(s.approved_by_user, p.decided_by_user),
                              coalesce(s.approved_at, p.decided_at)) as a (by, at)
                     where p.client_id = c.client_id and p.bank_account_id = c.bank_account_id
                       and (c.subaccount_id is null or p.subaccount_id = c.subaccount_id)
                       and p.requested_at >= c.known_at -- As all are; for payouts_of_day.
                       and p.approval <> 'rejected' and a.by is not null
                       and a.at > c.chosen_at
                       and not ${choosersStandBehind('a.by')}) end`,
    values: [numberArray(bankAccountIds), numberArray(subaccountIds), userId],
  })
  return rowCount !== 0
}
