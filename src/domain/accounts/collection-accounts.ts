// Collection accounts: a permanent number and its ledger account, with further numbers at other banks
// on request. Only the client that created an account sees it; merchant labels grant no access.
//
// I8: a collection account is one ledger account; they share their id.

import type { BankSettings } from '#config/bank-settings.ts'
import type { Policy } from '#config/policy-settings.ts'
import { pipeline, type Transaction } from '#db/transaction.ts'
import { raiseAlerts } from '#domain/records/alerts.ts'
import {
  createOnce,
  findStoredKeys,
  type IdempotencyKey,
  type Once,
} from '#domain/records/idempotency.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import { findUsableSplits, getUsableSplit } from '#domain/splits/use-splits.ts'
import { Refusal } from '#errors.ts'
import type { AccountId, ClientId, SplitId } from '#ids.ts'
import { CURRENCY, kobo } from '#money.ts'
import type { Sealer } from '#seal.ts'
import type { AccountLimits } from './account-limits.ts'
import {
  ACCOUNT_COLUMNS,
  type AccountFields,
  type AccountRow,
  type CollectionAccount,
  decryptAccount,
} from './account-rows.ts'
import { drawNumbers, exhaustedAlert } from './additional-numbers.ts'
import {
  type CustomerReservation,
  openReservations,
  type ReservationDeps,
} from './customer-numbers.ts'
import { insertAccounts } from './insert-accounts.ts'
import { type KycInput, kycOf } from './kyc.ts'
import type { PayerRules } from './payer-rules.ts'

export {
  ACCOUNT_COLUMNS,
  type AccountFields,
  type AccountRow,
  type CollectionAccount,
  decryptAccount,
} from './account-rows.ts'

const OPERATION = 'create-collection-account'
const NO_LIMITS: AccountLimits = { perCreditKobo: null, perDayKobo: null, balanceMaxKobo: null }

export type AccountRequest = {
  clientId: ClientId
  fields: AccountFields
  kyc: KycInput
  payerRules: PayerRules | null
  banks?: readonly string[] | undefined // The banks of its additional numbers.
  splitCode?: string | null | undefined
  idempotencyKey?: string | undefined
  reserved?: Readonly<Record<string, string>> | undefined // Customer reservations by bank code.
}

// `bank` issues every new account's main number; `limits` are its default limits.
type Deps = {
  sealer: Sealer
  bank: BankSettings
  banks: readonly BankSettings[]
  limits: Limits
  now: Date
}
type Limits = Policy['limits']

// Hashes the fields in a fixed order, so that the order and unknown fields of the JSON do not matter.
// Includes KYC, banks and split only if the request has them, so that older idempotency keys still match.
function requestHash(sealer: Sealer, request: AccountRequest): Buffer {
  const { fields: f, kyc, payerRules, banks, splitCode } = request
  const { nin = null, kycTier = null, verifiedName = null } = kyc
  const kycValues = [nin, kycTier, verifiedName]
  return sealer.hash(
    OPERATION,
    JSON.stringify([
      f.accountName,
      f.bvn,
      f.email,
      f.merchantId,
      f.merchantCode,
      f.notificationUrl,
      f.phoneNumber,
      f.channel,
      payerRules,
      ...(kycValues.some((each) => each !== null) ? kycValues : []),
      ...(banks?.length ? [{ banks: banks.toSorted() }] : []),
      ...(splitCode ? [{ splitCode }] : []),
    ]),
  )
}

function keyOf(sealer: Sealer, request: AccountRequest): IdempotencyKey | undefined {
  const { clientId, idempotencyKey: key } = request
  if (key === undefined) return undefined
  return { clientId, key, requestHash: requestHash(sealer, request) }
}

// For banks that reserve numbers per customer. Undefined if the request's idempotency key was used
// before. Holds the key's lock, so that no other request can create the account between look-up and
// insert.
export async function openAccountReservations(
  tx: Transaction,
  deps: ReservationDeps,
  { banks, request }: { banks: readonly BankSettings[]; request: AccountRequest },
): Promise<CustomerReservation[] | undefined> {
  const { clientId, fields, kyc, splitCode } = request
  const key = keyOf(deps.sealer, request)
  if (key && (await findStoredKeys(tx, OPERATION, [key])).size > 0) return undefined
  await getUsableSplit(tx, { clientId, splitCode: splitCode || null })
  const { accountName: name, email, phoneNumber: phone, bvn } = fields
  return openReservations(tx, deps, {
    clientId,
    banks,
    request: [OPERATION, key?.key ?? '', requestHash(deps.sealer, request).toString('hex')],
    customer: { name, email, phone, bvn, nin: kyc.nin ?? null },
  })
}

