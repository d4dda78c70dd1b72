// Lists and filters a client's collection accounts, newest or oldest first.
//
// BVN, NIN, email address, phone number, merchantId and default have indexes. Other filters scan at
// most SCAN_MAX accounts per page, and the next page continues from there. So the cost of a page is
// bounded, no matter how many accounts there are.

import { ORDER_SQL, type Order } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { namedUnlessWindow } from '#db/statement-names.ts'
import { SUMMED_MAX, type Summary, summaryOf, type Total } from '#db/summaries.ts'
import { idBounds, type Window } from '#db/time-bounds.ts'
import type { Client } from '#domain/access/clients.ts'
import type { AccountId, ClientId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import type { Sealer } from '#seal.ts'
import {
  ACCOUNT_COLUMNS,
  type AccountRow,
  type CollectionAccount,
  decryptAccount,
} from './collection-accounts.ts'
import { hashNin } from './kyc.ts'

export const SCAN_MAX = 20_000
const BALANCE = '(l.credits_kobo - l.debits_kobo)'

export type AccountFilters = Window & {
  merchantId?: string | undefined
  merchantCode?: string | undefined
  email?: string | undefined
  phoneNumber?: string | undefined
  bvn?: string | undefined
  nin?: string | undefined
  name?: string | undefined // Part of the account name, in any case.
  isActive?: boolean | undefined
  isDefault?: boolean | undefined
  minKobo?: Kobo | undefined // A minimum balance.
  maxKobo?: Kobo | undefined
}

// `after` is the last id on the previous page, or the end of its scan.
type AccountQuery = {
  sealer: Sealer
  client: Client
  filters: AccountFilters
  order?: Order | undefined
  after?: bigint | undefined
  limit: number
}

// The scan covered all ids up to `scannedTo`. Null means that it covered every account.
type AccountScan = { rows: CollectionAccount[]; scannedTo: bigint | null }

export async function listAccounts(
  db: Queryable,
  { sealer, order = 'newest', ...query }: AccountQuery,
): Promise<AccountScan> {
  const { where, values, scannedTo } = await selectAccounts(db, { sealer, order, ...query })
  const { sort } = ORDER_SQL[order]
  const text = `select ${ACCOUNT_COLUMNS} ${where} order by a.id ${sort} limit ${query.limit}`
  const { rows } = await db.query<AccountRow>(namedUnlessWindow(query.filters, text, values))
  return { rows: rows.map((row) => decryptAccount(sealer, row)), scannedTo }
}

// The sum of the balances of all matching accounts; see summaries.ts.
export async function summarizeAccounts(
  db: Queryable,
  query: Pick<AccountQuery, 'sealer' | 'client' | 'filters'>,
): Promise<Summary> {
  const { where, values, scannedTo } = await selectAccounts(db, { ...query, order: 'newest' })
  const text = `select currency, count(*) as count, sum(balance)::bigint as "amountKobo"
                  from (select a.currency_code as currency, ${BALANCE} as balance ${where}
                         order by a.id desc limit ${SUMMED_MAX + 1}) as found
                 group by currency order by currency`
  const { rows } = await db.query<Total>(namedUnlessWindow(query.filters, text, values))
  return summaryOf(rows, scannedTo === null)
}

async function selectAccounts(
  db: Queryable,
  { sealer, client, filters, order, after }: Omit<AccountQuery, 'limit'> & { order: Order },
) {
  const { firstId, pastId } = await idBounds(db, 'collection_accounts', filters)
  const { isAfter, isUpTo } = ORDER_SQL[order]
  const values: unknown[] = [client.id, firstId, pastId]
  const bind = (value: unknown) => `$${values.push(value)}`
  const conditions = buildConditions(filters, { client, sealer, bind })
  if (after !== undefined) conditions.push(`a.id ${isAfter} ${bind(after)}`)
  const window = { firstId, pastId, after }
  const scannedTo = hasIndex(filters) ? null : await endOfScan(db, client.id, { ...window, order })
  if (scannedTo !== null) conditions.push(`a.id ${isUpTo} ${bind(scannedTo)}`)
  const where = `
    from collection_accounts a join ledger_accounts l on l.id = a.id
   where a.client_id = $1 and a.id >= $2 and a.id < $3
         ${conditions.map((condition) => `and ${condition}`).join('\n')}`
  return { where, values, scannedTo }
}

function hasIndex(filters: AccountFilters): boolean {
  const { bvn, nin, email, phoneNumber, merchantId, isDefault } = filters
  return isDefault === true || [bvn, nin, email, phoneNumber, merchantId].some((value) => value)
}

type ScanRange = { firstId: bigint; pastId: bigint; after: bigint | undefined; order: Order }

// The last account that this page may scan. Null means all of them.
async function endOfScan(
  db: Queryable,
  clientId: ClientId,
  { firstId, pastId, after, order }: ScanRange,
): Promise<bigint | null> {
  const { sort, isAfter } = ORDER_SQL[order]
  const { rows } = await db.query<{ id: AccountId }>({
    name: `end-of-account-scan-${order}`,
    text: `select id from collection_accounts
            where client_id = $1 and id >= $2 and id < $3 and id ${isAfter} $4
            order by id ${sort} offset ${SCAN_MAX - 1} limit 1`,
    values: [clientId, firstId, pastId, after ?? (order === 'newest' ? pastId : firstId - 1n)],
  })
  return rows[0]?.id ?? null
}

function buildConditions(
  filters: AccountFilters,
  { client, sealer, bind }: { client: Client; sealer: Sealer; bind: (value: unknown) => string },
): string[] {
  const { merchantId, merchantCode, email, phoneNumber, bvn, nin, name } = filters
  const { isActive, isDefault, minKobo, maxKobo, from, to } = filters
  const conditions: string[] = []
  if (client.merchantCodes) conditions.push(`a.merchant_code = any(${bind(client.merchantCodes)})`)
  if (merchantId) conditions.push(`a.merchant_id = ${bind(merchantId)}`)
  if (merchantCode) conditions.push(`a.merchant_code = ${bind(merchantCode)}`)
  if (email) conditions.push(`lower(a.email) = lower(${bind(email)})`)
  if (phoneNumber) {
    conditions.push(`right(a.phone_number, 10) = right(${bind(phoneNumber)}, 10)`)
  }
  if (bvn) conditions.push(`a.bvn_hash = ${bind(sealer.hash('bvn', bvn))}`)
  if (nin) conditions.push(`a.nin_hash = ${bind(hashNin(sealer, nin))}`)
  if (name) conditions.push(`strpos(lower(a.account_name), lower(${bind(name)})) > 0`)
  if (isActive !== undefined) conditions.push(`a.is_active = ${bind(isActive)}`)
  if (isDefault === true) conditions.push('a.is_default')
  if (isDefault === false) conditions.push('not a.is_default')
  if (minKobo !== undefined) conditions.push(`${BALANCE} >= ${bind(minKobo)}`)
  if (maxKobo !== undefined) conditions.push(`${BALANCE} <= ${bind(maxKobo)}`)
  if (from) conditions.push(`a.created_at >= ${bind(from)}`)
  if (to) conditions.push(`a.created_at < ${bind(to)}`)
  return conditions
}
