// Credits and reversals: each booked once, complete, for the amount and number that the bank
// reported.

import { type Books, differs, existsOnce } from './books.ts'

const CREDITS = `
  select c.session_id, c.account_number, c.amount_kobo, c.client_id,
         coalesce(m.moved, 0) as moved, coalesce(e.events, 0) as events,
         coalesce(r.reversed, 0) as reversed, coalesce(b.returned, 0) as returned,
         (i.credit_id is not null) as is_identified
    from credits c
    left join (select t.credit_id,
                      sum(case when d.kind = 'bank' then t.amount_kobo
                               when k.kind = 'bank' then -t.amount_kobo else 0 end) as moved
                 from transfers t
                 join ledger_accounts d on d.id = t.debit_account_id
                 join ledger_accounts k on k.id = t.credit_account_id
                where t.credit_id is not null group by 1) as m on m.credit_id = c.id
    left join (select credit_id, count(*) as events from events
                where credit_id is not null group by 1) as e on e.credit_id = c.id
    left join (select credit_id, sum(amount_kobo) as reversed from reversals group by 1) as r
           on r.credit_id = c.id
    left join (select credit_id, sum(amount_kobo) as returned from payouts
                where purpose = 'return' and status = 'confirmed' group by 1) as b
           on b.credit_id = c.id
    left join (select distinct credit_id, value from credit_identifiers
                where kind = 'session_id') as i on i.credit_id = c.id and i.value = c.session_id`

// Checks that each credit has the amount and number of the bank's report, an event and a stored session id,
// and that its transfers moved its amount less what was reversed or returned.
export async function checkCredits({ rows, testimony }: Books): Promise<string[]> {
  const credits = await rows(CREDITS)
  const intents = testimony.of('credit') // The bank's reports, each with its answers.
  return [
    ...existsOnce('credit', { intents, rows: credits, keyOf: (row) => row.session_id as string }),
    ...credits.flatMap((row) => {
      const {
        session_id: key = '',
        amount_kobo: amount = '0',
        reversed = '0',
        returned = '0',
      } = row
      const terms = testimony.intents.get(key)?.terms
      const expectedMoved = `${BigInt(amount) - BigInt(reversed) - BigInt(returned)}`
      return [
        ...(terms ? differs(`the amount of credit ${key}`, amount, terms.amount) : []),
        ...(terms
          ? differs(`the number of credit ${key}`, row.account_number, terms.accountNumber)
          : []),
        ...differs(`what transfers moved for credit ${key}`, row.moved, expectedMoved),
        ...(row.is_identified === 'true' ? [] : [`credit ${key} could be taken again`]),
        ...(row.client_id && row.events === '0' ? [`credit ${key} has no event`] : []),
      ]
    }),
  ]
}

const REVERSALS = `
  select r.session_id, r.amount_kobo, c.session_id as original
    from reversals r left join credits c on c.id = r.credit_id`

// Checks that each reversal exists once, with the amount and the credit that the bank reported.
export async function checkReversals({ rows, testimony }: Books): Promise<string[]> {
  const reversals = await rows(REVERSALS)
  const intents = testimony.of('reversal') // The bank's reports, each with its answers.
  return [
    ...existsOnce('reversal', {
      intents,
      rows: reversals,
      keyOf: (row) => row.session_id as string,
    }),
    ...reversals.flatMap(({ session_id: key = '', amount_kobo: amount, original }) => {
      const terms = testimony.intents.get(key)?.terms
      if (!terms) return []
      return [
        ...differs(`the amount of reversal ${key}`, amount, terms.amount),
        ...differs(`the credit of reversal ${key}`, original, terms.original),
      ]
    }),
  ]
}
