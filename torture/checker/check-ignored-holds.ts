// Active holds that lack money: nothing that pays out draws on the accounts that they hold, and at the end of
// a run these accounts are empty, because all money that arrived there went to the hold.

import type { Books } from './books.ts'

// Each account `l` from which an active hold `h` of a client or of an account takes money.
const HELD_ACCOUNTS = `
  from holds h
  join settlement_accounts s on s.client_id = h.client_id and s.currency = h.currency
  join ledger_accounts l on l.id = s.account_id
 where h.state = 'active'
   and (h.target = 'client' or h.target = 'account' and l.id = h.account_id)`

const LACKS = `(h.amount_kobo is null or h.held_kobo + h.forfeited_kobo < h.amount_kobo)`

const LEFT = `
  select h.reference, l.id::text as account, l.credits_kobo - l.debits_kobo as kobo ${HELD_ACCOUNTS}
     and ${LACKS} and l.credits_kobo > l.debits_kobo`

// Transfers that paid out of a held account after the hold had begun to take money and while it lacked some:
// the sum of its transfers up to then was less than its amount. A bank's reversal may draw on the account.
const DRAWN = `
  select h.reference, t.id::text as transfer, t.reason, t.amount_kobo as kobo, l.id::text as account
    from (select h.id, h.reference, h.amount_kobo, l.id as account_id ${HELD_ACCOUNTS}) as k
    join holds h on h.id = k.id
    join ledger_accounts l on l.id = k.account_id
    join transfers t on t.debit_account_id = l.id
                    and t.reason in ('payout', 'refund', 'settlement', 'reserve', 'recovery')
   where t.id > (select min(id) from transfers where hold_id = h.id)
     and (h.amount_kobo is null
          or h.amount_kobo > (select sum(case reason when 'hold' then amount_kobo
                                                     when 'hold_release' then -amount_kobo
                                                     else 0 end)
                                from transfers where hold_id = h.id and id < t.id))`

export async function checkIgnoredHolds({ rows, isFinal }: Books): Promise<string[]> {
  const left = isFinal ? await rows(LEFT) : []
  return [
    ...(await rows(DRAWN)).map(
      ({ reference, transfer, reason, kobo, account }) =>
        `${reason} ${transfer} took ${kobo} from account ${account} under hold ${reference}`,
    ),
    ...left.map(
      ({ reference, account, kobo }) =>
        `hold ${reference} lacks money while account ${account} has ${kobo}`,
    ),
  ]
}
