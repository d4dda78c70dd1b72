// The stored identifiers of credits: one table with one key, credits_taken_once. If two transactions
// bring the same credit by different routes, the second waits at that key for the first, fails, runs
// again and finds a duplicate. All write in the same order, so they cannot deadlock.

import { numberArray } from '#db/arrays.ts'
import { type ArrayParameter, texts, unless } from '#db/binary-arrays.ts'
import { bool, CopyTarget, int8, text } from '#db/copy-rows.ts'
import type { Queryable } from '#db/pool.ts'
import { PREFIX_SCAN_MAX } from '#db/prefixes.ts'
import { unseen } from '#db/statement-names.ts'
import type { Transaction } from '#db/transaction.ts'
import type { CreditId } from '#ids.ts'
import {
  type BankIdentifier,
  type IdentifierRow,
  identifierName,
  type KnownCredit,
} from './known-credits.ts'

type KnownRow = KnownCredit & BankIdentifier

// Finds known credits by identifier, with their first answer; a later closing of the payment (underpaid)
// does not change it. Runs one look-up by key per identifier, and searches archived credits only for an
// identifier without a live credit.
export async function findKnownCredits(
  tx: Transaction,
  identifiers: readonly BankIdentifier[],
): Promise<Map<string, KnownCredit>> {
  const { rows } = await tx.query<Omit<KnownRow, 'references'>>({
    name: 'find-taken-credits',
    text: `select i.value, i.bank_code as "bankCode", i.kind, c.id as "creditId",
                  c.account_number as "accountNumber", c.amount_kobo as "amountKobo", c.currency,
                  case when c.suspended_kobo < c.amount_kobo or c.reason = 'underpaid'
                       then 'booked' else 'suspended' end as outcome,
                  nullif(c.reason, 'underpaid') as reason,
                  case when c.reason = 'underpaid' then 0
                       else c.suspended_kobo end as "suspendedKobo"
             from unnest($1::text[], $2::text[], $3::text[]) as s (value, bank_code, kind)
             join lateral (select * from credit_identifiers i
                            where i.value = s.value and i.bank_code = coalesce(s.bank_code, $4)
                              and i.kind = coalesce(s.kind, 'session_id')
                            limit 1) i on true
             join lateral (select * from all_credits c where c.id = i.credit_id limit 1) c on true`,
    values: columnsOf(identifiers),
  })
  // Needed only to tell apart credits that share a weak identifier.
  const references = identifiers.some(({ isWeak }) => isWeak)
    ? await findReferences(tx, [...new Set(rows.map(({ creditId }) => creditId))])
    : NO_REFERENCES
  return new Map(
    rows.map((row) => {
      return [identifierName(row), { ...row, references: references.get(row.creditId) ?? [] }]
    }),
  )
}

const NO_REFERENCES: ReadonlyMap<CreditId, string[]> = new Map()

// All identifiers of each credit, as `kind/value`.
async function findReferences(tx: Transaction, ids: readonly CreditId[]) {
  if (ids.length === 0) return NO_REFERENCES
  const { rows } = await tx.query<{ id: CreditId; references: string[] }>({
    name: 'references-of-credits',
    text: `select c.id,
                  array(select f.kind || '/' || f.value from credit_identifiers f
                         where f.credit_id = c.id and not f.is_first
                        union all
                        select c.identified_by || '/' || c.session_id) as "references"
             from all_credits c where c.id = any($1::bigint[])`,
    values: [numberArray(ids)],
  })
  return new Map(rows.map((row) => [row.id, row.references]))
}

const IDENTIFIERS = new CopyTarget<IdentifierRow>('credit_identifiers', {
  value: text(({ value }) => value),
  bank_code: text(({ bankCode }) => bankCode),
  kind: text(({ kind }) => kind),
  credit_id: int8(({ creditId }) => creditId),
  is_first: bool(({ isFirst }) => isFirst),
})

export async function insertIdentifiers(
  tx: Transaction,
  rows: readonly IdentifierRow[],
): Promise<void> {
  await IDENTIFIERS.insert(tx, rows.toSorted(inOneOrder), undefined)
}

function inOneOrder(one: IdentifierRow, other: IdentifierRow): number {
  if (one.value !== other.value) return one.value < other.value ? -1 : 1
  return identifierName(one) < identifierName(other) ? -1 : 1
}

// Values, banks and kinds. Null stands for the usual bank, the last parameter, and for the usual kind:
// nearly all are equal.
function columnsOf(identifiers: readonly BankIdentifier[]): ArrayParameter[] {
  const usual = identifiers[0]?.bankCode ?? ''
  return [
    texts(identifiers, ({ value }) => value),
    texts(identifiers, ({ bankCode }) => unless(usual, bankCode)),
    texts(identifiers, ({ kind }) => unless('session_id', kind)),
    usual,
  ]
}

type Query = { originals: readonly string[]; currency: string; accountNumber?: string | undefined }

// The first of the ids that names a credit of this bank, live or archived, by any kind of identifier.
// Skips a credit to another number of ours than the bank names, because that number's owner would pay for
// the reversal.
export async function findOriginal(
  db: Queryable,
  bankCode: string,
  { originals, currency, accountNumber }: Query,
): Promise<string | undefined> {
  const { rows } = await db.query<{ value: string }>({
    name: 'find-reversed-credit',
    text: `select i.value from credit_identifiers i join all_credits c on c.id = i.credit_id
            where i.value = any($1::text[]) and i.bank_code = $2 and c.currency = $3
              and (c.account_number = $4
                   or not exists (select from numbers n where n.account_number = $4))
            order by array_position($1::text[], i.value)
            limit 1`,
    values: [originals, bankCode, currency, accountNumber ?? null],
  })
  return rows[0]?.value
}

// The ids of the credits with this identifier (SQL), of any kind and bank.
export const creditsCalled = (value: string) =>
  `array(select credit_id from credit_identifiers where value = ${value})`

// The ids of the credits with an identifier that starts with the prefix.
export const creditsCalledLike = (from: string, past: string) =>
  `array(select credit_id from credit_identifiers
          where value >= ${unseen(from)} and value < ${unseen(past)}
          order by value limit ${PREFIX_SCAN_MAX})`

// The identifiers of the credit `c` except its first, as JSON.
export const OTHER_IDENTIFIERS = `
  (select json_agg(json_build_object('kind', i.kind, 'value', i.value) order by i.kind, i.value)
     from credit_identifiers i where i.credit_id = c.id and not i.is_first)`
