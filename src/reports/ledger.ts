// Reads the ledger: the accounts of a client, the chart of accounts with balances, and the transfers of an
// account. Also names the kinds of accounts and the reasons of transfers.

import { assignedTo, type Viewer } from '#credits/queries.ts'
import { idBounds, type Window } from '#db/bounds.ts'
import { composed, joinConditions } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { Refusal } from '#errors.ts'
import type { AccountId, ClientId, CreditId, TransferId } from '#ids.ts'
import { clientOwner } from '#ledger/accounts.ts'
import { type Kobo, kobo } from '#money.ts'
import { CAUSE_COLUMNS, CAUSE_JOINS, type CauseReferences } from '#records/shared-sql.ts'

// SQL query: the owner names of a client's subaccounts.
const subaccountOwners = (client: string) =>
  `select 'subaccount:' || s.id from subaccounts s where s.client_id = ${client}`

const OWNED_KINDS = [
  'pending',
  'available',
  'subaccount',
  'settling',
  'reserve',
  'paying',
  'refunding',
  'held',
  'forfeited',
  'receivable',
  'suspense',
  'fee_income',
  'vat_payable',
  'write_off',
  'wht_receivable',
  'wht_credit',
]

// SQL query: the ledger accounts of a client other than collection accounts, which are its shared accounts,
// the accounts of its subaccounts, and the operator's accounts for it (fees, write-offs). Selects `id`,
// `kind`, `currency` and, as `kobo`, the balance: credits less debits. $1 is the client, $2 its owner name,
// $3 the owner name of the operator's accounts for it. `kind <> 'collection'` repeats the condition of the
// partial index on kind, owner and currency, so that PostgreSQL can use it.
export const SHARED_ACCOUNTS = `
  select l.id, l.kind, l.currency, l.credits_kobo - l.debits_kobo as kobo
    from ledger_accounts l
   where l.kind <> 'collection' and l.kind = any('{${OWNED_KINDS.join(',')}}')
     and l.owner = any(array[$2, $3] || array(${subaccountOwners('$1')}))`

// SQL query: all ledger accounts of a client, with the columns and parameters of SHARED_ACCOUNTS.
export const CLIENT_ACCOUNTS = `
  select l.id, l.kind, l.currency, l.credits_kobo - l.debits_kobo as kobo
    from collection_accounts a join ledger_accounts l on l.id = a.id
   where a.client_id = $1
  union all ${SHARED_ACCOUNTS}`

type Moves = { account: string; firstId: string; at: string }

// SQL query: the movements of an account since a moment, as changes of credits less debits. Reads each side
// through its own index. Do not use the query for a bank's account: it leaves out transfers with the reason
// `credit`, which debit a bank's account and have no index by that account.
export function movesSince({ account, firstId, at }: Moves): string {
  const since = `id >= ${firstId} and posted_at >= ${at}`
  return `
    select amount_kobo as change, credit_id, reason from transfers
     where credit_account_id = ${account} and ${since}
    union all
    select -amount_kobo, credit_id, reason from transfers
     where debit_account_id = ${account} and reason <> 'credit' and ${since}`
}

// Returns the lowest id of a transfer that may have been posted at this moment or later.
export async function firstTransferSince(db: Queryable, at: Date): Promise<bigint> {
  return (await idBounds(db, 'transfers', { from: at })).firstId
}

// Finds the accounts that payouts and refunds may draw from, in one currency. `kind <> 'collection'` repeats
// the condition of the partial index on kind, owner and currency, so that PostgreSQL can use it.
export async function findAvailableAccounts(
  db: Queryable,
  clientId: ClientId,
  currency: string,
): Promise<AccountId[]> {
  const { rows } = await db.query<{ id: AccountId }>({
    name: 'find-available-accounts',
    text: `select l.id from collection_accounts a join ledger_accounts l on l.id = a.id
            where a.client_id = $1 and l.currency = $3
           union all
           select id from ledger_accounts
            where kind = 'available' and owner = $2 and currency = $3 and kind <> 'collection'`,
    values: [clientId, clientOwner(clientId), currency],
  })
  return rows.map(({ id }) => id)
}

