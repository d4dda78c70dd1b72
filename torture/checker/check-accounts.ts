// Collection accounts and all issued numbers: each account exists once, complete, with its number;
// no number is live twice.

import { type Books, differs, existsOnce, sameAnswers } from './books.ts'

const ACCOUNTS = `
  select a.account_name, a.account_number, a.is_active, c.client_id,
         (n.account_number is not null) as has_number, (l.id is not null) as has_ledger,
         coalesce(e.created, 0) as created
    from collection_accounts a
    join clients c on c.id = a.client_id
    left join numbers n on n.account_number = a.account_number and n.collection_account_id = a.id
    left join ledger_accounts l on l.id = a.id and l.kind = 'collection'
    left join (select collection_account_id, count(*) as created from events
                where type = 'account.created' group by 1) as e on e.collection_account_id = a.id`

// Checks that each account exists once and complete, with the number that the service answered and the client
// that created it, and that it is inactive only if its deactivation was requested. Its name is the key of the
// request.
export async function checkAccounts({ rows, testimony }: Books): Promise<string[]> {
  const accounts = await rows(ACCOUNTS)
  const intents = testimony.of('account') // The requests of the run, each with its answers.
  const closings = Map.groupBy(testimony.of('deactivation'), ({ terms }) => terms.accountNumber)
  return [
    ...existsOnce('account', {
      intents,
      rows: accounts,
      keyOf: (row) => row.account_name as string,
    }),
    ...sameAnswers('account', intents, 'accountNumber'),
    ...accounts.flatMap((row) => {
      const { account_name: key = '', account_number: number = '' } = row
      const intent = testimony.intents.get(key)
      const answer = intent?.acknowledged[0]?.accountNumber
      const closing = closings.get(number) ?? []
      const isClosed = closing.some(({ acknowledged }) => acknowledged.length > 0)
      return [
        ...(answer ? differs(`the number of account ${key}`, number, answer) : []),
        ...(intent
          ? differs(`the client of account ${key}`, row.client_id, intent.terms.clientId)
          : []),
        ...(row.has_number === 'true' ? [] : [`account ${key} does not own its number`]),
        ...(row.has_ledger === 'true' ? [] : [`account ${key} has no ledger account`]),
        ...differs(`account.created events of account ${key}`, row.created, '1'),
        ...(isClosed && row.is_active === 'true'
          ? [`account ${key} was closed and is active`]
          : []),
        ...(closing.length === 0 && row.is_active === 'false'
          ? [`account ${key} is closed and nobody wanted it`]
          : []),
      ]
    }),
  ]
}

// A number becomes free 30 days after its payment, which is longer than any run, so no number may have two
// owners.
const SHARED = `
  select account_number, count(*) as owners from (
    select account_number, payment_id::text as owner from payment_numbers
    union all select account_number, id::text from collection_accounts) as issued
   group by 1 having count(*) > 1`

// Checks that no number belongs to two accounts or payments: in the books, and by the service's answers.
export async function checkNumbers({ rows, testimony }: Books): Promise<string[]> {
  const shared = await rows(SHARED)
  // Every number that the service has returned, with its owner.
  const issued = [...testimony.of('account'), ...testimony.of('payment')].flatMap((intent) => {
    const number = intent.acknowledged[0]?.accountNumber
    // A repeated request for a number returns the same payment, so the owner is the advice.
    return number ? [{ number, owner: intent.terms.advice ?? intent.key }] : []
  })
  const owners = Map.groupBy(issued, ({ number }) => number)
  return [
    ...shared.map((row) => `number ${row.account_number} has ${row.owners} owners`),
    ...[...owners].flatMap(([number, issues]) => {
      const names = new Set(issues.map(({ owner }) => owner))
      return names.size > 1 ? [`number ${number} was given to ${[...names].join(' and ')}`] : []
    }),
  ]
}
