// POST /api/v1/accounts/static/{accountNumber}/numbers: a number at another bank for a collection
// account.

import { Type } from '@fastify/type-provider-typebox'
import type { ReservationAnswer } from '#banks/connector.ts'
import { cleanText } from '#banks/credit-fields.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import { findCollectionBank } from '#config/number-settings.ts'
import { withTransaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { withCaller } from '#http/caller.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withPreparation } from '#http/idempotency.ts'
import { type Call, resource } from '#http/resource.ts'
import { raiseAlerts } from '#records/alerts.ts'
import { appendEvents } from '#records/events.ts'
import { type CustomerReservation, exhaustedAlert } from './account.ts'
import type { ChangeDeps } from './change.ts'
import { type AccountRequest, openAccountReservations } from './create.ts'
import {
  addNumber,
  openNumberReservation,
  recordReservation,
  requireIssuingBank,
} from './number-pools.ts'
import {
  ACCOUNTS,
  BankCode,
  etagMatcher,
  IfMatchHeader,
  OWN_ACCOUNTS,
  OwnAccountView,
  sendEtag,
  withLimitsOf,
} from './views.ts'

// Some banks reserve a number only for a customer whom they can identify. No transaction is open during
// a call: the reservation is committed before the call, and the number after it. A retry continues with the
// same reservation.

const CALL_MS_MAX = 10_000 // Less than a caller waits for a response (http/requests.ts).
const REASON_MAX = 200

// Returns the banks that must reserve a number for the account's own customer.
function customerBanks(
  banks: readonly BankSettings[],
  { banks: additionalCodes = [] }: Pick<AccountRequest, 'banks'>,
): BankSettings[] {
  const mainBank = findCollectionBank(banks)
  const isNeeded = (bank: BankSettings) => bank === mainBank || additionalCodes.includes(bank.code)
  return banks.filter((bank) => bank.numbers === 'perCustomer' && isNeeded(bank))
}

// Refuses an item of a bulk request if one of its banks needs a call for each account, because the caller
// would wait for the calls of all items.
export function refuseCustomerBanks(banks: readonly BankSettings[], request: AccountRequest): void {
  if (customerBanks(banks, request).length > 0) throw new Refusal('numbers_per_customer')
}

// Reserves the numbers that the request needs per customer, and returns the request with the reservations.
// Without an Idempotency-Key, the reservation serves as the key, so that requests that share a reservation
// create one account.
export async function reserveForAccount(
  deps: Deps & Pick<Call, 'request'>,
  request: AccountRequest,
): Promise<AccountRequest> {
  const banks = customerBanks(deps.banks, request)
  if (banks.length === 0) return request
  const reservations = await withCaller(deps, { ...deps, pool: deps.db }, (tx) =>
    openAccountReservations(tx, reservationDeps(deps), { banks, request }),
  )
  const [firstReservation] = reservations ?? []
  if (!reservations || !firstReservation) return request
  for (const reservation of reservations) await reserveAtBank(deps, reservation)
  return {
    ...request,
    reserved: Object.fromEntries(reservations.map((each) => [each.bankCode, each.reference])),
    idempotencyKey: request.idempotencyKey ?? `reservation ${firstReservation.reference}`,
  }
}

// Reserves the number that will be added to an account. Returns undefined if the bank's numbers need no
// reservation.
async function reserveForNumber(
  deps: Deps & Pick<Call, 'request'>,
  by: ChangeDeps,
  number: { accountNumber: string; bank: BankSettings },
): Promise<CustomerReservation | undefined> {
  if (number.bank.numbers !== 'perCustomer') return undefined
  const reservation = await withCaller(deps, { ...deps, pool: deps.db }, (tx) =>
    openNumberReservation(tx, { ...by, ...reservationDeps(deps) }, number),
  )
  if (reservation) await reserveAtBank(deps, reservation)
  return reservation
}

function reservationDeps({ sealer, policy, clock }: Deps) {
  return { sealer, nameStyle: policy.accountName, now: clock() }
}

// Asks the bank for the number of a reservation and stores it, unless that is done already. A reservation
// that the bank refuses stays open for the same request, because the answer to an earlier call may be on its
// way. The account name in the bank's answer is the customer's name, so it is not stored.
async function reserveAtBank(deps: Deps, reservation: CustomerReservation): Promise<void> {
  const { bankCode, reference, isReserved } = reservation
  if (isReserved) return
  const answer = await callBank(deps, reservation)
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

// Asks the bank for a number, with a deadline. A bank without this call counts as silent.
async function callBank(
  { bankConnections }: Deps,
  { bankCode, reference, accountName, customer }: CustomerReservation,
): Promise<ReservationAnswer> {
  const reserveAccount = bankConnections.get(bankCode)?.calls.reserveAccount
  if (!reserveAccount) return { status: 'no_answer', reason: 'the bank cannot be asked' }
  const signal = AbortSignal.timeout(CALL_MS_MAX)
  return reserveAccount({ kind: 'static', reference, accountName, customer }, { signal })
}

// The refusal of a request for which the bank reserved no number, with the bank's reason.
function refusal(bankCode: string, reason: string): Refusal {
  const message = cleanText(reason, REASON_MAX) ?? 'The bank gave no reason.'
  return new Refusal('customer_refused', [{ field: `bank ${bankCode}`, message }])
}

export const accountNumbers = resource(ACCOUNTS, OWN_ACCOUNTS).route(
  'POST',
  'addCollectionAccountNumber',
  {
    path: '/:accountNumber/numbers',
    summary: 'Add a number at another bank',
    description:
      'Money sent to any number of the account is booked to it. Idempotent: an account has ' +
      'one number at each bank, for ever.',
    headers: IfMatchHeader,
    isKeyed: true,
    body: Type.Object(
      { bankCode: BankCode },
      { additionalProperties: false, 'x-says': 'Must be an object with bankCode.' },
    ),
    errors: [
      'account_changed',
      'account_erased',
      'account_not_found',
      'bank_not_supported',
      'bank_silent',
      'customer_refused',
      'number_ceiling_reached',
      'numbers_exhausted',
    ],
    handle: async (call) => {
      const { accountNumber } = call.params
      const bank = requireIssuingBank(call.banks, call.body.bankCode)
      const by = { ...call, isCurrent: etagMatcher(call.request) }
      const prepare = () => reserveForNumber(call, by, { accountNumber, bank })
      try {
        const keyed = { request: call.request, reply: call.reply, prepare }
        // `reservation` is the result of `prepare`, which runs before the transaction and may ask the bank.
        const answer = await withPreparation(call, keyed, async (tx, reservation) => {
          const number = { accountNumber, bank, reservation }
          const account = await addNumber(tx, { ...by, now: call.clock() }, number)
          const ownAccount = await withLimitsOf(tx, account)
          return accepted('Number added successfully', OwnAccountView.present(ownAccount, call))
        })
        sendEtag(call, answer.data)
        return answer
      } catch (error) {
        if (error instanceof Refusal && error.code === 'numbers_exhausted') {
          await reportExhausted(call, bank)
        }
        throw error
      }
    },
  },
)

// Raises the alert that the bank has no numbers left. Uses a separate transaction, because the transaction of
// the refused request is rolled back.
async function reportExhausted({ db, clock }: Deps, bank: BankSettings): Promise<void> {
  const now = clock()
  await withTransaction(db, async (tx) =>
    appendEvents(tx, now, await raiseAlerts(tx, now, [exhaustedAlert(bank)])),
  )
}