export type LedgerAccount = {
  id: AccountId
  kind: string
  owner: string // `client:7`, `bank:058` …, or empty for a collection account.
  currency: string
  debitsKobo: Kobo
  creditsKobo: Kobo
  accountNumber: string | null // Set for collection accounts only.
  accountName: string | null // Set for collection accounts only.
  subaccountCode: string | null
  clientId: string | null // The login name of the client that owns the account; only operators see it.
  openedAt: Date
}

export type ChartPosition = { isCollection: boolean; id: AccountId }

// SQL condition: only operators may see the account. It belongs to a bank or the operator, or is a client's
// debt to the operator.
const isOperatorOnly = (account: string) =>
  `(${account}.owner like 'bank:%' or ${account}.owner like 'operator:%'
    or ${account}.kind = 'receivable')`

// SQL condition: the viewer may see the ledger account `a`, which is not a collection account. $1 is the
// client, $2 its owner name, $3 whether the client is the operator.
const MAY_SEE_SHARED = `
  a.kind <> 'collection'
  and (a.owner = $2 or a.owner in (${subaccountOwners('$1')})
       or $3 and ${isOperatorOnly('a')})`

// SQL condition: the viewer may see the ledger account `o`, which may be a collection account. $2 is the
// client, $3 its owner name, $4 whether the client is the operator.
const isVisible = (o: string) => `
  (${o}.owner = $3 or ${o}.owner in (${subaccountOwners('$2')}) or $4 and ${isOperatorOnly(o)}
   or exists (select from collection_accounts m where m.id = ${o}.id and m.client_id = $2))`

const COLUMNS = `
  a.id, a.kind, a.owner, a.currency, a.debits_kobo, a.credits_kobo, a.opened_at,
  (select s.code from subaccounts s
    where s.client_id = $1 and a.owner = 'subaccount:' || s.id) as subaccount_code,
  (select k.client_id from clients k
    where $3 and k.id = case when a.owner ~ '^(client|operator):'
                             then split_part(a.owner, ':', 2)::bigint end) as client_id`

const toViewerValues = ({ id, isOperator }: Viewer) => [id, clientOwner(id), isOperator]

// Lists the chart of accounts. A client sees its own accounts and the accounts of its subaccounts. An
// operator also sees the accounts of banks, unidentified suspense, fees, receivables and write-offs. Shared
// accounts come first, then collection accounts, each in order of opening.
export async function listLedgerAccounts(
  db: Queryable,
  viewer: Viewer,
  {
    kind,
    after,
    limit,
  }: { kind?: string | undefined; after?: ChartPosition | undefined; limit: number },
): Promise<LedgerAccount[]> {
  const { sql, values } = joinConditions(
    [['a.kind = $', kind]],
    [
      ...toViewerValues(viewer),
      after?.isCollection ? PAST_SHARED : (after?.id ?? 0n),
      after?.isCollection ? after.id : 0n,
      limit,
    ],
  )
  const text = `
    (select ${COLUMNS}, null as account_number, null as account_name
       from ledger_accounts a where ${MAY_SEE_SHARED} and a.id > $4 and ${sql} order by a.id limit $6)
    union all
    (select ${COLUMNS}, c.account_number, c.account_name
       from collection_accounts c join ledger_accounts a on a.id = c.id
      where c.client_id = $1 and c.id > $5 and ${sql} order by c.id limit $6)
    limit $6`
  const { rows } = await db.query<LedgerAccount>(composed(text, values))
  return rows
}

// Greater than every id: a page that starts among collection accounts lists no shared accounts.
const PAST_SHARED = 9_223_372_036_854_775_807n

// Returns the position at which the next page of the chart starts: after this account.
export function toChartPosition({ kind, id }: LedgerAccount): ChartPosition {
  return { isCollection: kind === 'collection', id }
}

