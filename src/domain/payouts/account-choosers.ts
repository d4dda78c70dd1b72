// Whoever chose where money goes is a maker too (I49, I53): who added the bank account or made it the
// default, and everybody to whom they gave access, approves nothing that goes to it, until a user who
// is independent of them has approved a payout or settlement to it since.

import { numberArray } from '#db/arrays.ts'
import type { Queryable } from '#db/pool.ts'
import { Refusal } from '#errors.ts'
import type { BankAccountId, UserId } from '#ids.ts'

type Approving = { userId: UserId; bankAccountIds: readonly BankAccountId[] }

// Accounts from before 0065, and those that the release before adds meanwhile, have the name only.
const ADDED_BY = `coalesce(b.added_by_user, (
  select u.id from users u where u.client_id = b.client_id and b.created_by = 'user:' || u.email))`

const choosersStandBehind = (user: string) =>
  `exists (select from unnest(h.by) as m (id) where stands_behind(m.id, ${user}))`

// Approvals are searched only for an approver who needs one.
export async function refuseAccountChooser(
  db: Queryable,
  { userId, bankAccountIds }: Approving,
): Promise<void> {
  const { rowCount } = await db.query({
    name: 'find-accounts-chosen-by-approver',
    text: `select from bank_accounts b
            cross join lateral (
              select array_remove(array[${ADDED_BY}, b.default_by_user], null)) as h (by)
            where b.id = any($1::bigint[])
              and case when ${choosersStandBehind('$2')} then not exists (
                    select from payouts p
                      left join settlements s on s.id = p.settlement_id
                     cross join lateral (
                       select coalesce(s.approved_by_user, p.decided_by_user),
                              coalesce(s.approved_at, p.decided_at)) as a (by, at)
                     where p.client_id = b.client_id and p.bank_account_id = b.id
                       and p.requested_at >= b.created_at -- As all are; for payouts_of_day.
                       and p.approval <> 'rejected' and a.by is not null
                       and a.at > coalesce(b.default_at, b.created_at)
                       and not ${choosersStandBehind('a.by')}) end`,
    values: [numberArray(bankAccountIds), userId],
  })
  if (rowCount) throw new Refusal('approver_chose_account')
}
