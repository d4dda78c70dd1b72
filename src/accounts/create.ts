// Creates collection accounts: each has a permanent number and a ledger account, and on request further
// numbers at other banks. Only the client that created an account sees it; merchant labels grant no access.
//
// I8: a collection account is one ledger account; they share their id.

import type { SignedInSession } from '#access/sessions.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import type { Policy } from '#config/policy-settings.ts'
import { numberArray } from '#db/sql.ts'
import { pipeline, type Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { queueChecks } from '#identity/checks.ts'
import { LOWEST_TIER } from '#identity/tiers.ts'
import type { AccountId, ClientId, SplitId } from '#ids.ts'
import { CURRENCY, kobo } from '#money.ts'
import { raiseAlerts } from '#records/alerts.ts'
import { appendEvents, type NewEvent } from '#records/events.ts'
import { createOnce, findStoredKeys, type IdempotencyKey, type Once } from '#records/idempotency.ts'
import type { Sealer } from '#seal.ts'
import { findUsableSplits, getUsableSplit } from '#splits/split.ts'
import {
  ACCOUNT_COLUMNS,
  type AccountFields,
  type AccountRow,
  type CollectionAccount,
  type CustomerReservation,
  decryptAccount,
  drawNumbers,
  insertAdditionalNumbers,
  openReservations,
  type ReservationDeps,
} from './account.ts'
import { nameAtBanks } from './bank-changes.ts'
import { type AccountLimits, type KycInput, kycOf } from './limits.ts'
import type { PayerRules } from './payer-rules.ts'

// Inserts new collection accounts, each with its ledger account and its numbers. Appends `otherEvents` after
// the events of the accounts.
async function insertAccounts(
  tx: Transaction,
  {
    sealer,
    banks,
    verifiesIdentity,
    now,
  }: Pick<Deps, 'sealer' | 'banks' | 'verifiesIdentity' | 'now'>,
  {
    accounts,
    otherEvents,
  }: { accounts: readonly CollectionAccount[]; otherEvents: readonly NewEvent[] },
): Promise<void> {
  const ids = numberArray(accounts.map((account) => account.id))
  const clientIds = numberArray(accounts.map((account) => account.clientId))
  const numbers = accounts.map((account) => account.accountNumber)
  const bankCodes = accounts.map((account) => account.bankCode)
  await pipeline([
    tx.query({
      name: 'open-collection-ledger-accounts',
      text: `insert into ledger_accounts (id, kind, currency, opened_at)
             select id, 'collection', '${CURRENCY}', $2 from unnest($1::bigint[]) as id`,
      values: [ids, now],
    }),
    tx.query({
      name: 'insert-collection-accounts',
      text: `insert into collection_accounts
               (id, client_id, account_number, bank_code, account_name, bvn_sealed, bvn_hash,
                email, merchant_id, merchant_code, notification_url, phone_number, channel,
                payer_rules, default_per_credit_kobo, default_per_day_kobo, nin_sealed, nin_hash,
                kyc_tier, verified_name, split_id, tier_in_force, currency_code, created_at,
                updated_at)
             select a.*, ${LOWEST_TIER}, '${CURRENCY}', $22, $22
               from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[],
                           $6::bytea[], $7::bytea[], $8::text[], $9::text[], $10::text[],
                           $11::text[], $12::text[], $13::text[], $14::jsonb[], $15::bigint[],
                           $16::bigint[], $17::bytea[], $18::bytea[], $19::smallint[],
                           $20::text[], $21::bigint[]) as a`,
      values: [
        ids,
        clientIds,
        numbers,
        bankCodes,
        accounts.map((account) => account.accountName),
        accounts.map((account) => sealer.seal(account.bvn)),
        accounts.map((account) => sealer.hash('bvn', account.bvn)),
        accounts.map((account) => account.email),
        accounts.map((account) => account.merchantId),
        accounts.map((account) => account.merchantCode),
        accounts.map((account) => account.notificationUrl),
        accounts.map((account) => account.phoneNumber),
        accounts.map((account) => account.channel),
        accounts.map((account) => account.payerRules && JSON.stringify(account.payerRules)),
        numberArray(accounts.map((account) => account.defaultPerCreditKobo)),
        numberArray(accounts.map((account) => account.defaultPerDayKobo)),
        accounts.map((account) => account.ninSealed),
        accounts.map((account) => account.ninHash),
        accounts.map((account) => account.kycTier),
        accounts.map((account) => account.verifiedName),
        numberArray(accounts.map((account) => account.splitId)),
        now,
      ],
    }),
    tx.query({
      name: 'insert-static-numbers',
      text: `insert into numbers (account_number, bank_code, client_id, collection_account_id)
             select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[])`,
      values: [numbers, bankCodes, clientIds, ids],
    }),
    insertAdditionalNumbers(tx, now, accounts),
    ...(verifiesIdentity
      ? [
          queueChecks(
            tx,
            now,
            accounts.map(({ id }) => id),
          ),
        ]
      : []),
    nameAtBanks(tx, { banks, now }, accounts),
    appendEvents(tx, now, [...accounts.map(createdEvent), ...otherEvents]),
  ])
}

function createdEvent({ id, clientId }: CollectionAccount): NewEvent {
  const facts = { accountBalanceKobo: kobo(0n), isActive: true, isDefault: false }
  return { clientId, type: 'account.created', collectionAccountId: id, facts }
}

const OPERATION = 'create-collection-account'
const NO_LIMITS: AccountLimits = { perCreditKobo: null, perDayKobo: null, balanceMaxKobo: null }

export type AccountRequest = {
  clientId: ClientId
  fields: AccountFields
  kyc: KycInput
  payerRules: PayerRules | null
  banks?: readonly string[] | undefined // The banks of the additional numbers.
  splitCode?: string | null | undefined
  idempotencyKey?: string | undefined
  reserved?: Readonly<Record<string, string>> | undefined // Customer reservations by bank code.
  session?: SignedInSession | undefined // The creator's, if a person (credits/writers.ts).
}

// `bank` issues every new account's main number; `limits` are its default limits.
type Deps = {
  sealer: Sealer
  bank: BankSettings
  banks: readonly BankSettings[]
  limits: Policy['limits']
  now: Date
  verifiesIdentity?: boolean // Whether there is an identity service. Defaults to false.
  keyedAt?: Date // When the idempotency keys were used, in real time. Defaults to now.
}

// Hashes the fields (`f`) in a fixed order, so that the order and unknown fields of the JSON do not matter.
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

// The idempotency key of a request, with the hash that recognises a different request under the same key.
// Undefined for a request without a key.
function keyOf(sealer: Sealer, request: AccountRequest): IdempotencyKey | undefined {
  const { clientId, idempotencyKey: key } = request
  if (key === undefined) return undefined
  return { clientId, key, requestHash: requestHash(sealer, request) }
}

// Opens reservations at banks that reserve numbers per customer. Returns undefined if the request's
// idempotency key was used before. Holds the key's lock, so that no other request can create the account
// between look-up and insert.
export async function openAccountReservations(
  tx: Transaction,
  deps: ReservationDeps,
  { banks, request }: { banks: readonly BankSettings[]; request: AccountRequest },
): Promise<CustomerReservation[] | undefined> {
  const { clientId, fields, kyc, splitCode } = request
  const key = keyOf(deps.sealer, request)
  if (key && (await findStoredKeys(tx, OPERATION, [key])).size > 0) return undefined
  await getUsableSplit(tx, { clientId, splitCode: splitCode || null }) // Refuses before the bank is asked.
  const { accountName: name, email, phoneNumber: phone, bvn } = fields
  return openReservations(tx, deps, {
    clientId,
    banks,
    request: [OPERATION, key?.key ?? '', requestHash(deps.sealer, request).toString('hex')],
    customer: { name, email, phone, bvn, nin: kyc.nin ?? null },
  })
}

// Creates the accounts of a batch of requests. A repeated idempotency key returns the account that it created
// before.
export function createAccounts(
  tx: Transaction,
  deps: Deps,
  requests: readonly AccountRequest[],
): Promise<(Once<CollectionAccount> | Refusal)[]> {
  const { sealer, keyedAt = deps.now } = deps // `keyedAt` is in real time, also under a test clock.
  return createOnce(tx, keyedAt, {
    operation: OPERATION,
    keys: requests.map((request) => keyOf(sealer, request)),
    // `places` are the positions of the requests that create an account now.
    make: (places) =>
      makeAccounts(
        tx,
        deps,
        places.map((place) => requests[place] as AccountRequest),
      ),
    resourceOf: (account) => account.accountNumber,
    find: (numbers) => findByNumbers(tx, sealer, numbers),
  })
}

// Refuses requests with an unusable split, and creates the accounts of the others. Without split codes,
// looking for splits costs no query.
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
  for (const [index, request] of requests.entries()) {
    const splitId = splits[index] ?? null
    if (!(splitId instanceof Refusal)) usable.push({ ...request, splitId })
  }
  const outcomes = await makeNumberedAccounts(tx, deps, usable)
  return splits.map((split) => {
    return split instanceof Refusal ? split : (outcomes.shift() as CollectionAccount | Refusal)
  })
}

