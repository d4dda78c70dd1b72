// How many account numbers one client may hold at a bank, so that no client uses up a bank's range (I241).
//
//   ceiling     the operator sets it for a client, a bank and a purpose. The client never holds more.
//   share       the default where there is no ceiling: half of the bank's range. A client above its share
//               gets numbers only while more than the last part of the range is free.
//   last part   a fifth of the range, which is for clients within their share or ceiling.
//
// Ranges of fewer than SMALL_RANGE numbers, and pools, have no share: only ceilings apply.
//
// `number_shares.held` counts the numbers of a client: those of its collection accounts (static), and those
// leased to its payments that are not reusable yet (dynamic). Every draw adds to it under the lock of the
// row, so parallel draws never exceed a ceiling. A lease that ends is subtracted only when the row is counted
// again: by a worker, and before a refusal.
//
// Locks: the shares in order of client, then the bank's range; banks in the configured order.

import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#clock.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import type { Purpose } from '#config/number-settings.ts'
import type { Pool, Queryable } from '#db/pool.ts'
import { numberArray } from '#db/sql.ts'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import type { ClientId } from '#ids.ts'
import type { NewAlert } from '#records/alerts.ts'
import { isReusable, UNISSUED } from './numbers.ts'

const SMALL_RANGE = 1_000
const LAST_PART_DIVISOR = 5
const LAST_PART_MAX = 20_000
// A refusal counts a client's numbers one by one, unless that was done so recently: a client that is refused
// again and again must not make the database count each time.
const COUNT_AGAIN_MS = 10 * SECOND_MS
const RECOUNT_MS = 10 * MINUTE_MS
const RECOUNTS_PER_ROUND = 20

export type Demand = ReadonlyMap<ClientId, number>
type Source = { bank: BankSettings; purpose: Purpose }
type Share = {
  clientId: ClientId
  client: string
  held: number // With the numbers that this draw wants.
  ceiling: number | null
  countedAt: Date
}

// Returns the default share of a bank's range. Undefined for a pool and for a small range.
export function defaultShare({ bank, purpose }: Source): number | undefined {
  const size = rangeSize({ bank, purpose })
  return size < SMALL_RANGE ? undefined : Math.ceil(size / 2)
}

function rangeSize({ bank, purpose }: Source): number {
  const range = bank.numbers === 'reserved' ? undefined : bank[purpose]
  return range ? range.to - range.from + 1 : 0
}

// Adds the wanted numbers to what the clients hold, as far as they may have them. Returns how many numbers
// each client gets, and the alerts about clients that have reached their ceiling or share.
export async function allotNumbers(
  tx: Transaction,
  now: Date,
  { bank, purpose, demand }: Source & { demand: Demand },
): Promise<{ allotted: Map<ClientId, number>; alerts: NewAlert[] }> {
  const source = { bank, purpose }
  const allotted = new Map(demand)
  const alerts: NewAlert[] = []
  const share = defaultShare(source)
  const limitOf = ({ ceiling }: Share) => ceiling ?? share ?? Number.POSITIVE_INFINITY
  const demandOf = ({ clientId }: Share) => demand.get(clientId) as number
  const shares = await addHeld(tx, now, { ...source, demand })
  let spare: number | undefined
  for (const each of shares) {
    const limit = limitOf(each)
    if (each.held >= limit && now.getTime() - each.countedAt.getTime() > COUNT_AGAIN_MS) {
      each.held = await recount(tx, now, {
        ...source,
        clientId: each.clientId,
        more: demandOf(each),
      })
    }
    if (each.held < limit) continue
    const above = Math.min(demandOf(each), each.held - limit)
    let cut = above
    if (each.ceiling === null && above > 0) {
      const left = spare ?? (await countSpare(tx, now, { ...source, needed: above }))
      cut = Math.max(0, above - left)
      spare = left - (above - cut)
    }
    allotted.set(each.clientId, demandOf(each) - cut)
    if (each.held - demandOf(each) < limit || cut > 0)
      alerts.push(reachedAlert(source, each, limit))
  }
  const cuts = new Map([...demand].map(([id, count]) => [id, count - (allotted.get(id) ?? 0)]))
  await giveBack(tx, { ...source, unused: cuts })
  return { allotted, alerts }
}

function reachedAlert({ bank, purpose }: Source, { client }: Share, limit: number): NewAlert {
  return {
    kind: 'number_ceiling_reached',
    subject: `${bank.code} ${purpose} ${client}`,
    detail: { bank: bank.code, client, ceiling: limit },
  }
}

