// Asks banks that reserve a number only for a customer whom they can identify. No transaction is open
// during a call: the reservation is committed before, the number after it. A retry continues there.

import type { ReservationAnswer } from '#banks/connector.ts'
import { cleanText } from '#banks/credit-fields.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import { findCollectionBank } from '#config/number-settings.ts'
import { withTransaction } from '#db/transaction.ts'
import { openNumberReservation } from '#domain/accounts/add-number.ts'
import type { ChangeDeps } from '#domain/accounts/change-account.ts'
import {
  type AccountRequest,
  openAccountReservations,
} from '#domain/accounts/collection-accounts.ts'
import type { CustomerReservation } from '#domain/accounts/customer-numbers.ts'
import { recordReservation } from '#domain/accounts/number-pools.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'

const CALL_MS_MAX = 10_000 // Less than a caller waits for a response (response-deadline.ts).
const REASON_MAX = 200

// The banks at which the account needs a number of its customer's own.
function customerBanks(
  banks: readonly BankSettings[],
  { banks: also = [] }: Pick<AccountRequest, 'banks'>,
): BankSettings[] {
  const own = findCollectionBank(banks)
  const isNeeded = (bank: BankSettings) => bank === own || also.includes(bank.code)
  return banks.filter((bank) => bank.numbers === 'perCustomer' && isNeeded(bank))
}

// Many accounts would keep their caller waiting for as many calls.
export function refuseCustomerBanks(banks: readonly BankSettings[], request: AccountRequest): void {
  if (customerBanks(banks, request).length > 0) throw new Refusal('numbers_per_customer')
}

// The request with the reservations that its account uses. Without an Idempotency-Key, the reservation
// is its key, so that requests which share one make one account.
export async function reserveForAccount(
  deps: Deps,
  request: AccountRequest,
): Promise<AccountRequest> {
  const banks = customerBanks(deps.banks, request)
  if (banks.length === 0) return request
  const reservations = await withTransaction(deps.db, (tx) =>
    openAccountReservations(tx, reservationDeps(deps), { banks, request }),
  )
  const [first] = reservations ?? []
  if (!reservations || !first) return request
  for (const reservation of reservations) await reserve(deps, reservation)
  return {
    ...request,
    reserved: Object.fromEntries(reservations.map((each) => [each.bankCode, each.reference])),
    idempotencyKey: request.idempotencyKey ?? `reservation ${first.reference}`,
  }
}

// Undefined: the bank need not be asked.
export async function reserveForNumber(
  deps: Deps,
  by: ChangeDeps,
  number: { accountNumber: string; bank: BankSettings },
): Promise<CustomerReservation | undefined> {
  if (number.bank.numbers !== 'perCustomer') return undefined
  const reservation = await withTransaction(deps.db, (tx) =>
    openNumberReservation(tx, { ...by, ...reservationDeps(deps) }, number),
  )
  if (reservation) await reserve(deps, reservation)
  return reservation
}

function reservationDeps({ sealer, policy, clock }: Deps) {
  return { sealer, nameStyle: policy.accountName, now: clock() }
}

// What the bank refuses stays reserved for the same request: an answer to an earlier call may be on its
// way. The name at the bank is the customer's, and is not stored.
async function reserve(deps: Deps, reservation: CustomerReservation): Promise<void> {
  const { bankCode, reference, isReserved } = reservation
  if (isReserved) return
  const answer = await ask(deps, reservation)
  if (answer.status === 'no_answer') throw new Refusal('bank_silent')
  if (answer.status === 'refused') throw refusal(bankCode, answer.reason)
  const failure = await withTransaction(deps.db, (tx) =>
    recordReservation(tx, deps.clock(), {
      bankCode,
      reservation: { reference, purpose: 'static' },
      answer: { ...answer, accountName: '' },
    }),
  )
  if (failure !== undefined) throw refusal(bankCode, failure)
}

async function ask(
  { bankConnections }: Deps,
  { bankCode, reference, accountName, customer }: CustomerReservation,
): Promise<ReservationAnswer> {
  const reserveAccount = bankConnections.get(bankCode)?.calls.reserveAccount
  if (!reserveAccount) return { status: 'no_answer', reason: 'the bank cannot be asked' }
  const signal = AbortSignal.timeout(CALL_MS_MAX)
  return reserveAccount({ kind: 'static', reference, accountName, customer }, { signal })
}

function refusal(bankCode: string, reason: string): Refusal {
  const message = cleanText(reason, REASON_MAX) ?? 'The bank gave no reason.'
  return new Refusal('customer_refused', [{ field: `bank ${bankCode}`, message }])
}