// Returns a ledger account. Refuses an account of another client as not found.
export async function getLedgerAccount(
  db: Queryable,
  viewer: Viewer,
  id: AccountId,
): Promise<LedgerAccount> {
  const { rows } = await db.query<LedgerAccount>({
    name: 'get-ledger-account',
    text: `select ${COLUMNS}, c.account_number, c.account_name
             from ledger_accounts a
             left join collection_accounts c on c.id = a.id and c.client_id = $1
            where a.id = $4 and (c.id is not null or ${MAY_SEE_SHARED})`,
    values: [...toViewerValues(viewer), id],
  })
  if (!rows[0]) throw new Refusal('ledger_account_not_found')
  return rows[0]
}

const GROW_BY_DEBITS = [
  'bank',
  'shortfall',
  'bank_cost',
  'stamp_duty',
  'input_vat',
  'receivable',
  'write_off',
  'wht_receivable',
  'wht_credit',
  'doubtful_debt',
]

// Accounts for money at banks, debts to us, costs and losses grow by debits. All others grow by
// credits.
export function growsByDebits(kind: string): boolean {
  return GROW_BY_DEBITS.includes(kind)
}

// Returns the balance in the direction in which the account grows, so that it is normally positive.
export function computeBalance({ kind, debitsKobo, creditsKobo }: LedgerAccount): Kobo {
  return kobo(growsByDebits(kind) ? debitsKobo - creditsKobo : creditsKobo - debitsKobo)
}

// Names of the kinds of ledger accounts and of the reasons of transfers, as shown to users.

const KIND_NAMES: Readonly<Record<string, string>> = {
  bank: 'the bank',
  collection: 'collection account',
  pending: 'pending part payments',
  available: 'available funds',
  subaccount: 'subaccount',
  settling: 'settling funds',
  reserve: 'reserve',
  paying: 'payouts in transit',
  refunding: 'refunds in transit',
  held: 'held funds',
  forfeited: 'forfeited funds',
  receivable: 'receivable',
  write_off: 'write-offs',
  wht_receivable: 'withheld tax',
  wht_credit: 'withholding tax credits',
  doubtful_debt: 'doubtful debts',
  provision: 'allowance for doubtful debts',
  suspense: 'suspense',
  returning: 'returns in progress',
  shortfall: 'due from bank',
  due_to_bank: 'due to bank',
  bank_cost: 'bank charges',
  stamp_duty: 'stamp duty',
  input_vat: 'VAT on bank charges',
  fee_income: 'fees',
  vat_payable: 'VAT on fees',
}

const REASON_NAMES: Readonly<Record<string, string>> = {
  credit: 'Credit',
  bank_charge: 'Bank charge',
  fee: 'Fee',
  fee_vat: 'VAT on fee',
  settle: 'Part payment settled',
  suspend: 'Moved to suspense',
  assign: 'Assigned from suspense',
  return: 'Return',
  returned: 'Return confirmed',
  return_failed: 'Return failed',
  reversal: 'Reversal',
  split: 'Split',
  settlement: 'Settlement',
  reserve: 'Reserve',
  recovery: 'Recovery',
  write_off: 'Write-off',
  adjusting_entry: 'Adjusting entry',
  provision: 'Provision',
  provision_release: 'Provision released',
  withholding: 'Tax withheld',
  wht_credit_note: 'Withholding tax credit note',
  withholding_reversal: 'Tax withheld, reversed',
  wht_credit_note_reversal: 'Withholding tax credit note, reversed',
  payout: 'Payout',
  paid: 'Payout confirmed',
  payout_failed: 'Payout failed',
  refund: 'Refund',
  refunded: 'Refund confirmed',
  refund_failed: 'Refund failed',
  hold: 'Held',
  hold_release: 'Released from a hold',
  forfeiture: 'Forfeited',
}

export function kindName(kind: string): string {
  return KIND_NAMES[kind] ?? kind
}

export function reasonName(reason: string): string {
  return REASON_NAMES[reason] ?? reason
}