type SplitRequest = AccountRequest & { splitId: SplitId | null }

// Creates as many accounts as there are numbers. Refuses the rest and raises an alert.
async function makeNumberedAccounts(
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
  const [ids, { numbers, refused, alerts }] = await pipeline([
    idQuery,
    drawNumbers(tx, deps, requests),
  ])
  const alertEvents = await raiseAlerts(tx, now, alerts)
  const accountsOrNone = requests.map(
    ({ clientId, fields, kyc, payerRules, splitId, splitCode }, index) => {
      const accountNumbers = numbers[index]
      if (!accountNumbers) return undefined
      const account: CollectionAccount = {
        ...fields,
        ...accountNumbers,
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
    },
  )
  const accounts = accountsOrNone.filter((account) => account !== undefined)
  if (accounts.length > 0) await insertAccounts(tx, deps, { accounts, otherEvents: alertEvents })
  else await appendEvents(tx, now, alertEvents)
  const refusalOf = (request: SplitRequest | undefined) =>
    request && refused.has(request) ? 'number_ceiling_reached' : 'numbers_exhausted'
  return accountsOrNone.map((account, index) => account ?? new Refusal(refusalOf(requests[index])))
}

const SELECT_ACCOUNT = `
  select ${ACCOUNT_COLUMNS}
    from collection_accounts a join ledger_accounts l on l.id = a.id`

// Finds the accounts of repeated requests, by their main numbers.
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
