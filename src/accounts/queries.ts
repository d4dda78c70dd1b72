// Reads collection accounts: look-ups by number, lists and sums, and the owner of a number.
//
// Looking up an account by any of its numbers is the most frequent read. Concurrent look-ups are batched: one
// statement serves all that arrive in one turn of the event loop, or while earlier statements run. By
// measurement, this takes a third of the database time per look-up.

import { type Client, inMerchantScope, mayUseMerchant } from '#access/permissions.ts'
import { idBounds, type Window } from '#db/bounds.ts'
import {
  ORDER_SQL,
  type Order,
  PREFIX_SCAN_MAX,
  pastPrefix,
  SUMMED_MAX,
  type Summary,
  summaryOf,
  type Total,
} from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { namedUnlessWindow, numberArray, plainArray, unseen } from '#db/sql.ts'
import { Refusal } from '#errors.ts'
import { Batcher, QueueDelay } from '#hot-path/batcher.ts'
import { statedTierOf } from '#identity/tiers.ts'
import type { AccountId, ClientId, PaymentId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import type { Sealer } from '#seal.ts'
import {
  ACCOUNT_COLUMNS,
  type AccountRow,
  accountWithNumber,
  type CollectionAccount,
  decryptAccount,
  MERCHANT_NAME,
} from './account.ts'
import { hashNin } from './limits.ts'

type NumberLookup = { clientId: ClientId; accountNumber: string }

export type AccountLookups = Batcher<NumberLookup, CollectionAccount | undefined>

// Small batches, several in flight, so that the database reads while the service processes earlier results.
const LIMITS = { itemsMax: 32, inFlightMax: 4, queueMax: 10_000 }

type Deps = { db: Queryable; sealer: Sealer; onError: (error: unknown) => void }

// Creates the queue that looks up the accounts of concurrent requests in one statement.
export function createAccountLookups({ db, sealer, onError }: Deps): AccountLookups {
  return new Batcher({
    ...LIMITS,
    delay: new QueueDelay(),
    run: (lookups) => findAccounts(db, sealer, lookups),
    onError,
  })
}

// Looks up an account in one statement with concurrent look-ups.
export async function getAccount(
  lookups: AccountLookups,
  client: Client,
  accountNumber: string,
): Promise<CollectionAccount> {
  return requireVisible(client, await lookups.submit({ clientId: client.id, accountNumber }))
}

// Reads the account on the caller's connection, for callers that read other data in the same snapshot.
export async function getAccountIn(
  db: Queryable,
  { sealer, client, accountNumber }: { sealer: Sealer; client: Client; accountNumber: string },
): Promise<CollectionAccount> {
  const [account] = await findAccounts(db, sealer, [{ clientId: client.id, accountNumber }])
  return requireVisible(client, account)
}

// Refuses an unknown account and another client's account in the same way.
function requireVisible(client: Client, account: CollectionAccount | undefined): CollectionAccount {
  if (!account || !mayUseMerchant(client, account.merchantCode)) {
    throw new Refusal('account_not_found')
  }
  return account
}

// Returns one result for each look-up, in the same order. unseen() hides the lengths of the arrays from the
// planner, so that PostgreSQL uses one plan for all of them.
async function findAccounts(db: Queryable, sealer: Sealer, lookups: readonly NumberLookup[]) {
  const { rows } = await db.query<AccountRow & { place: bigint }>({
    name: 'find-collection-accounts',
    text: `select f.*, q.place
             from unnest(${unseen('$1::bigint[]')}, ${unseen('$2::text[]')}) with ordinality
                  as q (client_id, account_number, place)
             join lateral (
               select ${ACCOUNT_COLUMNS}
                 from collection_accounts a join ledger_accounts l on l.id = a.id
                where a.id = ${accountWithNumber('q.account_number')}
                  and a.client_id = q.client_id
                limit 1) f on true`,
    values: [
      numberArray(lookups.map((lookup) => lookup.clientId)),
      plainArray(lookups.map((lookup) => lookup.accountNumber)),
    ],
  })
  const accounts = new Array<CollectionAccount | undefined>(lookups.length).fill(undefined)
  for (const row of rows) accounts[Number(row.place) - 1] = decryptAccount(sealer, row)
  return accounts
}

// Finds the numbers of the client's collection accounts that begin with the prefix. Scans at most
// PREFIX_SCAN_MAX numbers of all clients.
export async function findNumbersLike(
  db: Queryable,
  clientId: ClientId,
  { prefix, limit }: { prefix: string; limit: number },
): Promise<string[]> {
  const { rows } = await db.query<{ accountNumber: string }>({
    name: 'find-numbers-like',
    text: `select account_number
             from (select * from numbers where account_number >= $2 and account_number < $3
                    order by account_number limit ${PREFIX_SCAN_MAX}) as n
            where client_id = $1 and collection_account_id is not null
            order by account_number limit $4`,
    values: [clientId, prefix, pastPrefix(prefix), limit],
  })
  return rows.map(({ accountNumber }) => accountNumber)
}

// Lists and filters a client's collection accounts, newest or oldest first.
//
// BVN, NIN, email address, phone number, merchantId and default have indexes. Other filters scan at
// most SCAN_MAX accounts per page, and the next page continues from there. So the cost of a page is
// bounded, no matter how many accounts there are.

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

// The scan covered all ids up to `scannedTo`, which is null if it covered every account.
type AccountScan = { rows: CollectionAccount[]; scannedTo: bigint | null }

// Returns one page of accounts, and how far the scan for it went.
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

// Counts the accounts that pass the filters, and adds up their balances by currency. The result is exact for
// up to SUMMED_MAX accounts; one account more is read to notice that there are too many.
export async function summarizeAccounts(
  db: Queryable,
  query: Pick<AccountQuery, 'sealer' | 'client' | 'filters'>,
): Promise<Summary> {
  const { where, values, scannedTo } = await selectAccounts(db, { ...query, order: 'newest' })
  const text = `select currency, count(*) as count, sum(balance)::bigint as amount_kobo
                  from (select a.currency_code as currency, ${BALANCE} as balance ${where}
                         order by a.id desc limit ${SUMMED_MAX + 1}) as found
                 group by currency order by currency`
  const { rows } = await db.query<Total>(namedUnlessWindow(query.filters, text, values))
  return summaryOf(rows, scannedTo === null)
}

// Builds the SQL from `from` on, and its values, for the list and the sum. Limits the scan if no filter has
// an index.
async function selectAccounts(
  db: Queryable,
  { sealer, client, filters, order, after }: Omit<AccountQuery, 'limit'> & { order: Order },
) {
  const { firstId, pastId } = await idBounds(db, 'collection_accounts', filters)
  const { isAfter, isUpTo } = ORDER_SQL[order]
  const values: unknown[] = [client.id, firstId, pastId]
  // Adds a value and returns its placeholder.
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

// Whether an index finds the accounts of at least one of the filters.
function hasIndex(filters: AccountFilters): boolean {
  const { bvn, nin, email, phoneNumber, merchantId, isDefault } = filters
  return isDefault === true || [bvn, nin, email, phoneNumber, merchantId].some((value) => value)
}

type ScanRange = { firstId: bigint; pastId: bigint; after: bigint | undefined; order: Order }

// Returns the last account that this page may scan; null means that it may scan all. The first page begins
// outside the bounds: at `pastId` for the newest first, before `firstId` for the oldest first.
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

// Returns a SQL condition for each filter. `bind` adds its value to the query.
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
  // The last ten digits are the same in 0803…, 234803… and +234803….
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

export type NumberOwner = {
  bankCode: string
  collectionAccountId: AccountId | null
  paymentId: PaymentId | null
}

// Finds out whether a number of the client belongs to a collection account or to a payment.
export async function findNumber(
  db: Queryable,
  clientId: ClientId,
  accountNumber: string,
): Promise<NumberOwner | undefined> {
  const { rows } = await db.query<NumberOwner>({
    name: 'find-number',
    text: `select bank_code, collection_account_id, payment_id
             from numbers
            where account_number = $1 and client_id = $2
              and ${inMerchantScope('collection_account_id', '$2')}`,
    values: [accountNumber, clientId],
  })
  return rows[0]
}

type LiveNumber = {
  merchantName: string
  customerName: string
  kycLevel: string | null // Null for a payment, whose payer is unknown.
  clientId: ClientId
  collectionAccountId: AccountId | null
  paymentId: PaymentId | null
}

// Finds a number of this bank that accepts money now: of an active collection account or of an open
// payment. The last SQL condition leaves out a number that has neither. A bank cannot look up another bank's
// numbers.
export async function findLiveName(
  db: Queryable,
  now: Date,
  { bankCode, accountNumber }: { bankCode: string; accountNumber: string },
): Promise<LiveNumber | undefined> {
  const { rows } = await db.query<LiveNumber>({
    name: 'find-live-name',
    text: `select ${MERCHANT_NAME.c},
                  coalesce(ca.account_name, a.customer_name) as customer_name,
                  (${statedTierOf('ca')})::text as kyc_level, n.client_id, n.collection_account_id,
                  n.payment_id
             from numbers n
             join clients c on c.id = n.client_id
             left join collection_accounts ca on ca.id = n.collection_account_id and ca.is_active
             left join payments p on p.id = n.payment_id
                  and p.status in ('Processing', 'PartPayment') and p.expires_at > $2
             left join advices a on a.id = p.advice_id
            where n.account_number = $1 and n.bank_code = $3
              and coalesce(ca.id::text, a.id::text) is not null`,
    values: [accountNumber, now, bankCode],
  })
  return rows[0]
}