export type LedgerEntry = CauseReferences & {
  id: TransferId
  reason: string
  side: 'debit' | 'credit' // This account's side.
  direction: 'in' | 'out' // Whether the account's balance grew.
  amountKobo: Kobo
  otherId: AccountId | null // null if the viewer may not see the account.
  otherKind: string
  otherBankCode: string | null // Set for a bank's account that the viewer may see.
  creditId: CreditId | null // null if the transfer has none, or the viewer may not see it.
  sessionId: string | null
  postedAt: Date
  position: string // The cursor of a page that starts after this entry.
}

export const CREDITS_PER_PAGE_MAX = 5_000

// SQL query: the columns of these transfers. $1 is the account, $2 the client, $3 its owner name, $4 whether
// the client is the operator.
const selectEntries = (transfers: string) => `
  select t.id, t.reason, t.debit_account_id = $1 as is_debit, t.amount_kobo,
         case when ${isVisible('o')} then o.id end as other_id, o.kind as other_kind,
         case when o.owner like 'bank:%' and ($4 or credit.is_visible) then substr(o.owner, 6) end
           as other_bank_code,
         case when credit.is_visible then c.id end as credit_id,
         case when credit.is_visible then c.session_id end as session_id,
         t.credit_id as of_credit, t.posted_at, ${CAUSE_COLUMNS}
    from (${transfers}) as t
    join ledger_accounts o on o.id = case when t.debit_account_id = $1 then t.credit_account_id
                                          else t.debit_account_id end
    left join credits c on c.id = t.credit_id ${CAUSE_JOINS}
   cross join lateral (
     select c.client_id = $2 or $4 and c.client_id is null or ${assignedTo('$2')} as is_visible) as credit
   order by t.credit_id desc, t.id desc`

// SQL query: the transfers of one side of the account, newest first.
const selectSide = (column: string, more = '') =>
  `(select * from transfers
     where ${column} = $1 and id < $5 and id >= $7 and posted_at >= $8 and posted_at < $9 ${more}
     order by id desc limit $6)`

const BY_ID = selectEntries(
  `select * from (${selectSide('credit_account_id')} union all
                  ${selectSide('debit_account_id', `and reason <> 'credit'`)}) as sides
    order by id desc limit $6`,
)

const BY_CREDIT = selectEntries(
  `select * from transfers
    where (credit_id, id) < ($5, $8) and credit_id >= $7 and debit_account_id = $1
      and reason = 'credit' and posted_at >= $9 and posted_at < $10
    order by credit_id desc, id desc limit $6`,
)

type Row = Omit<LedgerEntry, 'side' | 'direction' | 'position'> & {
  isDebit: boolean
  ofCredit: CreditId | null
}
type EntryScan = { rows: LedgerEntry[]; scannedTo: string | null }
type EntryPage = {
  account: LedgerAccount
  window?: Window
  after?: string | undefined
  limit: number
}

// Lists the transfers of one ledger account, newest first, each with its side and counter-account. A window
// can limit the period.
//
// Both sides of a transfer are indexed, except the debit of a bank's account by a credit (0001_ledger.sql).
// Those transfers are found through the credits, newest first, a fixed number of credits per page, and merged
// with the other transfers by id. So a page of a bank with few credits may be short although a next page
// exists.
export async function listLedgerEntries(
  db: Queryable,
  viewer: Viewer,
  { account, after, limit, ...page }: EntryPage,
): Promise<EntryScan> {
  const isBank = account.kind === 'bank'
  const window = page.window ?? {}
  const idRange = await idBounds(db, 'transfers', window)
  const credits = isBank ? await idBounds(db, 'credits', window) : idRange
  // The position at which the previous page ended (addPositions). The first page starts at the newest entry.
  const [id = idRange.pastId, creditId = credits.pastId, ofCreditId = 0n] =
    after?.split('/').map(BigInt) ?? []
  const viewing = [account.id, viewer.id, clientOwner(viewer.id), viewer.isOperator]
  const times = [window.from ?? '-infinity', window.to ?? 'infinity']
  const { rows } = await db.query<Row>({
    name: 'ledger-entries',
    text: BY_ID,
    values: [...viewing, id, limit, idRange.firstId, ...times],
  })
  const otherEntries = rows.toSorted((one, other) => (one.id > other.id ? -1 : 1))
  const start = { id, creditId, ofCreditId }
  if (!isBank) return addPositions(account, start, { rows: otherEntries, scannedTo: null })
  const scanStart = laterStart(await findFirstCredit(db, creditId), {
    creditId: credits.firstId,
    transferId: idRange.firstId,
  })
  const { rows: byCredit } = await db.query<Row>({
    name: 'ledger-entries-of-bank',
    text: BY_CREDIT,
    values: [...viewing, creditId, limit, scanStart.creditId, ofCreditId, ...times],
  })
  const isWhole = byCredit.length < limit // The query returned all credits of this page.
  const leastId = isWhole ? scanStart.transferId : (byCredit.at(-1) as Row).id
  const merged = mergeNewest(byCredit, otherEntries, leastId).slice(0, limit)
  const scannedTo = isWhole && scanStart.creditId > credits.firstId ? scanStart.creditId : null
  return addPositions(account, start, { rows: merged, scannedTo })
}

