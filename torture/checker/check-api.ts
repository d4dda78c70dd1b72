// Compares the API with the books and the testimony: lists contain every object once, with the status and
// amount that the books have; a payout read by itself equals the payout in the list; balances equal those of
// the ledger.

import { type Books, differs } from './books.ts'

// Sends a GET request as this client and returns the JSON of the response.
export type Ask = (clientId: string, path: string) => Promise<unknown>

type Row = Record<string, string>
type ListItem = Record<string, unknown>
type List = { data: ListItem[]; nextCursor: string | null }

const PAGES_MAX = 10 // The newest pages, of 100 each: reading all would take too long.
const PAYOUTS_READ = 10 // The newest payouts of each client, which are also read one by one.

type Listing = {
  path: string
  sql: string // Newest first, like the list; each row has `key` and the fields to compare.
  toRow: (item: ListItem) => Row
}

const LISTINGS: readonly Listing[] = [
  {
    path: '/api/v1/payouts',
    sql: `select c.client_id, p.reference as key, p.status, p.amount_kobo as amount, p.narration
            from payouts p join clients c on c.id = p.client_id order by p.id desc`,
    toRow: ({ reference, status, amount, narration }) => ({
      key: String(reference),
      status: String(status),
      amount: kobo(amount),
      narration: String(narration),
    }),
  },
  {
    path: '/api/v1/refunds',
    sql: `select c.client_id, r.reference as key, r.amount_kobo as amount, r.reason,
                 coalesce((select sum(p.amount_kobo) from payouts p
                            where p.refund_id = r.id and p.status = 'confirmed'), 0) as refunded
            from refunds r join clients c on c.id = r.client_id order by r.id desc`,
    toRow: ({ reference, amount, reason, refundedAmount }) => ({
      key: String(reference),
      amount: kobo(amount),
      reason: String(reason),
      refunded: kobo(refundedAmount),
    }),
  },
  {
    path: '/api/v1/settlements',
    sql: `select c.client_id, s.reference as key, s.net_kobo as net
            from settlements s join clients c on c.id = s.client_id order by s.id desc`,
    toRow: ({ reference, net }) => ({ key: String(reference), net: kobo(net) }),
  },
  {
    path: '/api/v1/accounts/static',
    sql: `select c.client_id, a.account_number as key, a.is_active,
                 l.credits_kobo - l.debits_kobo as balance
            from collection_accounts a
            join clients c on c.id = a.client_id
            join ledger_accounts l on l.id = a.id order by a.id desc`,
    toRow: ({ accountNumber, isActive, accountBalance }) => ({
      key: String(accountNumber),
      is_active: String(isActive),
      balance: kobo(accountBalance),
    }),
  },
  {
    path: '/api/v1/credits',
    sql: `select c.client_id, k.session_id as key, k.amount_kobo as amount,
                 coalesce((select sum(r.amount_kobo) from reversals r
                            where r.credit_id = k.id), 0) as reversed
            from credits k
            join clients c on c.id = k.client_id
                           or c.id in (select given_client_id from suspense_items i
                                        where i.credit_id = k.id)
           order by k.id desc`,
    toRow: ({ sessionId, amount, amountReversed }) => ({
      key: String(sessionId),
      amount: kobo(amount),
      reversed: kobo(amountReversed),
    }),
  },
  {
    path: '/api/v1/events',
    sql: `select c.client_id, e.id::text as key, e.type, e.sequence
            from events e join clients c on c.id = e.client_id order by e.sequence desc`,
    toRow: ({ id, type, sequence }) => ({
      key: String(id),
      type: String(type),
      sequence: String(sequence),
    }),
  },
]

const BALANCES = `
  select c.client_id, sum(b.kobo) filter (where b.kind in ('collection', 'available')) as available,
         sum(b.kobo) filter (where b.kind = 'pending') as pending,
         sum(b.kobo) filter (where b.kind = 'subaccount') as subaccounts,
         sum(b.kobo) filter (where b.kind in ('settling', 'paying', 'refunding')) as "inTransit",
         sum(b.kobo) filter (where b.kind = 'receivable') as receivable
    from clients c
    join lateral (
      select l.kind, abs(l.credits_kobo - l.debits_kobo) as kobo from ledger_accounts l
       where l.currency = 'NGN'
         and (l.owner = 'client:' || c.id
              or l.id in (select id from collection_accounts where client_id = c.id)
              or l.owner in (select 'subaccount:' || id from subaccounts where client_id = c.id))
    ) as b on true
   group by c.client_id`