// Subtracts numbers that were allotted and not used.
export async function giveBack(
  tx: Transaction,
  { bank, purpose, unused }: Source & { unused: ReadonlyMap<ClientId, number> },
): Promise<void> {
  const counts = [...unused].filter(([, count]) => count > 0)
  if (counts.length === 0) return
  await tx.query({
    name: 'give-back-numbers',
    text: `update number_shares s set held = greatest(0, s.held - u.count)
             from unnest($3::bigint[], $4::int[]) as u (client_id, count)
            where s.client_id = u.client_id and s.bank_code = $1 and s.purpose = $2`,
    values: [
      bank.code,
      purpose,
      numberArray(counts.map(([id]) => id)),
      counts.map(([, count]) => count),
    ],
  })
}

// Locks the shares of the clients, and adds what they want. Creates missing shares. The caller must not have
// drawn the numbers yet.
async function addHeld(
  tx: Transaction,
  now: Date,
  { bank, purpose, demand }: Source & { demand: Demand },
): Promise<Share[]> {
  const add = async (ids: readonly ClientId[]) => {
    const { rows } = await tx.query<Share>({
      name: 'add-held-numbers',
      text: `with locked as (
               select s.client_id, s.held, w.count
                 from number_shares s
                 join unnest($3::bigint[], $4::int[]) as w (client_id, count)
                   on w.client_id = s.client_id
                where s.bank_code = $1 and s.purpose = $2
                order by s.client_id
                  for no key update of s
             )
             update number_shares s set held = locked.held + locked.count
               from locked
              where s.client_id = locked.client_id and s.bank_code = $1 and s.purpose = $2
             returning s.client_id, s.held, s.ceiling, s.counted_at,
                       (select c.client_id from clients c where c.id = s.client_id) as client`,
      values: [bank.code, purpose, numberArray(ids), ids.map((id) => demand.get(id))],
    })
    return rows
  }
  const ids = [...demand.keys()].sort((one, other) => (one < other ? -1 : 1))
  const shares = await add(ids)
  const missing = ids.filter((id) => !shares.some(({ clientId }) => clientId === id))
  if (missing.length === 0) return shares
  await tx.query({
    name: 'insert-number-shares',
    text: `insert into number_shares (client_id, bank_code, purpose, held, counted_at)
           select id, $1, $2, ${countOf('id')}, $4 from unnest($3::bigint[]) as id
           on conflict do nothing`,
    values: [bank.code, purpose, numberArray(missing), now],
  })
  return [...shares, ...(await add(missing))]
}

// SQL scalar: the numbers that a client holds at the bank $1 for the purpose $2 at $4.
const countOf = (clientId: string) => `
  (select count(*)::int from numbers n
    where n.client_id = ${clientId} and n.bank_code = $1
      and case $2 when 'static' then n.reusable_at is null else n.reusable_at > $4 end)`

// Counts the numbers of a client one by one, and adds the `more` that it wants now. The caller holds the lock
// of the share.
async function recount(
  tx: Transaction,
  now: Date,
  { bank, purpose, clientId, more }: Source & { clientId: ClientId; more: number },
): Promise<number> {
  const { rows } = await tx.query<{ held: number }>({
    name: 'count-held-numbers',
    text: `update number_shares s set held = $5 + ${countOf('s.client_id')}, counted_at = $4
            where s.client_id = $3 and s.bank_code = $1 and s.purpose = $2 returning s.held`,
    values: [bank.code, purpose, clientId, now, more],
  })
  return (rows[0] as { held: number }).held
}

const lastPart = (source: Source) =>
  Math.min(LAST_PART_MAX, Math.floor(rangeSize(source) / LAST_PART_DIVISOR))

// Locks the bank's range, and counts its free numbers, issued or not, without the last part. Counts `needed`
// where none at all is free, so that the draw finds the range exhausted.
async function countSpare(
  tx: Transaction,
  now: Date,
  { bank, purpose, needed }: Source & { needed: number },
): Promise<number> {
  const range = bank[purpose]
  const { rows } = await tx.query<{ fresh: number }>({
    name: 'lock-number-range',
    text: `select ${UNISSUED}::float8 as fresh from number_ranges
            where bank_code = $1 and purpose = $2 and first_serial = $3 and last_serial = $4
              for no key update`,
    values: [bank.code, purpose, range?.from, range?.to],
  })
  const fresh = rows[0]?.fresh ?? 0
  const reserve = lastPart({ bank, purpose })
  if (fresh >= reserve + needed) return fresh - reserve
  const reusable =
    purpose === 'dynamic'
      ? await countReusable(tx, now, { bank, limit: reserve + needed - fresh })
      : 0
  return fresh + reusable === 0 ? needed : Math.max(0, fresh + reusable - reserve)
}

