// Changes a collection account: fields, KYC, rules and limits; activation; the merchant's default.
// Each change is a new version, an event and an audit log entry. A no-op writes nothing.
//
// I19: a client's merchantId has at most one default, and the default is active. Setting one locks
// the merchantId, so that concurrent changes are safe.
//
// Locks: the merchantId, then accounts in id order, each with its ledger account, so that credits
// and changes are serialised.

import { isDeepStrictEqual } from 'node:util'
import { type Client, mayUseMerchant } from '#access/permissions.ts'
import { pipeline, type Transaction } from '#db/transaction.ts'
import { invalidField, Refusal } from '#errors.ts'
import { assignTier, queueChecks, verifyAgain } from '#identity/checks.ts'
import { LOWEST_TIER } from '#identity/tiers.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import { appendEvents } from '#records/events.ts'
import type { Sealer } from '#seal.ts'
import { getUsableSplit } from '#splits/split.ts'
import {
  ACCOUNT_COLUMNS,
  type AccountRow,
  accountWithNumber,
  type CollectionAccount,
  decryptAccount,
  hasNumber,
} from './account.ts'
import { queueBankChanges } from './bank-changes.ts'
import { lockProfile, sealedNin } from './limits.ts'

// Writes the changeable columns of a collection account. The row must be locked.
async function writeAccount(tx: Transaction, account: CollectionAccount): Promise<void> {
  await tx.query({
    name: 'write-account',
    text: `update collection_accounts
              set account_name = $2, email = $3, phone_number = $4, notification_url = $5,
                  payer_rules = $6, is_active = $7, is_default = $8, version = $9, updated_at = $10,
                  own_per_credit_kobo = $11, own_per_day_kobo = $12, own_balance_max_kobo = $13,
                  default_per_credit_kobo = $14, default_per_day_kobo = $15,
                  limit_profile_id = $16, nin_sealed = $17, nin_hash = $18, kyc_tier = $19,
                  verified_name = $20, split_id = $21
            where id = $1`,
    values: [
      account.id,
      account.accountName,
      account.email,
      account.phoneNumber,
      account.notificationUrl,
      account.payerRules && JSON.stringify(account.payerRules),
      account.isActive,
      account.isDefault,
      account.version,
      account.updatedAt,
      account.perCreditKobo,
      account.perDayKobo,
      account.balanceMaxKobo,
      account.defaultPerCreditKobo,
      account.defaultPerDayKobo,
      account.limitProfileId,
      account.ninSealed,
      account.ninHash,
      account.kycTier,
      account.verifiedName,
      account.splitId,
    ],
  })
}

// The fields whose change makes a new version of the account. The last three are not part of updateAccount():
// other operations change them.
const CHANGEABLE = [
  'accountName',
  'email',
  'phoneNumber',
  'notificationUrl',
  'payerRules',
  'perCreditKobo',
  'perDayKobo',
  'balanceMaxKobo',
  'defaultPerCreditKobo',
  'defaultPerDayKobo',
  'limitProfileId',
  'ninHash',
  'kycTier',
  'verifiedName',
  'splitId',
  'isActive',
  'isDefault',
  'additionalNumbers',
] as const

type Changeable = (typeof CHANGEABLE)[number]
type Changes = Partial<Pick<CollectionAccount, Changeable | 'ninSealed' | 'splitCode'>>

type Limit = 'perCreditKobo' | 'perDayKobo' | 'balanceMaxKobo'
type ClientField =
  | 'accountName'
  | 'email'
  | 'phoneNumber'
  | 'notificationUrl'
  | 'payerRules'
  | 'kycTier'
  | 'verifiedName'
  | Limit

// `limitProfile` is the profile's code.
export type AccountChanges = Partial<Pick<CollectionAccount, ClientField>> & {
  nin?: string | null | undefined
  limitProfile?: string | null | undefined
  splitCode?: string | null | undefined
}

export type ChangeDeps = {
  sealer: Sealer
  now: Date
  client: Client
  actor: string
  note?: string | undefined // The caller's reason.
  verifiesIdentity: boolean // Whether there is an identity service.
  isCurrent: (version: bigint) => boolean // Whether the caller has seen this version.
}

type ChangeEvent = 'account.updated' | 'account.activated' | 'account.deactivated'
type LockedAccount = CollectionAccount & { isErased: boolean }

// Changes the fields that are present in `changes`, which come from the request.
export async function updateAccount(
  tx: Transaction,
  deps: ChangeDeps,
  { accountNumber, changes }: { accountNumber: string; changes: AccountChanges },
): Promise<CollectionAccount> {
  const account = await lockAccount(tx, deps, accountNumber)
  const { nin, limitProfile, splitCode, ...fields } = changes
  return writeAccountChange(tx, deps, {
    account,
    changes: {
      ...fields,
      // Setting or removing a limit also removes the default limit.
      ...('perCreditKobo' in changes ? { defaultPerCreditKobo: null } : {}),
      ...('perDayKobo' in changes ? { defaultPerDayKobo: null } : {}),
      ...(nin === undefined ? {} : sealedNin(deps.sealer, nin)),
      ...(limitProfile === undefined
        ? {}
        : { limitProfileId: await profileIdOf(tx, deps.client, limitProfile) }),
      ...(splitCode === undefined ? {} : await splitOf(tx, account, splitCode)),
    },
    names: ['account.update', 'account.updated'], // The audit log's action, and the event's type.
  })
}

