// Collection accounts: a permanent number and the ledger account behind it, with further numbers at
// other banks on request. Visible to the client
// that created it; merchant labels grant nothing.
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
import { type GivenKyc, kycOf } from './kyc.ts'
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
  kyc: GivenKyc
  payerRules: PayerRules | null
  banks?: readonly string[] | undefined // Where it gets additional numbers.
  splitCode?: string | null | undefined
  idempotencyKey?: string | undefined
  reserved?: Readonly<Record<string, string>> | undefined // By bank code: reservations of its customer.
}

// `bank` issues the own number, and `limits` are the defaults, of every new account.
type Deps = {
  sealer: Sealer
  bank: BankSettings
  banks: readonly BankSettings[]
  limits: Limits
  now: Date
}
type Limits = Policy['limits']

// Of the fields in a fixed order, so that the order and the extras of the JSON do not matter. KYC,
// banks and split are part of it only where they are given: keys from before there were any still fit.
function requestHash(sealer: Sealer, request: AccountRequest): Buffer {
  const { fields: f, kyc, payerRules, banks, splitCode } = request
  const { nin = null, kycTier = null, verifiedName = null } = kyc
  const given = [nin, kycTier, verifiedName]
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
      ...(given.some((each) => each !== null) ? given : []),
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

// At banks that reserve a number only for its customer. Undefined: the key of the request was used
// before. Its lock is held meanwhile, so that the account cannot be made between look-up and insert.
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

// Answers each request on its own, in order: the account, or why not.
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

// Those whose split is theirs; nothing is asked where none is given.
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
  const made = await makeUsable(tx, deps, usable)
  return splits.map((split) => {
    return split instanceof Refusal ? split : (made.shift() as CollectionAccount | Refusal)
  })
}

type SplitRequest = AccountRequest & { splitId: SplitId | null }

// As many as there are numbers; the rest are refused, and an alert is raised.
async function makeUsable(
  tx: Transaction,
  deps: Deps,
  requests: readonly SplitRequest[],
): Promise<(CollectionAccount | Refusal)[]> {
  if (requests.length === 0) return []
  const { sealer, limits, now } = deps
  const idsAsked = tx.query<{ id: AccountId }>({
    name: 'ledger-account-ids',
    text: `select nextval('ledger_account_ids') as id from generate_series(1, $1::int)`,
    values: [requests.length],
  })
  const [ids, { numbers, exhausted }] = await pipeline([idsAsked, drawNumbers(tx, deps, requests)])
  const told = await raiseAlerts(tx, now, exhausted.map(exhaustedAlert))
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
  if (accounts.length > 0) await insertAccounts(tx, deps, { accounts, told })
  else await appendEvents(tx, now, told)
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
