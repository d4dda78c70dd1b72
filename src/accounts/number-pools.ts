// Refilling a bank's pool of reserved numbers, counting a bank's free numbers, and adding a number to an
// account.
//
// A refill consists of three steps:
//
//   begin   under the lock of the pool: leases the pool, and adds reservations up to the target;
//   ask     the worker asks the bank, outside transactions, and records each answer at once;
//   end     releases the pool; after a failure, the next refill waits longer each time.
//
// Pending reservations count towards the target, so several processes together never reserve more. The
// lease only saves calls: two requests for one reservation return the same number.

import type { ReservationAnswer } from '#banks/connector.ts'
import { cleanText } from '#banks/credit-fields.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import { issuesNumbers, type Purpose, poolOf } from '#config/number-settings.ts'
import { isWaiting } from '#db/due.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import { clearAlert, type NewAlert, raiseAlerts } from '#records/alerts.ts'
import { appendEvents } from '#records/events.ts'
import {
  allNumbers,
  type BankNumber,
  type CollectionAccount,
  type CustomerReservation,
  findCustomerNumbers,
  insertAdditionalNumbers,
  openReservations,
  type ReservationDeps,
  useCustomerNumbers,
} from './account.ts'
import { queueBankChanges } from './bank-changes.ts'
import { type ChangeDeps, lockAccount, writeAccountChange } from './change.ts'
import { allotNumbers } from './number-shares.ts'
import { isReusable, takeStaticNumbers, UNISSUED } from './numbers.ts'
import {
  addReservations,
  dropReservation,
  findReservations,
  type Reservation,
  storeReserved,
} from './reserved-numbers.ts'

const BATCH_MAX = 20
const LEASE_MS = 60_000
const RETRY_MAX_MS = 300_000
const LOW_PERCENT = 20
const NUMBER_LENGTH_MAX = 20 // Truncates an invalid number for display.
const PURPOSES = ['static', 'dynamic'] as const

// Returns the reservations to request; undefined if the pool is full, another process is refilling it, or the
// bank failed recently.
export async function beginRefill(
  tx: Transaction,
  now: Date,
  bank: BankSettings,
): Promise<Reservation[] | undefined> {
  await tx.query({
    name: 'open-number-pool',
    text: 'insert into number_pools (bank_code) values ($1) on conflict do nothing',
    values: [bank.code],
  })
  const { rows } = await tx.query<{ isLeased: boolean; hasFailed: boolean }>({
    name: 'lock-number-pool',
    text: `select ${isWaiting('leased_until', { now: '$2', longest: LEASE_MS })} as is_leased,
                  ${isWaiting('retry_at', { now: '$2', longest: RETRY_MAX_MS })} as has_failed
             from number_pools where bank_code = $1 for no key update`,
    values: [bank.code, now],
  })
  const { isLeased, hasFailed } = rows[0] as { isLeased: boolean; hasFailed: boolean }
  if (isLeased) return undefined
  if (hasFailed) {
    // The level may have fallen since the failure, so the alert about a low pool may be due only now.
    await watchLevels(tx, now, { bank, isFailing: true })
    return undefined
  }
  const purposes = (await findMissing(tx, bank)).slice(0, BATCH_MAX)
  await addReservations(tx, now, { bankCode: bank.code, purposes })
  const reservations = await findReservations(tx, bank.code, BATCH_MAX)
  if (reservations.length === 0) {
    await watchLevels(tx, now, { bank, isFailing: false })
    return undefined
  }
  await tx.query({
    name: 'lease-number-pool',
    text: 'update number_pools set leased_until = $2 where bank_code = $1',
    values: [bank.code, new Date(now.getTime() + LEASE_MS)],
  })
  return reservations
}

type AnsweredReservation = { bankCode: string; reservation: Reservation; answer: ReservationAnswer }