// The oldest credit and transfer that a page reads.
type ScanStart = { creditId: bigint; transferId: bigint }

// Returns the later of the two starts, so that the page stays within the period.
function laterStart(one: ScanStart, other: ScanStart): ScanStart {
  return one.creditId > other.creditId ? one : other
}

// Merges the transfers of credits (`byCredit`) and the other transfers of a bank's account, newest first. Ids
// of transfers of credits are only approximately ordered. Other transfers with ids below `leastId` are left
// for the next page.
function mergeNewest(
  byCredit: readonly Row[],
  otherEntries: readonly Row[],
  leastId: bigint,
): Row[] {
  const merged: Row[] = []
  const unmerged = otherEntries.filter(({ id }) => id >= leastId)
  for (const row of byCredit) {
    while (unmerged[0] && unmerged[0].id > row.id) merged.push(unmerged.shift() as Row)
    merged.push(row)
  }
  return [...merged, ...unmerged]
}

// Adds a position to each entry. A position names the last of the other transfers, the last credit, and the
// last transfer of that credit.
function addPositions(
  account: LedgerAccount,
  start: { id: bigint; creditId: bigint; ofCreditId: bigint },
  { rows, scannedTo }: { rows: readonly Row[]; scannedTo: bigint | null },
): EntryScan {
  const reached = { ...start }
  // Makes the entries in order: `reached` moves on with each row, and the row's position is written from it.
  const entries = rows.map(({ isDebit, ofCredit, ...row }): LedgerEntry => {
    if (account.kind === 'bank' && row.reason === 'credit') {
      reached.creditId = ofCredit as bigint
      reached.ofCreditId = row.id
    } else {
      reached.id = row.id
    }
    const direction = isDebit === growsByDebits(account.kind) ? 'in' : 'out'
    const position = `${reached.id}/${reached.creditId}/${reached.ofCreditId}`
    return { ...row, side: isDebit ? 'debit' : 'credit', direction, position }
  })
  return { rows: entries, scannedTo: scannedTo === null ? null : `${reached.id}/${scannedTo}/0` }
}

// Returns the oldest credit that a page scans, and the first transfer from that credit on.
async function findFirstCredit(db: Queryable, before: bigint) {
  const { rows } = await db.query<{ creditId: bigint; transferId: bigint }>({
    name: 'first-credit-of-page',
    text: `select f.id as credit_id,
                  coalesce((select id from transfers where credit_id >= f.id
                             order by credit_id, id limit 1), 0) as transfer_id
             from (select greatest(coalesce(max(credit_id), 0) - $2, 0) as id
                     from transfers where credit_id <= $1) as f`,
    values: [before, CREDITS_PER_PAGE_MAX],
  })
  const { creditId, transferId } = rows[0] as (typeof rows)[0]
  return { creditId, transferId: creditId > 0n ? transferId : 0n }
}
