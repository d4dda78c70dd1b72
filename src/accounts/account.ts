// Collection accounts: their names, their numbers (reserved for a customer, and additional), and their rows.

import type { AccountCustomer } from '#banks/connector.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import type { Queryable } from '#db/pool.ts'
import { numberArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import {
  type AccountId,
  type ClientId,
  type LimitProfileId,
  type SplitId,
  timeOrderedId,
} from '#ids.ts'
import type { Kobo } from '#money.ts'
import type { NewAlert } from '#records/alerts.ts'
import type { Sealer } from '#seal.ts'
import { SPLIT_CODE } from '#splits/split.ts'
import type { AccountLimits, Kyc } from './limits.ts'
import { allotNumbers, giveBack } from './number-shares.ts'
import { takeStaticNumbers } from './numbers.ts'
import type { PayerRules } from './payer-rules.ts'
import { makeAvailableAgain } from './reserved-numbers.ts'

// The account name that a payer's bank shows before sending, e.g. "Sandbox Merchant/Ada Obi". The
// merchant's part is the client's name, unless its branding sets another.
//
// Every account name uses this SQL column, so that bank, page and API show one name. Each key is the alias
// that the query gives to the table `clients`.
export const MERCHANT_NAME = {
  c: 'coalesce(c.brand_account_name, c.name) as merchant_name',
  k: 'coalesce(k.brand_account_name, k.name) as merchant_name',
} as const

// Writes the name of an account as banks show it, in a style such as `{merchant}/{customer}`.
export function accountName(
  style: string,
  { merchantName, customerName }: { merchantName: string; customerName: string },
): string {
  return style.replaceAll(/\{(merchant|customer)\}/g, (_, part) =>
    part === 'merchant' ? merchantName : customerName,
  )
}

// Numbers of banks that reserve a number only for a customer whom they can identify. There is no pool:
// the request that needs a number waits for the bank.
//
//   open    a transaction commits a reservation, with our reference for the request;
//   ask     the route asks the bank with that reference, outside transactions, and records the number;
//   use     the transaction that creates the account takes the number.
//
// I101: a repeated request finds its reservation and so asks the bank for the same number again. The
// reservation stores only a keyed hash of the customer's data, which is deleted when the number is used.

export type CustomerReservation = {
  bankCode: string
  reference: string
  isReserved: boolean // Whether the bank has answered with a number.
  accountName: string // The name that the bank's name enquiry shows.
  customer: AccountCustomer
}

export type ReservationDeps = { sealer: Sealer; nameStyle: string; now: Date }

type NewReservation = {
  clientId: ClientId
  banks: readonly BankSettings[]
  request: readonly string[] // Equal requests share one reservation per bank.
  customer: AccountCustomer
}

// Stores one reservation per bank, before the banks are asked. A repeated request finds its reservations with
// the same references (I101).
export async function openReservations(
  tx: Transaction,
  { sealer, nameStyle, now }: ReservationDeps,
  { clientId, banks, request, customer }: NewReservation,
): Promise<CustomerReservation[]> {
  const hashOf = ({ code }: BankSettings) =>
    sealer.hash('reservation', JSON.stringify([String(clientId), code, ...request]))
  const { rows } = await tx.query<
    Pick<CustomerReservation, 'bankCode' | 'reference' | 'isReserved'> & { merchantName: string }
  >({
    name: 'open-customer-reservations',
    text: `with opened as (
             insert into reserved_numbers (bank_code, purpose, reference, request_hash, asked_at)
             select r.bank_code, 'static', r.reference, r.request_hash, $4
               from unnest($1::text[], $2::uuid[], $3::bytea[])
                    as r (bank_code, reference, request_hash)
             -- Changes nothing, but returns the existing reservation of a repeated request.
             on conflict (request_hash) do update set request_hash = excluded.request_hash
             returning bank_code, reference, state
           )
           select o.bank_code, o.reference, o.state <> 'asked' as is_reserved,
                  ${MERCHANT_NAME.c}
             from opened o cross join clients c where c.id = $5
            order by o.bank_code`,
    values: [
      banks.map(({ code }) => code),
      banks.map(() => timeOrderedId(now)),
      banks.map(hashOf),
      now,
      clientId,
    ],
  })
  return rows.map(({ merchantName, ...reservation }) => ({
    ...reservation,
    accountName: accountName(nameStyle, { merchantName, customerName: customer.name }),
    customer,
  }))
}

// Maps each reference to a list with its one number, from which drawNumbers takes the number. Locks the rows
// until commit. Omits reservations without a number.
export async function findCustomerNumbers(
  tx: Transaction,
  references: readonly string[],
): Promise<Map<string, string[]>> {
  if (references.length === 0) return new Map()
  const { rows } = await tx.query<{ reference: string; accountNumber: string }>({
    name: 'find-customer-numbers',
    text: `select r.reference, r.account_number from reserved_numbers r
            where r.reference = any($1::uuid[]) and r.state = 'available'
              and r.request_hash is not null
              and not exists (select from numbers n where n.account_number = r.account_number)
            order by r.id
              for update`,
    values: [references],
  })
  return new Map(rows.map(({ reference, accountNumber }) => [reference, [accountNumber]]))
}

// After this time, no request can still be waiting for the bank.
const ABANDONED_MS = 3_600_000
const ABANDONED_MAX = 20 // For each bank.

export type AbandonedReservation = {
  bankCode: string
  reference: string // The reference under which the bank has the reservation.
  accountNumber: string | null // Null if the bank never answered. It may still have reserved a number.
  askedAt: Date
}

// Reservations whose account was never created. Only a repeat of the same request can still use them. Lists
// the oldest of each bank first.
export async function readAbandonedReservations(
  db: Queryable,
  now: Date,
): Promise<AbandonedReservation[]> {
  const { rows } = await db.query<AbandonedReservation>({
    name: 'read-abandoned-reservations',
    text: `select bank_code, reference, account_number, asked_at
             from (select r.*, row_number() over (partition by bank_code order by asked_at, id) as place
                     from reserved_numbers r
                    where request_hash is not null and state in ('asked', 'available')
                      and asked_at < $1) as abandoned
            where place <= ${ABANDONED_MAX}
            order by bank_code, place`,
    values: [new Date(now.getTime() - ABANDONED_MS)],
  })
  return rows
}

// Call when the numbers belong to accounts. Deletes the hash of the customer's data, which only a repeated
// request needed.
export async function useCustomerNumbers(
  tx: Transaction,
  references: readonly string[],
): Promise<void> {
  if (references.length === 0) return
  await tx.query({
    name: 'use-customer-numbers',
    text: `update reserved_numbers set state = 'used', request_hash = null
            where reference = any($1::uuid[])`,
    values: [references],
  })
}

// Additional numbers of a collection account: at most one at each other bank, permanently. Money
// sent to any of them belongs to the account.
//
// The account's row holds its main number. Additional numbers are only in `numbers`, with the time
// they were added, so look-ups by number must use `numbers`.

export type BankNumber = { bankCode: string; accountNumber: string }

export type AccountNumbers = BankNumber & {
  additionalNumbers: readonly BankNumber[] | null // Ordered by bank code. Null if there are none.
}

// SQL column of the account `a`. The index contains additional numbers only, so that for nearly all accounts
// the column costs one empty look-up.
export const ADDITIONAL_NUMBERS = `
  (select json_agg(json_build_object('bankCode', n.bank_code, 'accountNumber', n.account_number)
                   order by n.bank_code)
     from numbers n
    where n.collection_account_id = a.id and n.added_at is not null) as additional_numbers`

// SQL scalar: the id of the account that has this main or additional number.
export const accountWithNumber = (accountNumber: string) =>
  `(select collection_account_id from numbers where account_number = ${accountNumber})`

// SQL array: the main number and the additional numbers of an account.
export const numbersOfAccount = (id: string) => `array(
  select account_number from collection_accounts where id = ${id}
  union all
  select account_number from numbers where collection_account_id = ${id} and added_at is not null)`

export function allNumbers(account: AccountNumbers): BankNumber[] {
  const { bankCode, accountNumber, additionalNumbers } = account
  return [{ bankCode, accountNumber }, ...(additionalNumbers ?? [])]
}

export function hasNumber(account: AccountNumbers, accountNumber: string): boolean {
  return allNumbers(account).some((number) => number.accountNumber === accountNumber)
}

type NumberNeeds = {
  clientId: ClientId
  banks?: readonly string[] | undefined // In addition to the account's own bank.
  reserved?: Readonly<Record<string, string>> | undefined // Customer reservations by bank code.
}

// Draws numbers for new accounts, at the main bank and at each further bank that a request names. A number
// that a bank reserved for the customer comes from its reservation, any other from the bank's range or pool.
// Returns one result per request, in the same order: undefined if one of its banks has no number available,
// or if its client would hold too many numbers of a bank (`refused`). Locks shares and ranges in the
// configured order of banks, as all code does.
export async function drawNumbers(
  tx: Transaction,
  { bank: mainBank, banks, now }: { bank: BankSettings; banks: readonly BankSettings[]; now: Date },
  requests: readonly NumberNeeds[],
): Promise<{
  numbers: (AccountNumbers | undefined)[]
  refused: ReadonlySet<NumberNeeds>
  alerts: NewAlert[]
}> {
  const customerNumbers = await findCustomerNumbers(
    tx,
    requests.flatMap(({ reserved }) => Object.values(reserved ?? {})),
  )
  const stock = new Map<string, string[]>() // The numbers that were drawn at each bank.
  const alerts: NewAlert[] = []
  const refused = new Set<NumberNeeds>()
  const unused: { bank: BankSettings; counts: Map<ClientId, number> }[] = []
  for (const bank of banks) {
    const needsBank = ({ banks: additionalCodes }: NumberNeeds) =>
      bank === mainBank || additionalCodes?.includes(bank.code)
    const needing = requests.filter((request) => needsBank(request) && !refused.has(request))
    if (needing.length === 0 || bank.numbers === 'perCustomer') continue
    const demand = new Map<ClientId, number>()
    for (const { clientId } of needing) demand.set(clientId, (demand.get(clientId) ?? 0) + 1)
    const allotment = await allotNumbers(tx, now, { bank, purpose: 'static', demand })
    alerts.push(...allotment.alerts)
    const counts = new Map(allotment.allotted)
    unused.push({ bank, counts })
    for (const request of needing) {
      const left = allotment.allotted.get(request.clientId) ?? 0
      allotment.allotted.set(request.clientId, left - 1)
      if (left <= 0) refused.add(request)
    }
    const count = [...counts.values()].reduce((sum, each) => sum + each, 0)
    const drawnNumbers = count > 0 ? await takeStaticNumbers(tx, bank, count) : []
    stock.set(bank.code, drawnNumbers)
    if (drawnNumbers.length < count) alerts.push(exhaustedAlert(bank))
  }
  const use = (clientId: ClientId, bankCode: string) => {
    const counts = unused.find(({ bank }) => bank.code === bankCode)?.counts
    counts?.set(clientId, (counts.get(clientId) ?? 0) - 1)
  }
  const numbers = requests.map((request): AccountNumbers | undefined => {
    const { clientId, banks: additionalCodes = [], reserved } = request
    if (refused.has(request)) return undefined
    const stockAt = (code: string) => customerNumbers.get(reserved?.[code] ?? '') ?? stock.get(code)
    const codes = [
      mainBank.code,
      ...additionalCodes.filter((code) => code !== mainBank.code).toSorted(),
    ]
    if (!codes.every((code) => stockAt(code)?.length)) return undefined
    for (const code of codes) use(clientId, code)
    const [mainNumber, ...additionalNumbers] = codes.map((bankCode) => ({
      bankCode,
      accountNumber: stockAt(bankCode)?.shift() as string,
    }))
    return {
      ...(mainNumber as BankNumber),
      additionalNumbers: additionalNumbers.length > 0 ? additionalNumbers : null,
    }
  })
  // Returns reserved numbers that a refused request did not use. Unused serials of a range are lost.
  await makeAvailableAgain(tx, [...stock.values()].flat())
  for (const { bank, counts } of unused) {
    await giveBack(tx, { bank, purpose: 'static', unused: counts })
  }
  // A reservation whose list is empty now has given its number to an account.
  await useCustomerNumbers(
    tx,
    [...customerNumbers].flatMap(([reference, unused]) => (unused.length === 0 ? reference : [])),
  )
  return { numbers, refused, alerts }
}

export function exhaustedAlert({ code }: BankSettings): NewAlert {
  return { kind: 'numbers_exhausted', subject: `${code} static`, detail: { bank: code } }
}

type NumberedAccount = AccountNumbers & { id: AccountId; clientId: ClientId }

// Stores the additional numbers of these accounts. The main number is stored with its account.
export async function insertAdditionalNumbers(
  tx: Transaction,
  now: Date,
  accounts: readonly NumberedAccount[],
): Promise<void> {
  const numbers = accounts.flatMap(({ id, clientId, additionalNumbers }) =>
    (additionalNumbers ?? []).map((number) => ({ id, clientId, ...number })),
  )
  if (numbers.length === 0) return
  await tx.query({
    name: 'insert-additional-numbers',
    text: `insert into numbers
             (account_number, bank_code, client_id, collection_account_id, added_at)
           select n.*, $5
             from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) as n`,
    values: [
      numbers.map((number) => number.accountNumber),
      numbers.map((number) => number.bankCode),
      numberArray(numbers.map((number) => number.clientId)),
      numberArray(numbers.map((number) => number.id)),
      now,
    ],
  })
}

// The limits that were configured when the account was created. They apply until the client sets its own.
// Null means none.
type DefaultLimits = { defaultPerCreditKobo: Kobo | null; defaultPerDayKobo: Kobo | null }

export type AccountFields = {
  accountName: string
  bvn: string
  email: string
  merchantId: string
  merchantCode: string
  notificationUrl: string
  phoneNumber: string
  channel: string
}

// The limits are the account's own; `readLimits` returns the limits in force.
export type CollectionAccount = AccountFields &
  Kyc &
  AccountLimits &
  DefaultLimits &
  AccountNumbers & {
    id: AccountId
    clientId: ClientId
    balanceKobo: Kobo
    isDefault: boolean
    isActive: boolean
    currencyCode: string
    payerRules: PayerRules | null
    limitProfileId: LimitProfileId | null
    splitId: SplitId | null
    splitCode: string | null
    version: bigint // Incremented by every change.
    createdAt: Date
    updatedAt: Date
  }

export type AccountRow = Omit<CollectionAccount, 'bvn'> & { bvnSealed: Buffer }

export const ACCOUNT_COLUMNS = `
         a.id, a.client_id, a.bank_code, a.account_number, a.account_name, a.bvn_sealed, a.email,
         a.merchant_id, a.merchant_code, a.notification_url, a.phone_number, a.channel,
         a.currency_code, a.payer_rules, a.is_default, a.is_active, a.created_at, a.updated_at,
         a.version, a.own_per_credit_kobo as per_credit_kobo, a.own_per_day_kobo as per_day_kobo,
         a.own_balance_max_kobo as balance_max_kobo, a.default_per_credit_kobo,
         a.default_per_day_kobo, a.limit_profile_id, a.nin_sealed, a.nin_hash, a.kyc_tier,
         a.tier_in_force, a.verified_name, a.split_id, ${SPLIT_CODE},
         l.credits_kobo - l.debits_kobo as balance_kobo,
         ${ADDITIONAL_NUMBERS}`

// Changes the row in place: copying two dozen fields costs more than reading them from the database.
export function decryptAccount(sealer: Sealer, row: AccountRow): CollectionAccount {
  const account = row as AccountRow & { bvn: string }
  account.bvn = sealer.open(row.bvnSealed)
  return account
}