// Stores the bank's answer to a reservation. Returns undefined if the bank returned a usable number,
// otherwise the reason why not.
export async function recordReservation(
  tx: Transaction,
  now: Date,
  { bankCode, reservation: { reference }, answer }: AnsweredReservation,
): Promise<string | undefined> {
  if (answer.status === 'no_answer') return answer.reason
  if (answer.status === 'refused') {
    await dropReservation(tx, reference)
    return answer.reason
  }
  if (await storeReserved(tx, now, { reference, ...answer })) return undefined
  const accountNumber = cleanText(answer.accountNumber, NUMBER_LENGTH_MAX) ?? ''
  const alert: NewAlert = {
    kind: 'number_refused',
    subject: `${bankCode} ${accountNumber}`,
    detail: { bank: bankCode, accountNumber },
  }
  await appendEvents(tx, now, await raiseAlerts(tx, now, [alert]))
  return `${accountNumber} cannot be used`
}

// Releases the pool. Returns whether another refill should follow at once. After failures, the next refill
// waits 2, 4, 8 … seconds, and at most five minutes.
export async function endRefill(
  tx: Transaction,
  now: Date,
  { bank, hasFailed }: { bank: BankSettings; hasFailed: boolean },
): Promise<boolean> {
  await tx.query({
    name: 'release-number-pool',
    text: `update number_pools
              set leased_until = null, failures = case when $2 then failures + 1 else 0 end,
                  retry_at = case when $2 then $3::timestamptz + make_interval(
                    secs => least(2 ^ least(failures + 1, 30), ${RETRY_MAX_MS / 1000})) end
            where bank_code = $1`,
    values: [bank.code, hasFailed, now],
  })
  await watchLevels(tx, now, { bank, isFailing: hasFailed })
  return !hasFailed && (await findMissing(tx, bank)).length > 0
}

type Level = { available: number; pending: number }

// Counts the numbers of the pool by purpose. Reservations with a request_hash belong to a customer, not to
// the pool.
async function readLevels(tx: Transaction, bankCode: string): Promise<Record<Purpose, Level>> {
  const { rows } = await tx.query<Level & { purpose: Purpose }>({
    name: 'number-pool-levels',
    text: `select p.purpose,
                  (select count(*)::int from reserved_numbers
                    where bank_code = $1 and purpose = p.purpose and state = 'available'
                      and request_hash is null) as available,
                  (select count(*)::int from reserved_numbers
                    where bank_code = $1 and purpose = p.purpose and state = 'asked'
                      and request_hash is null) as pending
             from unnest('{static,dynamic}'::text[]) as p (purpose)`,
    values: [bankCode],
  })
  const levelOf = (purpose: Purpose) => rows.find((row) => row.purpose === purpose) as Level
  return { static: levelOf('static'), dynamic: levelOf('dynamic') }
}

// Returns the purpose of each missing number: one that is neither available nor pending.
async function findMissing(tx: Transaction, bank: BankSettings): Promise<Purpose[]> {
  const levels = await readLevels(tx, bank.code)
  const pool = poolOf(bank)
  return PURPOSES.flatMap((purpose) => {
    const { available, pending } = levels[purpose]
    return Array<Purpose>(Math.max(0, pool[purpose] - available - pending)).fill(purpose)
  })
}

// Raises and clears the alerts about the bank's pool. A low pool raises one only if refilling fails.
async function watchLevels(
  tx: Transaction,
  now: Date,
  { bank, isFailing }: { bank: BankSettings; isFailing: boolean },
): Promise<void> {
  const levels = await readLevels(tx, bank.code)
  const pool = poolOf(bank)
  const alerts: NewAlert[] = []
  for (const purpose of PURPOSES) {
    const { available } = levels[purpose]
    const subject = `${bank.code} ${purpose}`
    const isLow = available * 100 < pool[purpose] * LOW_PERCENT
    if (isLow && isFailing) {
      const detail = { bank: bank.code, available, target: pool[purpose] }
      alerts.push({ kind: 'pool_low', subject, detail })
    }
    if (isLow) continue
    await clearAlert(tx, now, { kind: 'pool_low', subject })
    if (available > 0) await clearAlert(tx, now, { kind: 'numbers_exhausted', subject })
  }
  await appendEvents(tx, now, await raiseAlerts(tx, now, alerts))
}