// Runs every comparison for every client that the run created accounts for.
export async function checkApi(books: Books, ask: Ask): Promise<string[]> {
  const { rows, testimony } = books
  const clients = new Set(testimony.of('account').map(({ terms }) => terms.clientId as string))
  const findings: string[] = []
  for (const listing of LISTINGS) {
    const allRows = await rows(listing.sql)
    for (const client of clients) {
      const clientRows = allRows.filter(({ client_id: id }) => id === client)
      findings.push(...(await checkList(ask, client, { listing, rows: clientRows })))
    }
  }
  const balances = await rows(BALANCES)
  for (const client of clients) {
    findings.push(...(await checkBalances(ask, client, balances)))
    findings.push(...(await checkPayoutsReadAlone(books, ask, client)))
  }
  return findings
}

// Compares a client's list of the API with its rows in the books: every row is listed once, with the same
// values.
async function checkList(
  ask: Ask,
  client: string,
  { listing, rows }: { listing: Listing; rows: readonly Row[] },
): Promise<string[]> {
  const { path, toRow } = listing
  const { listed, isWhole } = await readList(ask, client, path)
  const items = Map.groupBy(listed.map(toRow), ({ key }) => key as string)
  const name = (key: string) => `${path} of ${client}: ${key}`
  const keysInBooks = new Set(rows.map(({ key }) => key as string))
  return [
    ...[...items].flatMap(([key, sameItems]) => [
      ...(sameItems.length > 1 ? [`${name(key)} is listed ${sameItems.length} times`] : []),
      ...(keysInBooks.has(key) ? [] : [`${name(key)} is listed and does not exist`]),
    ]),
    // Older rows are on pages that the checker did not read.
    ...rows.slice(0, isWhole ? rows.length : listed.length).flatMap(({ client_id: _, ...row }) => {
      const key = row.key as string
      const item = items.get(key)?.[0]
      if (!item) return isWhole ? [`${name(key)} exists and is not listed`] : []
      return Object.keys(item).flatMap((field) =>
        differs(`${field} of ${name(key)}`, item[field], row[field]),
      )
    }),
  ]
}

// Reads the newest pages of a list. `isWhole` says whether the last page was among them.
async function readList(ask: Ask, client: string, path: string) {
  const listed: ListItem[] = []
  let cursor: string | null = null
  for (let page = 0; page < PAGES_MAX; page++) {
    const cursorParameter: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const { data, nextCursor } = (await ask(client, `${path}?limit=100${cursorParameter}`)) as List
    listed.push(...data)
    cursor = nextCursor
    if (cursor === null) return { listed, isWhole: true }
  }
  return { listed, isWhole: false }
}

// Compares the client's balances in naira with those computed from the ledger.
async function checkBalances(ask: Ask, client: string, balances: readonly Row[]) {
  const { data } = (await ask(client, '/api/v1/balances')) as { data: { totals: ListItem[] } }
  const totals = data.totals.find(({ currency }) => currency === 'NGN') ?? {}
  const { client_id: _, ...amounts } = balances.find(({ client_id: id }) => id === client) ?? {}
  return Object.entries(amounts).flatMap(([field, value]) =>
    differs(`${field} of the balances of ${client}`, kobo(totals[field]), value || '0'),
  )
}

// Reads the client's newest acknowledged payouts one by one, and compares them with its requests and the
// books.
async function checkPayoutsReadAlone({ rows, testimony }: Books, ask: Ask, client: string) {
  const recent = testimony
    .of('payout')
    .filter(({ terms, acknowledged }) => terms.clientId === client && acknowledged.length > 0)
    .slice(-PAYOUTS_READ)
  const statusOf = new Map(
    (await rows('select reference, status from payouts')).map((row) => [row.reference, row.status]),
  )
  const findings: string[] = []
  for (const { key, terms, acknowledged } of recent) {
    const reference = acknowledged[0]?.reference as string
    const { data } = (await ask(client, `/api/v1/payouts/${reference}`)) as { data: ListItem }
    const name = `of payout ${reference} read alone`
    findings.push(
      ...differs(`the narration ${name}`, String(data.narration), key),
      ...differs(`the amount ${name}`, kobo(data.amount), terms.amount),
      ...differs(`the status ${name}`, String(data.status), statusOf.get(reference)),
    )
  }
  return findings
}

// The API reports naira; the tables have kobo.
function kobo(naira: unknown): string {
  return String(Math.round(Number(naira ?? 0) * 100))
}