// Returns the change of the account's split; nothing if the request names its current split, which it keeps
// even if that split is deactivated.
async function splitOf(tx: Transaction, account: CollectionAccount, splitCode: string | null) {
  if (splitCode === account.splitCode) return {}
  const { clientId } = account
  return { splitCode, splitId: await getUsableSplit(tx, { clientId, splitCode }) }
}

// Finds the limit profile that the request names. Locks it, so that it cannot be deleted before the account
// names it.
async function profileIdOf(tx: Transaction, { id }: Client, code: string | null) {
  if (code === null) return null
  const profile = await lockProfile(tx, { clientId: id, code })
  if (profile) return profile.id
  throw invalidField('limitProfile', 'Must be the code of a limit profile, or null.')
}

// Queues the verification of the account's identifiers that are not verified yet. Workers call the identity
// service.
export async function requestVerification(
  tx: Transaction,
  deps: ChangeDeps,
  accountNumber: string,
): Promise<CollectionAccount> {
  const { now, client, actor, note } = deps
  if (!deps.verifiesIdentity) throw new Refusal('identity_service_missing')
  const account = await lockAccount(tx, deps, accountNumber)
  await verifyAgain(tx, now, account.id)
  await writeAuditLog(tx, now, {
    clientId: client.id,
    actor,
    action: 'account.request_verification',
    subject: `account/${account.accountNumber}`,
    detail: { note: note ?? null },
  })
  return account
}

// Makes the account inactive: from now on, money sent to it is suspended. The account stops being a default.
export async function deactivateAccount(
  tx: Transaction,
  deps: ChangeDeps,
  accountNumber: string,
): Promise<CollectionAccount> {
  const account = await lockAccount(tx, deps, accountNumber)
  const changes = { isActive: false, isDefault: false }
  return writeAccountChange(tx, deps, {
    account,
    changes,
    names: ['account.deactivate', 'account.deactivated'], // The audit log's action, and the event's type.
  })
}

// Makes an inactive account accept money again. Money that was suspended in the meantime stays in suspense.
export async function activateAccount(
  tx: Transaction,
  deps: ChangeDeps,
  accountNumber: string,
): Promise<CollectionAccount> {
  const account = await lockAccount(tx, deps, accountNumber)
  return writeAccountChange(tx, deps, {
    account,
    changes: { isActive: true },
    names: ['account.activate', 'account.activated'], // The audit log's action, and the event's type.
  })
}

// Makes the account the default of its merchantId, in place of the current default (I19).
export async function makeDefault(
  tx: Transaction,
  deps: ChangeDeps,
  accountNumber: string,
): Promise<CollectionAccount> {
  // Requests for accounts of one merchantId wait for each other, so that each sees the current default
  // account.
  await tx.query({
    name: 'lock-merchant-of-account',
    text: `select pg_advisory_xact_lock(
                    hashtextextended('default/' || client_id || '/' || merchant_id, 0))
             from collection_accounts
            where id = ${accountWithNumber('$1')} and client_id = $2`,
    values: [accountNumber, deps.client.id],
  })
  const accounts = await lockAccounts(tx, deps, { accountNumber, condition: ACCOUNT_AND_DEFAULT })
  const account = requireUsable(deps, accounts, accountNumber)
  if (!account.isActive) throw new Refusal('account_inactive')
  for (const formerDefault of accounts) {
    if (formerDefault === account) continue
    await writeAccountChange(tx, deps, {
      account: formerDefault,
      changes: { isDefault: false },
      names: ['account.default', 'account.updated'], // The audit log's action, and the event's type.
    })
  }
  return writeAccountChange(tx, deps, {
    account,
    changes: { isDefault: true },
    names: ['account.default', 'account.updated'], // The audit log's action, and the event's type.
  })
}

// Locks the account that the caller wants to change, and no other, and checks that the caller may change it.
export async function lockAccount(
  tx: Transaction,
  deps: ChangeDeps,
  accountNumber: string,
): Promise<LockedAccount> {
  return requireUsable(
    deps,
    await lockAccounts(tx, deps, { accountNumber, condition: ONLY_THE_ACCOUNT }),
    accountNumber,
  )
}

// Finds the account that the caller wants to change. Refuses an unknown account and another client's account
// in the same way. Also refuses an erased account, and a version that the caller has not seen.
function requireUsable(
  { client, isCurrent }: ChangeDeps,
  accounts: readonly LockedAccount[],
  accountNumber: string,
): LockedAccount {
  const account = accounts.find((each) => hasNumber(each, accountNumber))
  if (!account || !mayUseMerchant(client, account.merchantCode))
    throw new Refusal('account_not_found')
  if (account.isErased) throw new Refusal('account_erased')
  if (!isCurrent(account.version)) throw new Refusal('account_changed')
  return account
}