// The number of dynamic numbers that each bank can still issue: those unused in its range or pool, and up to
// LOW_OF_RANGE of those whose quarantine has ended.

const FREE_LOW_PERCENT = 20 // The same percentage as for the alert pool_low.
const LOW_OF_RANGE = 1_000 // One batch takes at most this many.

export type FreeNumbers = { free: number; isLow: boolean }

// Counts the dynamic numbers that each bank can still issue: numbers of its range that were never issued,
// reserved numbers, and numbers whose quarantine is over (`again`). Routing avoids banks that are low on
// numbers.
export async function readFreeNumbers(
  db: Queryable,
  now: Date,
  banks: readonly BankSettings[],
): Promise<Map<string, FreeNumbers>> {
  const sources = banks.filter((bank) => bank.dynamic || bank.numbers === 'reserved')
  const { rows } = await db.query<{ bankCode: string; free: number }>({
    name: 'count-free-numbers',
    text: `select b.code as bank_code,
                  (coalesce((select ${UNISSUED} from number_ranges
                              where bank_code = b.code and purpose = 'dynamic'
                                and first_serial = b.first and last_serial = b.last), 0)
                   + (select count(*) from reserved_numbers
                       where bank_code = b.code and purpose = 'dynamic' and state = 'available'
                         and request_hash is null)
                   + (select count(*) from (select from numbers
                                             where bank_code = b.code and payment_id is not null
                                               and ${isReusable('$4')}
                                             limit ${LOW_OF_RANGE}) as again))::float8 as free
             from unnest($1::text[], $2::bigint[], $3::bigint[]) as b (code, first, last)`,
    values: [
      sources.map(({ code }) => code),
      sources.map(({ dynamic }) => dynamic?.from ?? null),
      sources.map(({ dynamic }) => dynamic?.to ?? null),
      now,
    ],
  })
  // Below this number, routing treats the bank as low on numbers.
  const lowMarkOf = (code: string) => {
    const bank = sources.find((each) => each.code === code) as BankSettings
    if (bank.numbers === 'reserved') return (poolOf(bank).dynamic * FREE_LOW_PERCENT) / 100
    return Math.min(LOW_OF_RANGE, (rangeSize(bank) * FREE_LOW_PERCENT) / 100)
  }
  return new Map(
    rows.map(({ bankCode, free }) => [bankCode, { free, isLow: free < lowMarkOf(bankCode) }]),
  )
}

function rangeSize({ dynamic }: BankSettings): number {
  return dynamic ? dynamic.to - dynamic.from + 1 : 0
}

// Adds a number at another bank to a collection account. Repeating the request returns the same number.
//
// Locks: the account, then the bank's range.

type NumberRequest = { accountNumber: string; bank: BankSettings }
type AddedNumber = NumberRequest & { reservation?: CustomerReservation | undefined }

// Opens a reservation at a bank that reserves numbers per customer. Locks the account, so that it has at most
// one reservation. Returns undefined if the account already has a number at the bank.
export async function openNumberReservation(
  tx: Transaction,
  deps: ChangeDeps & ReservationDeps,
  { accountNumber, bank }: NumberRequest,
): Promise<CustomerReservation | undefined> {
  const account = await lockWithNumbers(tx, deps, accountNumber)
  if (allNumbers(account).some(({ bankCode }) => bankCode === bank.code)) return undefined
  const { id, clientId, accountName: name, email, phoneNumber: phone, bvn, ninSealed } = account
  const nin = ninSealed && deps.sealer.open(ninSealed)
  const [reservation] = await openReservations(tx, deps, {
    clientId,
    banks: [bank],
    request: ['add-number', String(id)], // A repeated request finds the same reservation by these texts.
    customer: { name, email, phone, bvn, nin },
  })
  return reservation
}