export function createAccounts(
  tx: Transaction,
  deps: Deps,
  requests: readonly AccountRequest[],
): Promise<(Once<CollectionAccount> | Refusal)[]> {
  const { sealer, now } = deps
  return createOnce(tx, now, {
    operation: OPERATION,
    keys: requests.map((request) => keyOf(sealer, request)),
    make: (places) =>
      makeAccounts(
        tx,
        deps,
        places.map((at) => requests[at] as AccountRequest),
      ),
    resourceOf: (account) => account.accountNumber,
    find: (numbers) => findByNumbers(tx, sealer, numbers),
  })
}

// Refuses requests with an unusable split. Without split codes it runs no query.
async function makeAccounts(
  tx: Transaction,
  deps: Deps,
  requests: readonly AccountRequest[],
): Promise<(CollectionAccount | Refusal)[]> {
  const splits = await findUsableSplits(
    tx,
    requests.map(({ clientId, splitCode }) => ({ clientId, splitCode: splitCode || null })),
  )
  const usable: SplitRequest[] = []
  for (const [at, request] of requests.entries()) {
    const splitId = splits[at] ?? null
    if (!(splitId instanceof Refusal)) usable.push({ ...request, splitId })
  }
  const outcomes = await makeUsable(tx, deps, usable)
  return splits.map((split) => {
    return split instanceof Refusal ? split : (outcomes.shift() as CollectionAccount | Refusal)
  })
}

type SplitRequest = AccountRequest & { splitId: SplitId | null }

// Creates as many accounts as there are numbers. Refuses the rest and raises an alert.
async function makeUsable(
  tx: Transaction,
  deps: Deps,
  requests: readonly SplitRequest[],
): Promise<(CollectionAccount | Refusal)[]> {
  if (requests.length === 0) return []
  const { sealer, limits, now } = deps
  const idQuery = tx.query<{ id: AccountId }>({
    name: 'ledger-account-ids',
    text: `select nextval('ledger_account_ids') as id from generate_series(1, $1::int)`,
    values: [requests.length],
  })
  const [ids, { numbers, exhausted }] = await pipeline([idQuery, drawNumbers(tx, deps, requests)])
  const alertEvents = await raiseAlerts(tx, now, exhausted.map(exhaustedAlert))
  const made = requests.map(({ clientId, fields, kyc, payerRules, splitId, splitCode }, index) => {
    const own = numbers[index]
    if (!own) return undefined
    const account: CollectionAccount = {
      ...fields,
      ...own,
      ...kycOf(sealer, kyc),
      ...NO_LIMITS,
      defaultPerCreditKobo: limits.perCreditKobo,
      defaultPerDayKobo: limits.perDayKobo,
      limitProfileId: null,
      splitId,
      splitCode: splitCode || null,
      payerRules,
      id: (ids.rows[index] as { id: AccountId }).id,
      clientId,
      balanceKobo: kobo(0n),
      isDefault: false,
      isActive: true,
      currencyCode: CURRENCY,
      version: 1n,
      createdAt: now,
      updatedAt: now,
    }
    return account
  })
  const accounts = made.filter((account) => account !== undefined)
  if (accounts.length > 0) await insertAccounts(tx, deps, { accounts, otherEvents: alertEvents })
  else await appendEvents(tx, now, alertEvents)
  return made.map((account) => account ?? new Refusal('numbers_exhausted'))
}

const SELECT_ACCOUNT = `
  select ${ACCOUNT_COLUMNS}
    from collection_accounts a join ledger_accounts l on l.id = a.id`

async function findByNumbers(
  tx: Transaction,
  sealer: Sealer,
  accountNumbers: readonly string[],
): Promise<Map<string, CollectionAccount>> {
  if (accountNumbers.length === 0) return new Map()
  const { rows } = await tx.query<AccountRow>({
    name: 'collection-accounts-by-number',
    text: `${SELECT_ACCOUNT} where a.account_number = any($1::text[])`,
    values: [accountNumbers],
  })
  return new Map(rows.map((row) => [row.accountNumber, decryptAccount(sealer, row)]))
}