// SQL conditions that choose the accounts that lockAccounts() locks: only the account with the number $1, or
// that account and the default account of its merchantId, if there is one.
const ONLY_THE_ACCOUNT = `a.id = ${accountWithNumber('$1')}`

const ACCOUNT_AND_DEFAULT = `a.id in (
  select ${accountWithNumber('$1')}
  union all
  select d.id from collection_accounts o
    join collection_accounts d
      on d.client_id = o.client_id and d.merchant_id = o.merchant_id and d.is_default
   where o.id = ${accountWithNumber('$1')})`

// Locks accounts together with their ledger accounts, in the order of ids. `condition` is ONLY_THE_ACCOUNT or
// ACCOUNT_AND_DEFAULT, and chooses the accounts.
async function lockAccounts(
  tx: Transaction,
  { sealer, client }: ChangeDeps,
  { accountNumber, condition }: { accountNumber: string; condition: string },
): Promise<LockedAccount[]> {
  const { rows } = await tx.query<AccountRow & Pick<LockedAccount, 'isErased'>>({
    name: condition === ONLY_THE_ACCOUNT ? 'lock-account' : 'lock-account-with-default',
    text: `select ${ACCOUNT_COLUMNS}, a.erased_at is not null as is_erased
             from collection_accounts a join ledger_accounts l on l.id = a.id
            where ${condition} and a.client_id = $2
            order by a.id
              for no key update of l, a`,
    values: [accountNumber, client.id],
  })
  return rows.map((row) => ({ ...decryptAccount(sealer, row), isErased: row.isErased }))
}

type AccountChange = {
  account: LockedAccount
  changes: Changes
  names: [`account.${string}`, ChangeEvent] // The action in the audit log, and the event.
}

// Writes a new version of a locked account, with its event and its entry in the audit log, whose type and
// action are in `names`. Does nothing if no field gets another value.
export async function writeAccountChange(
  tx: Transaction,
  { now, client, actor, note, verifiesIdentity }: ChangeDeps,
  { account, changes, names: [action, type] }: AccountChange,
): Promise<CollectionAccount> {
  const changed = findChangedFields(account, changes)
  if (changed.length === 0) return account
  const after = { ...account, ...changes, version: account.version + 1n, updatedAt: now }
  await writeAccount(tx, after)
  await followIdentity(tx, { now, verifiesIdentity }, { after, changed })
  if (changed.includes('accountName')) {
    await queueBankChanges(tx, now, { change: 'rename', accountIds: [account.id] })
  }
  const names = fieldNames(changed)
  const subject = { clientId: account.clientId, collectionAccountId: account.id }
  const { isActive, isDefault } = after
  const facts = { accountBalanceKobo: account.balanceKobo, isActive, isDefault }
  await pipeline([
    writeAuditLog(tx, now, {
      clientId: client.id,
      actor,
      action,
      subject: `account/${account.accountNumber}`,
      detail: { changes: names, note: note ?? null },
    }),
    appendEvents(tx, now, [
      type === 'account.updated'
        ? { ...subject, type, facts: { ...facts, changes: names } }
        : { ...subject, type, facts },
    ]),
  ])
  return after
}

// Updates the tier in force after a change of name, NIN or tier, in `after` too. If the name or NIN changed,
// a trigger (keep_tier_verified) has already deleted the checks and lowered the stored tier, so the account
// is checked again.
async function followIdentity(
  tx: Transaction,
  { now, verifiesIdentity }: Pick<ChangeDeps, 'now' | 'verifiesIdentity'>,
  { after, changed }: { after: LockedAccount; changed: readonly Changeable[] },
): Promise<void> {
  const needsChecks = changed.includes('accountName') || changed.includes('ninHash')
  if (needsChecks && after.tierInForce !== null) after.tierInForce = LOWEST_TIER
  if (needsChecks && verifiesIdentity) await queueChecks(tx, now, [after.id])
  if (changed.includes('kycTier')) after.tierInForce = (await assignTier(tx, now, after.id)).tier
}

// Names the fields that get another value.
function findChangedFields(account: CollectionAccount, changes: Changes): Changeable[] {
  return CHANGEABLE.filter(
    (field) => field in changes && !isDeepStrictEqual(changes[field], account[field]),
  )
}

// Uses the API's field names, and never the values, which may be personal.
function fieldNames(changed: readonly Changeable[]): string[] {
  const name = (field: Changeable) => {
    if (field === 'ninHash') return 'nin'
    if (field === 'limitProfileId') return 'limitProfile'
    if (field === 'splitId') return 'splitCode'
    if (field === 'additionalNumbers') return 'accounts'
    return field.endsWith('Kobo') ? 'limits' : field
  }
  return [...new Set(changed.map(name))]
}
