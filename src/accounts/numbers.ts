// Account numbers, drawn from the serial ranges granted by banks, or from the pool of numbers that a bank
// reserved. Each serial is used once. Dynamic numbers are reused after a quarantine: when their range is
// exhausted, or before another number is taken from the pool. A live number is never reissued.
//
// The range's row is locked until commit, so two batches never draw the same index. If a number is already in
// use (in the sandbox, ranges of two banks may overlap), the next one is drawn.

import { randomBytes } from 'node:crypto'
import { nuban, permute } from '#banks/nuban.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import type { Purpose, SerialRange } from '#config/number-settings.ts'
import { DOUBTFUL_UNTIL } from '#db/moved-database.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { drawReserved } from './reserved-numbers.ts'

// Has fewer numbers than requested when the range is used up.
type TakenNumbers = { fresh: string[]; recycled: string[] }

// The serial ranges of the banks file: for collection accounts (static) and for payments (dynamic).
export function configuredRanges(banks: readonly BankSettings[]) {
  return banks.flatMap((bank) =>
    (['static', 'dynamic'] as const).flatMap((purpose) => {
      const range = bank[purpose]
      return range ? [{ bank: bank.code, purpose, ...range }] : []
    }),
  )
}

// Stores the ranges of the banks file. Each gets a random key when it is first stored, which never changes.
// The key decides the order in which the numbers of the range are issued, so nobody can predict the next one.
export async function registerRanges(db: Queryable, banks: readonly BankSettings[]): Promise<void> {
  const ranges = configuredRanges(banks)
  await db.query(
    `insert into number_ranges (bank_code, purpose, first_serial, last_serial, key)
     select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bytea[])
     on conflict do nothing`,
    [
      ranges.map((range) => range.bank),
      ranges.map((range) => range.purpose),
      ranges.map((range) => range.from),
      ranges.map((range) => range.to),
      ranges.map(() => randomBytes(32)),
    ],
  )
}

// Draws numbers for collection accounts. Returns fewer than requested when the range or pool is used up.
export async function takeStaticNumbers(
  tx: Transaction,
  bank: BankSettings,
  count: number,
): Promise<string[]> {
  if (bank.numbers === 'reserved') return drawReserved(tx, bank, { purpose: 'static', count })
  if (!bank.static) return []
  return drawFresh(tx, bank.code, { purpose: 'static', range: bank.static, count })
}

// Draws numbers for payments. From a pool, numbers after their quarantine come first; from a range, fresh
// numbers.
export async function takeDynamicNumbers(
  tx: Transaction,
  now: Date,
  { bank, count }: { bank: BankSettings; count: number },
): Promise<TakenNumbers> {
  if (bank.numbers === 'reserved') {
    const recycled = await drawRecycled(tx, now, { bankCode: bank.code, count })
    const missing = count - recycled.length
    if (missing === 0) return { fresh: [], recycled }
    return { fresh: await drawReserved(tx, bank, { purpose: 'dynamic', count: missing }), recycled }
  }
  if (!bank.dynamic) return { fresh: [], recycled: [] }
  const fresh = await drawFresh(tx, bank.code, { purpose: 'dynamic', range: bank.dynamic, count })
  if (fresh.length === count) return { fresh, recycled: [] }
  return {
    fresh,
    recycled: await drawRecycled(tx, now, {
      bankCode: bank.code,
      count: count - fresh.length,
    }),
  }
}

// Draws numbers of the range until there are enough, skipping those that are in use.
async function drawFresh(
  tx: Transaction,
  bankCode: string,
  { purpose, range, count }: { purpose: Purpose; range: SerialRange; count: number },
): Promise<string[]> {
  const free: string[] = []
  while (free.length < count) {
    const candidates = await drawIndexes(tx, bankCode, {
      purpose,
      range,
      count: count - free.length,
    })
    if (candidates.length === 0) break
    const { rows } = await tx.query<{ accountNumber: string }>({
      name: 'numbers-taken',
      text: `select account_number from numbers where account_number = any($1::text[])
             union all
             select account_number from reserved_numbers where account_number = any($1::text[])`,
      values: [candidates],
    })
    const inUse = new Set(rows.map((row) => row.accountNumber))
    free.push(...candidates.filter((number) => !inUse.has(number)))
  }
  return free
}

// SQL scalar on a row of `number_ranges`: how many numbers of it can still be drawn for the first time.
export const UNISSUED = `(last_serial - first_serial + 1 - next_index
                          + case when is_gap_free then gap_until - gap_from else 0 end)`

// Draws the next indexes of the range, and turns each into an account number. Indexes that were skipped when
// the database moved come first, once an operator has said that nothing was missing. permute() maps the
// indexes to serials in an order that depends on the range's secret key, so that nobody can predict the next
// number.
async function drawIndexes(
  tx: Transaction,
  bankCode: string,
  { purpose, range: { from, to }, count }: { purpose: Purpose; range: SerialRange; count: number },
): Promise<string[]> {
  const size = to - from + 1
  const { rows } = await tx.query<{ key: Buffer; first: bigint; until: bigint }>({
    name: 'draw-indexes',
    text: `with range as (
             select id, next_index, gap_from, is_gap_free and gap_from < gap_until as has_gap
               from number_ranges
              where bank_code = $1 and purpose = $2 and first_serial = $3 and last_serial = $4
                for no key update
           )
           update number_ranges r
              set gap_from = case when has_gap then least(r.gap_from + $5, r.gap_until)
                                  else r.gap_from end,
                  next_index = case when has_gap then r.next_index
                                    else least(r.next_index + $5, r.last_serial - r.first_serial + 1) end
             from range where r.id = range.id
           returning r.key, case when has_gap then range.gap_from else range.next_index end as first,
                     case when has_gap then r.gap_from else r.next_index end as until`,
    values: [bankCode, purpose, from, to, count],
  })
  const claimed = rows[0]
  if (!claimed) throw new Error(`the ${purpose} range of bank ${bankCode} was not registered`)
  const numbers: string[] = []
  for (let index = Number(claimed.first); index < Number(claimed.until); index++) {
    numbers.push(nuban(bankCode, from + permute(claimed.key, size, index)))
  }
  return numbers
}

const QUARANTINE_DAYS = 30 // The default of MANILLA_QUARANTINE_DAYS.

// SQL condition on a number that payments lease: its quarantine is over. The changes that a restored or moved
// database lacks may include a new lease of any number whose quarantine ended before. These wait for longer.
export const isReusable = (now: string) => `
  reusable_at <= ${now}
  and reusable_at > (select case when ${now} < d + interval '${QUARANTINE_DAYS} days' then d
                                 else '-infinity' end
                       from (select ${DOUBTFUL_UNTIL} as d) as doubtful)`

// Draws the numbers whose quarantine ended first. Locks them, so that two batches cannot take the same one.
async function drawRecycled(
  tx: Transaction,
  now: Date,
  { bankCode, count }: { bankCode: string; count: number },
): Promise<string[]> {
  const { rows } = await tx.query<{ accountNumber: string }>({
    name: 'draw-recycled',
    text: `select account_number from numbers
            where bank_code = $1 and payment_id is not null and ${isReusable('$2')}
            order by reusable_at
            limit $3
              for update skip locked`,
    values: [bankCode, now, count],
  })
  return rows.map((row) => row.accountNumber)
}
