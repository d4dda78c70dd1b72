// Splits: each subaccount has its percentage of the money booked on an account with a split, give or take a
// kobo of rounding; and an account or advice has the requested split.

import type { Books } from './books.ts'

// Reads only credits without reversals, because the shares of reversed credits are rounded differently.
const SHARES = `
  select c.session_id, c.amount_kobo, t.position, t.share,
         coalesce((select sum(x.amount_kobo) from transfers x
                    join ledger_accounts l on l.id = x.credit_account_id
                   where x.credit_id = c.id and l.kind = 'subaccount'
                     and l.owner = 'subaccount:' || t.subaccount_id), 0) as got
    from credits c
    join collection_accounts a on a.id = c.collection_account_id
    join split_parts t on t.split_id = a.split_id
   where c.reversed_kobo = 0 and c.suspended_kobo = 0 and c.outcome = 'booked'`

const SPLIT = `
  select account_name as key, (split_id is not null) as is_split from collection_accounts
  union all select merchant_ref, (split_id is not null) from advices`

const PERCENT = 10_000n // Shares are in hundredths of a per cent.

// Checks that each subaccount got its percentage of a credit, rounded to a kobo up or down, and that accounts
// and advices have a split only if one was requested.
export async function checkSplits({ rows, testimony }: Books): Promise<string[]> {
  const shares = await rows(SHARES)
  const splitFlags = await rows(SPLIT)
  return [
    ...shares.flatMap(
      ({ session_id: id, amount_kobo: amount = '0', share = '0', got = '0', position }) => {
        const exact = BigInt(amount) * BigInt(share)
        const roundedDown = exact / PERCENT
        const roundedUp = (exact + PERCENT - 1n) / PERCENT
        const isRight = BigInt(got) >= roundedDown && BigInt(got) <= roundedUp
        return isRight
          ? []
          : [`part ${position} of credit ${id} is ${got}, and should be ${roundedDown}`]
      },
    ),
    ...splitFlags.flatMap(({ key = '', is_split: isSplit }) => {
      const intent = testimony.intents.get(key)
      const wasRequested = intent?.terms.splitCode !== undefined
      return intent && wasRequested !== (isSplit === 'true')
        ? [`${key} should have ${wasRequested ? 'a' : 'no'} split`]
        : []
    }),
  ]
}