// Draws a number at the bank and adds it to the account. A bank that reserves numbers per customer needs
// `reservation`.
export async function addNumber(
  tx: Transaction,
  deps: ChangeDeps,
  { accountNumber, bank, reservation }: AddedNumber,
): Promise<CollectionAccount> {
  const account = await lockWithNumbers(tx, deps, accountNumber)
  if (allNumbers(account).some(({ bankCode }) => bankCode === bank.code)) return account
  const drawnNumber = reservation
    ? await useReservation(tx, reservation)
    : await drawAllotted(tx, deps.now, { bank, clientId: account.clientId })
  if (!drawnNumber) throw new Refusal('numbers_exhausted')
  const number = { bankCode: bank.code, accountNumber: drawnNumber }
  const { additionalNumbers: formerNumbers } = account
  await insertAdditionalNumbers(tx, deps.now, [{ ...account, additionalNumbers: [number] }])
  const changed = await writeAccountChange(tx, deps, {
    account,
    changes: { additionalNumbers: [...(formerNumbers ?? []), number].sort(byBank) },
    names: ['account.add_number', 'account.updated'],
  })
  // The bank reserved a number of its pool without the account's name, so the bank is asked to rename it.
  if (bank.numbers === 'reserved') {
    const accountIds = [account.id]
    await queueBankChanges(tx, deps.now, { change: 'rename', accountIds, bankCode: bank.code })
  }
  return changed
}

// Draws a number if the client may hold one more. A refusal undoes the transaction, and with it the count.
async function drawAllotted(
  tx: Transaction,
  now: Date,
  { bank, clientId }: { bank: BankSettings; clientId: ClientId },
): Promise<string | undefined> {
  const demand = new Map([[clientId, 1]])
  const { allotted, alerts } = await allotNumbers(tx, now, { bank, purpose: 'static', demand })
  if (allotted.get(clientId) !== 1) throw new Refusal('number_ceiling_reached')
  await appendEvents(tx, now, await raiseAlerts(tx, now, alerts))
  return (await takeStaticNumbers(tx, bank, 1))[0]
}

// Reads the account twice: only the second statement sees a number that was added while the first one waited
// for the lock.
async function lockWithNumbers(tx: Transaction, deps: ChangeDeps, accountNumber: string) {
  await lockAccount(tx, deps, accountNumber)
  return lockAccount(tx, deps, accountNumber)
}

// Returns the reserved number. Undefined if the bank has not returned one, or if it is already in use.
async function useReservation(
  tx: Transaction,
  { reference }: CustomerReservation,
): Promise<string | undefined> {
  const numbers = await findCustomerNumbers(tx, [reference])
  await useCustomerNumbers(tx, [...numbers.keys()])
  return numbers.get(reference)?.[0]
}

const byBank = (one: BankNumber, other: BankNumber) => (one.bankCode < other.bankCode ? -1 : 1)

// Like requireIssuingBank, for the banks of a request's additional numbers. Returns each bank code once, and
// undefined if the request names no banks.
export function requireIssuingBanks(
  banks: readonly BankSettings[],
  bankCodes: readonly string[] | undefined,
): string[] | undefined {
  return bankCodes && [...new Set(bankCodes)].map((code) => requireIssuingBank(banks, code).code)
}

// Refuses a bank that issues no numbers for collection accounts.
export function requireIssuingBank(banks: readonly BankSettings[], bankCode: string): BankSettings {
  const bank = banks.find(({ code }) => code === bankCode)
  if (!bank || !issuesNumbers(bank, 'static')) throw new Refusal('bank_not_supported')
  return bank
}
