// The ledger: balances are the sum of transfers, debits equal credits, and the money at the banks
// is the total received less the total paid out.

import { type Books, differs } from './books.ts'

const BALANCES = `
  select a.id, a.kind, a.owner, a.debits_kobo, a.credits_kobo,
         coalesce(d.sum, 0) as debits, coalesce(c.sum, 0) as credits
    from ledger_accounts a
    left join (select debit_account_id as id, sum(amount_kobo) from transfers group by 1) as d
           on d.id = a.id
    left join (select credit_account_id as id, sum(amount_kobo) from transfers group by 1) as c
           on c.id = a.id`

const STRAY = `
  select t.id from transfers t
    left join ledger_accounts d on d.id = t.debit_account_id
    left join ledger_accounts c on c.id = t.credit_account_id
   where d.id is null or c.id is null or d.currency <> c.currency`

const BANK = `
  select (select coalesce(sum(debits_kobo - credits_kobo), 0) from ledger_accounts
           where kind = 'bank') as held,
         (select coalesce(sum(amount_kobo - fee_kobo - vat_kobo - duty_kobo), 0) from credits)
         - (select coalesce(sum(amount_kobo), 0) from reversals)
         - (select coalesce(sum(amount_kobo + cost_kobo + cost_vat_kobo), 0) from payouts
             where status = 'confirmed') as expected`

// Checks that each balance is the sum of its transfers, that all debits equal all credits, and that the banks
// hold what was received less what was paid out.
export async function checkLedger({ rows }: Books): Promise<string[]> {
  const accounts = await rows(BALANCES)
  const stray = await rows(STRAY)
  const [bank] = await rows(BANK)
  const total = (field: string) =>
    accounts.reduce((sum, account) => sum + BigInt(account[field] ?? '0'), 0n)
  return [
    ...accounts.flatMap((account) => {
      const name = `ledger account ${account.id} (${account.kind} ${account.owner})`
      return [
        ...differs(`the debits of ${name}`, account.debits_kobo, account.debits),
        ...differs(`the credits of ${name}`, account.credits_kobo, account.credits),
      ]
    }),
    ...differs('all debits', `${total('debits_kobo')}`, `${total('credits_kobo')}`),
    ...stray.map(({ id }) => `transfer ${id} joins no two accounts of one currency`),
    ...differs('what banks hold', bank?.held, bank?.expected),
  ]
}
