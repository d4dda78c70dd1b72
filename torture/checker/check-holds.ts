// Holds: each acknowledged one exists once with its terms and its event, and what is held and forfeited is
// what its transfers moved. Only holds move money from and to the accounts of held money.

import { type Books, differs, existsOnce, sameAnswers } from './books.ts'

const HOLDS = `
  select h.id, h.reason as key, h.reference, h.state, h.held_kobo, h.forfeited_kobo,
         coalesce(h.amount_kobo::text, 'all') as amount, c.client_id,
         coalesce((select sum(case reason when 'hold' then amount_kobo else -amount_kobo end)
                     from transfers where hold_id = h.id), 0) as held,
         coalesce((select sum(amount_kobo) from transfers
                    where hold_id = h.id and reason = 'forfeiture'), 0) as forfeited,
         (select count(*) from events e
           where e.type = 'hold.placed' and e.facts->>'reference' = h.reference) as told
    from holds h join clients c on c.id = h.client_id`

const HELD = `
  select (select coalesce(sum(credits_kobo - debits_kobo), 0) from ledger_accounts
           where kind = 'held') as ledger,
         (select coalesce(sum(held_kobo), 0) from holds) as holds,
         (select count(*) from transfers t
            join ledger_accounts d on d.id = t.debit_account_id
            join ledger_accounts c on c.id = t.credit_account_id
           where t.hold_id is null and ('held' in (d.kind, c.kind) or c.kind = 'forfeited')) as strays`

export async function checkHolds({ rows, testimony }: Books): Promise<string[]> {
  const holds = await rows(HOLDS)
  const [sums] = await rows(HELD)
  const intents = testimony.of('hold')
  const byKey = new Map(holds.map((hold) => [hold.key, hold]))
  return [
    ...existsOnce('hold', { intents, rows: holds, keyOf: ({ key }) => key as string }),
    ...sameAnswers('hold', intents, 'reference'),
    ...intents.flatMap(({ key, terms, acknowledged: [answer] }) => {
      const hold = byKey.get(key)
      if (!answer || !hold) return []
      return [
        ...differs(`the reference of ${key}`, hold.reference, answer.reference),
        ...differs(`the amount of ${key}`, hold.amount, terms.amount),
        ...differs(`the client of ${key}`, hold.client_id, terms.clientId),
      ]
    }),
    ...holds.flatMap((hold) => [
      ...differs(`what hold ${hold.reference} holds`, hold.held_kobo, hold.held),
      ...differs(
        `what is forfeited of hold ${hold.reference}`,
        hold.forfeited_kobo,
        hold.forfeited,
      ),
      ...differs(`the hold.placed events of ${hold.reference}`, hold.told, '1'),
      ...(hold.amount !== 'all' && BigInt(hold.held as string) > BigInt(hold.amount as string)
        ? [`hold ${hold.reference} holds ${hold.held} of ${hold.amount}`]
        : []),
    ]),
    ...differs('what is held', sums?.ledger, sums?.holds),
    ...differs('transfers of held money without a hold', sums?.strays, '0'),
  ]
}