// Counts the leased numbers that can be leased again, up to a limit.
async function countReusable(
  tx: Transaction,
  now: Date,
  { bank, limit }: { bank: BankSettings; limit: number },
): Promise<number> {
  const { rows } = await tx.query<{ count: number }>({
    name: 'count-reusable-numbers',
    text: `select count(*)::int as count
             from (select from numbers
                    where bank_code = $1 and payment_id is not null and ${isReusable('$2')}
                    limit $3) as again`,
    values: [bank.code, now, limit],
  })
  return rows[0]?.count ?? 0
}

// Counts the shares again that were not counted for RECOUNT_MS: leases end, and the previous release draws
// numbers without counting them. A time far in the future was written by a wrong clock, and is due now.
export async function recountShares(db: Pool, now: Date): Promise<{ more: boolean }> {
  const { rows } = await db.query<{ clientId: ClientId; code: string; purpose: Purpose }>({
    name: 'shares-to-recount',
    text: `select client_id, bank_code as code, purpose from number_shares
            where counted_at < $1 or counted_at > $2
            order by counted_at limit ${RECOUNTS_PER_ROUND}`,
    values: [new Date(now.getTime() - RECOUNT_MS), new Date(now.getTime() + HOUR_MS)],
  })
  for (const { code, ...share } of rows) {
    await withTransaction(db, async (tx) => {
      await tx.query(
        `select from number_shares
          where client_id = $1 and bank_code = $2 and purpose = $3 for no key update`,
        [share.clientId, code, share.purpose],
      )
      await recount(tx, now, { ...share, bank: { code } as BankSettings, more: 0 })
    })
  }
  return { more: rows.length === RECOUNTS_PER_ROUND }
}

export type NumberCeilings = {
  bankCode: string
  accounts: number | null
  leases: number | null
  accountsHeld: number
  leasesHeld: number
  defaultAccounts: number | null
  defaultLeases: number | null
}

// Returns what a client may hold and holds, for each bank that issues numbers.
export async function readNumberCeilings(
  db: Queryable,
  banks: readonly BankSettings[],
  clientId: ClientId,
): Promise<NumberCeilings[]> {
  const { rows } = await db.query<{
    bankCode: string
    purpose: Purpose
    ceiling: number | null
    held: number
  }>({
    name: 'read-number-shares',
    text: 'select bank_code, purpose, ceiling, held from number_shares where client_id = $1',
    values: [clientId],
  })
  return banks.map((bank) => {
    const find = (purpose: Purpose) =>
      rows.find((row) => row.bankCode === bank.code && row.purpose === purpose)
    return {
      bankCode: bank.code,
      accounts: find('static')?.ceiling ?? null,
      leases: find('dynamic')?.ceiling ?? null,
      accountsHeld: find('static')?.held ?? 0,
      leasesHeld: find('dynamic')?.held ?? 0,
      defaultAccounts: defaultShare({ bank, purpose: 'static' }) ?? null,
      defaultLeases: defaultShare({ bank, purpose: 'dynamic' }) ?? null,
    }
  })
}

export type NewCeiling = { bankCode: string; purpose: Purpose; ceiling: number | null }

// Replaces all ceilings of a client. Numbers that it holds above a new ceiling stay.
export async function writeNumberCeilings(
  tx: Transaction,
  now: Date,
  { clientId, ceilings }: { clientId: ClientId; ceilings: readonly NewCeiling[] },
): Promise<void> {
  await tx.query({
    name: 'drop-number-ceilings',
    text: `with locked as (
             select bank_code, purpose from number_shares
              where client_id = $1 order by bank_code, purpose for no key update)
           update number_shares s set ceiling = null from locked
            where s.client_id = $1 and s.bank_code = locked.bank_code and s.purpose = locked.purpose`,
    values: [clientId],
  })
  for (const { bankCode, purpose, ceiling } of ceilings) {
    if (ceiling === null) continue
    await tx.query({
      name: 'write-number-ceiling',
      text: `insert into number_shares (client_id, bank_code, purpose, ceiling, held, counted_at)
             select $3::bigint, $1, $2, $5, ${countOf('$3::bigint')}, $4
             on conflict (client_id, bank_code, purpose) do update set ceiling = excluded.ceiling`,
      values: [bankCode, purpose, clientId, now, ceiling],
    })
  }
}
