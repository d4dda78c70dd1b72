// The chart of accounts. A client sees its own accounts and its subaccounts'. An operator also sees those
// of banks, unidentified suspense, fees, receivables and write-offs. Shared accounts come first, then
// collection accounts, each in order of opening.

import type { Queryable } from '#db/pool.ts'
import type { Viewer } from '#domain/credits/credit-list.ts'
import { Refusal } from '#errors.ts'
import type { AccountId } from '#ids.ts'
import { clientOwner } from '#ledger/accounts.ts'
import { type Kobo, kobo } from '#money.ts'
import { subaccountOwners } from './client-ledger.ts'

export type LedgerAccount = {
  id: AccountId
  kind: string
  owner: string // `client:7`, `bank:058` …, or empty for a collection account.
  currency: string
  debitsKobo: Kobo
  creditsKobo: Kobo
  accountNumber: string | null // Only for collection accounts.
  accountName: string | null // Only for collection accounts.
  subaccountCode: string | null
  clientId: string | null // The login name of the client behind an account, for the operator.
  openedAt: Date
}

export type ChartPosition = { isCollection: boolean; id: AccountId }

// Accounts of banks, of the operator, and of clients' debts to it.
const ofOperator = (account: string) =>
  `(${account}.owner like 'bank:%' or ${account}.owner like 'operator:%'
    or ${account}.kind = 'receivable')`

// $1 the client, $2 its owner name, $3 whether it is the operator.
const SHARED = `
  a.kind <> 'collection'
  and (a.owner = $2 or a.owner in (${subaccountOwners('$1')})
       or $3 and ${ofOperator('a')})`

// The same for the ledger account `o`, with the client as $2, its owner name as $3 and the operator as
// $4.
export const isVisible = (o: string) => `
  (${o}.owner = $3 or ${o}.owner in (${subaccountOwners('$2')}) or $4 and ${ofOperator(o)}
   or exists (select from collection_accounts m where m.id = ${o}.id and m.client_id = $2))`

const COLUMNS = `
  a.id, a.kind, a.owner, a.currency, a.debits_kobo as "debitsKobo",
  a.credits_kobo as "creditsKobo", a.opened_at as "openedAt",
  (select s.code from subaccounts s
    where s.client_id = $1 and a.owner = 'subaccount:' || s.id) as "subaccountCode",
  (select k.client_id from clients k
    where $3 and k.id = case when a.owner ~ '^(client|operator):'
                             then split_part(a.owner, ':', 2)::bigint end) as "clientId"`

const valuesOf = ({ id, isOperator }: Viewer) => [id, clientOwner(id), isOperator]

export async function listLedgerAccounts(
  db: Queryable,
  viewer: Viewer,
  {
    kind,
    after,
    limit,
  }: { kind?: string | undefined; after?: ChartPosition | undefined; limit: number },
): Promise<LedgerAccount[]> {
  const { rows } = await db.query<LedgerAccount>({
    name: 'list-ledger-accounts',
    text: `(select ${COLUMNS}, null as "accountNumber", null as "accountName"
              from ledger_accounts a where ${SHARED} and a.id > $4 and ${OF_KIND} order by a.id limit $6)
           union all
           (select ${COLUMNS}, c.account_number, c.account_name
              from collection_accounts c join ledger_accounts a on a.id = c.id
             where c.client_id = $1 and c.id > $5 and ${OF_KIND} order by c.id limit $6)
           limit $6`,
    values: [
      ...valuesOf(viewer),
      after?.isCollection ? PAST_SHARED : (after?.id ?? 0n),
      after?.isCollection ? after.id : 0n,
      limit,
      kind ?? null,
    ],
  })
  return rows
}

const OF_KIND = '($7::text is null or a.kind = $7)'

const PAST_SHARED = 9_223_372_036_854_775_807n

export function toChartPosition({ kind, id }: LedgerAccount): ChartPosition {
  return { isCollection: kind === 'collection', id }
}

// Another client's account looks like one that does not exist.
export async function getLedgerAccount(
  db: Queryable,
  viewer: Viewer,
  id: AccountId,
): Promise<LedgerAccount> {
  const { rows } = await db.query<LedgerAccount>({
    name: 'get-ledger-account',
    text: `select ${COLUMNS}, c.account_number as "accountNumber",
                  c.account_name as "accountName"
             from ledger_accounts a
             left join collection_accounts c on c.id = a.id and c.client_id = $1
            where a.id = $4 and (c.id is not null or ${SHARED})`,
    values: [...valuesOf(viewer), id],
  })
  if (!rows[0]) throw new Refusal('ledger_account_not_found')
  return rows[0]
}

const GROW_BY_DEBITS = ['bank', 'shortfall', 'bank_cost', 'input_vat', 'receivable', 'write_off']

// Money at banks, debts to us, costs and losses grow by debits; all else grows by credits.
export function growsByDebits(kind: string): boolean {
  return GROW_BY_DEBITS.includes(kind)
}

export function computeBalance({ kind, debitsKobo, creditsKobo }: LedgerAccount): Kobo {
  return kobo(growsByDebits(kind) ? debitsKobo - creditsKobo : creditsKobo - debitsKobo)
}
