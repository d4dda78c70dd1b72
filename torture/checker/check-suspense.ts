// Money in suspense: the suspense account holds the money of all open items, and each item leaves suspense
// once, by the recorded decision.

import { type Books, differs } from './books.ts'

const HELD = `
  select (select coalesce(sum(credits_kobo - debits_kobo), 0) from ledger_accounts
           where kind = 'suspense') as suspense,
         (select coalesce(sum(amount_kobo), 0) from suspense_items where state = 'open') as open,
         (select coalesce(sum(credits_kobo - debits_kobo), 0) from ledger_accounts
           where kind = 'returning') as returning,
         (select coalesce(sum(amount_kobo), 0) from suspense_items
           where state = 'returning') as on_its_way`

const ITEMS = `
  select c.session_id, i.id, i.state, a.account_number as assigned_to,
         coalesce((select string_agg(r.reference, ',') from returns r where r.item_id = i.id), '')
           as returns,
         (select count(*) from returns r where r.item_id = i.id and r.status <> 'failed') as standing
    from suspense_items i
    join credits c on c.id = i.credit_id
    left join collection_accounts a on a.id = i.assigned_account_id`

// Checks that suspense holds the money of its open items, and that acknowledged assignments and returns took
// place, at most once for each item.
export async function checkSuspense({ rows, testimony }: Books): Promise<string[]> {
  const [held] = await rows(HELD)
  const items = await rows(ITEMS)
  const itemsByCredit = Map.groupBy(items, ({ session_id: id }) => id)
  const assignments = testimony.of('assignment').filter(isAcknowledged)
  const returns = testimony.of('return').filter(isAcknowledged)
  return [
    ...differs('what is in suspense', held?.suspense, held?.open),
    ...differs('what is being returned', held?.returning, held?.on_its_way),
    // The credit may have been reversed after its assignment.
    ...assignments.flatMap(({ key, terms: { sessionId, accountNumber } }) => {
      const isAssigned = itemsByCredit
        .get(sessionId)
        ?.some(
          ({ state = '', assigned_to: to }) =>
            (state === 'assigned' && to === accountNumber) || state === 'reversed',
        )
      return isAssigned
        ? []
        : [`${key} was acknowledged, and its item is not with ${accountNumber}`]
    }),
    ...returns.flatMap(({ key, terms: { sessionId }, acknowledged: [answer] }) => {
      const reference = answer?.returnReference ?? ''
      const isReturned = itemsByCredit
        .get(sessionId)
        ?.some((item) => item.returns?.includes(reference))
      return reference && isReturned
        ? []
        : [`${key} was acknowledged, and there is no return of it`]
    }),
    // At most one return of an item may succeed or be pending, and none if the item is open or assigned.
    ...items.flatMap(({ id, state = '', standing }) =>
      Number(standing) > (['returning', 'returned', 'reversed'].includes(state) ? 1 : 0)
        ? [`suspense item ${id} (${state}) has ${standing} returns`]
        : [],
    ),
  ]
}

function isAcknowledged({ acknowledged }: { acknowledged: readonly unknown[] }): boolean {
  return acknowledged.length > 0
}
