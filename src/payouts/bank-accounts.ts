// Bank accounts that a client's payouts go to. Before the first payout to an account, the service asks a bank
// for the holder's name. The answer decides the status:
//
//   confirmed     the bank knows the account under the name that the client gave
//   mismatch      the bank knows another name, or no such account: nothing is paid to the account
//   unconfirmed   no bank has answered: the enquiry is repeated, also before each payout;
//                 until then, payouts to the account need approval
//
// Account numbers are sealed, and found by their hash. A client has at most one default account.

import type { Client } from '#access/permissions.ts'
import type { NameAnswer } from '#banks/connector.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { type BankAccountId, type ClientId, newReference, type UserId } from '#ids.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import type { Sealer } from '#seal.ts'

const ACCENTS = /\p{M}+/gu
const SEPARATORS = /[^\p{L}\p{N}]+/u
// Words that mean the same in names of companies. An empty one is left out of the comparison.
const ABBREVIATIONS = new Map([
  ['LIMITED', 'LTD'],
  ['NIGERIA', 'NIG'],
  ['COMPANY', 'CO'],
  ['ENTERPRISES', 'ENT'],
  ['ENTERPRISE', 'ENT'],
  ['AND', ''],
])

// Names are the same if they have the same words, in any order and case. Accents, punctuation and the
// abbreviation of a company's form are ignored.
export function isSameName(one: string, other: string): boolean {
  const words = wordsOf(one)
  return words.length > 0 && words.join(' ') === wordsOf(other).join(' ')
}

// Returns the words of a name for the comparison: in capitals, without accents, abbreviated and sorted.
function wordsOf(name: string): string[] {
  const plain = name.normalize('NFKD').replace(ACCENTS, '').replace(/['’.]/g, '').toUpperCase()
  return plain
    .split(SEPARATORS)
    .map((word) => ABBREVIATIONS.get(word) ?? word)
    .filter((word) => word !== '')
    .sort()
}

export type BankAccountStatus = 'confirmed' | 'mismatch' | 'unconfirmed'

export type BankAccount = {
  id: BankAccountId
  reference: string
  clientId: ClientId
  bankCode: string
  accountNumberSealed: Buffer
  accountName: string
  nameAtBank: string | null // Empty: the bank knows no such account. It may err, so workers ask again.
  status: BankAccountStatus
  isDefault: boolean
  isActive: boolean
  createdAt: Date
  enquiredAt: Date | null
}

const ACCOUNTS_MAX = 200
const REFERENCE = /^BAC[0-9]{15}$/

export function newBankAccountReference(): string {
  return newReference('BAC')
}

const SELECT_ACCOUNT = `
  select id, reference, client_id, bank_code, account_number_sealed, account_name, name_at_bank,
         status, is_default, is_active, created_at, enquired_at
    from bank_accounts`

type AccountPage = {
  clientId: ClientId
  isActive?: boolean | undefined
  beforeId: bigint | null
  limit: number
}

export async function listBankAccounts(
  db: Queryable,
  { clientId, isActive, beforeId, limit }: AccountPage,
): Promise<BankAccount[]> {
  const { rows } = await db.query<BankAccount>({
    name: 'list-bank-accounts',
    text: `${SELECT_ACCOUNT}
            where client_id = $1 and ($2::boolean is null or is_active = $2)
              and ($3::bigint is null or id < $3)
            order by id desc limit $4`,
    values: [clientId, isActive ?? null, beforeId, limit],
  })
  return rows
}

// Finds a bank account of the client. Without a reference, returns the default account.
export async function getBankAccount(
  db: Queryable,
  clientId: ClientId,
  reference: string | undefined,
): Promise<BankAccount> {
  if (reference !== undefined && !REFERENCE.test(reference)) {
    throw new Refusal('bank_account_not_found')
  }
  const { rows } = await db.query<BankAccount>({
    name: reference === undefined ? 'default-bank-account' : 'get-bank-account',
    text: `${SELECT_ACCOUNT}
            where client_id = $1 and ${reference === undefined ? 'is_default' : 'reference = $2'}`,
    values: reference === undefined ? [clientId] : [clientId, reference],
  })
  if (rows[0]) return rows[0]
  throw new Refusal(reference === undefined ? 'bank_account_needed' : 'bank_account_not_found')
}

// Locks a bank account for a payout to it. Until the transaction ends, no other transaction can deactivate
// the account.
export async function lockBankAccount(tx: Transaction, id: BankAccountId): Promise<BankAccount> {
  const { rows } = await tx.query<BankAccount>({
    name: 'lock-bank-account',
    text: `${SELECT_ACCOUNT} where id = $1 for share`,
    values: [id],
  })
  return rows[0] as BankAccount
}

// Returns the status of an account by the bank's answer to the name enquiry. Refuses an account that the bank
// does not know.
function judgeName(answer: NameAnswer, accountName: string) {
  if (answer.status === 'not_found') throw new Refusal('bank_account_unknown')
  if (answer.status === 'no_answer') return { status: 'unconfirmed', nameAtBank: null } as const
  const { accountName: nameAtBank } = answer
  const status = isSameName(accountName, nameAtBank) ? 'confirmed' : 'mismatch'
  return { status, nameAtBank } as const
}

// `userId` is null if API credentials, and no person, add the account.
type AddedBy = { sealer: Sealer; now: Date; actor: string; userId: UserId | null }

type NewBankAccount = {
  clientId: ClientId
  bankCode: string
  accountNumber: string
  accountName: string
  answer: NameAnswer
}

// Saves a new account, or corrects the name of an account that is not confirmed. If the bank does not answer
// now, its earlier answer about a mismatch is used. The client's first payable account becomes its default.
// In the SQL, `d` says whether the account becomes the default, and $12 whether the bank is silent now.
export async function saveBankAccount(
  tx: Transaction,
  { sealer, now, actor, userId }: AddedBy,
  { clientId, bankCode, accountNumber, accountName, answer }: NewBankAccount,
): Promise<string> {
  await lockAccounts(tx, clientId)
  const hash = hashAccount(sealer, accountNumber)
  const isSilent = answer.status === 'no_answer'
  const earlierAnswer = isSilent
    ? await findEarlierMismatch(tx, { clientId, bankCode, hash })
    : undefined
  const { status, nameAtBank } = judgeName(earlierAnswer ?? answer, accountName)
  const { rows } = await tx.query<{ reference: string }>({
    name: 'save-bank-account',
    text: `insert into bank_accounts
             (reference, client_id, bank_code, account_number_sealed, account_number_hash,
              account_name, name_at_bank, status, is_default, created_by, created_at, enquired_at,
              added_by_user, default_by_user, default_at)
           select $1, $2, $3, $4, $5, $6, $7, $8, d.is_default,
                  $9, $10, case when $8 <> 'unconfirmed' then $10::timestamptz end,
                  $11, case when d.is_default then $11::uuid end,
                  case when d.is_default then $10::timestamptz end
             from (select $8 <> 'mismatch' and not exists (select from bank_accounts
                                                            where client_id = $2 and is_default))
                  as d (is_default)
            where (select count(*) from bank_accounts where client_id = $2 and is_active)
                  < ${ACCOUNTS_MAX}
           on conflict on constraint bank_accounts_once_per_client
           do update set account_name = excluded.account_name, name_at_bank = excluded.name_at_bank,
                         status = excluded.status,
                         enquired_at = case when $12 then bank_accounts.enquired_at
                                            else excluded.enquired_at end,
                         enquiries = 0, next_enquiry_at = null,
                         is_default = bank_accounts.is_default or excluded.is_default,
                         default_by_user = case when excluded.is_default
                                                then excluded.default_by_user
                                                else bank_accounts.default_by_user end,
                         default_at = coalesce(excluded.default_at, bank_accounts.default_at)
            where bank_accounts.status <> 'confirmed' and bank_accounts.is_active
           returning reference`,
    values: [
      newBankAccountReference(),
      clientId,
      bankCode,
      sealer.seal(accountNumber),
      hash,
      accountName,
      nameAtBank,
      status,
      actor,
      now,
      userId,
      isSilent,
    ],
  })
  return rows[0]?.reference ?? (await refuseUnsaved(tx, clientId))
}

// Returns the bank's earlier answer if it was another name than the client's. Used when the bank does not
// answer now.
async function findEarlierMismatch(
  tx: Transaction,
  { clientId, bankCode, hash }: { clientId: ClientId; bankCode: string; hash: Buffer },
): Promise<NameAnswer | undefined> {
  const { rows } = await tx.query<{ accountName: string }>({
    name: 'find-name-answer',
    text: `select name_at_bank as account_name from bank_accounts
            where client_id = $1 and bank_code = $2 and account_number_hash = $3
              and status = 'mismatch' and name_at_bank <> '' and is_active`,
    values: [clientId, bankCode, hash],
  })
  return rows[0] && { status: 'found', accountName: rows[0].accountName }
}

// Accounts are found by this hash, because their numbers are stored encrypted.
export function hashAccount(sealer: Sealer, accountNumber: string): Buffer {
  return sealer.hash('bank account', accountNumber)
}

// Finds out why saveBankAccount() wrote no row: the client has too many accounts, or has confirmed or
// deactivated this one.
async function refuseUnsaved(tx: Transaction, clientId: ClientId): Promise<never> {
  const { rows } = await tx.query<{ count: number }>({
    name: 'count-bank-accounts',
    text: `select count(*)::int as count from bank_accounts where client_id = $1 and is_active`,
    values: [clientId],
  })
  const isFull = (rows[0]?.count ?? 0) >= ACCOUNTS_MAX
  throw new Refusal(isFull ? 'too_many_bank_accounts' : 'bank_account_exists')
}

// Serializes changes of one client's accounts, so that there is one default and the limit on accounts holds.
async function lockAccounts(tx: Transaction, clientId: ClientId): Promise<void> {
  await tx.query({
    name: 'lock-bank-accounts',
    text: `select pg_advisory_xact_lock(hashtext('bank_accounts'), hashtext($1))`,
    values: [clientId.toString()],
  })
}

const UNKNOWN_AT_BANK = { status: 'mismatch', nameAtBank: '' } as const

// Records a bank's answer about an account that is saved already. Does nothing if the account is confirmed or
// inactive, or if its name changed since the enquiry.
export async function recordNameAnswer(
  tx: Transaction,
  now: Date,
  { account, answer }: { account: Pick<BankAccount, 'id' | 'accountName'>; answer: NameAnswer },
): Promise<void> {
  const { status, nameAtBank } =
    answer.status === 'not_found' ? UNKNOWN_AT_BANK : judgeName(answer, account.accountName)
  if (status === 'unconfirmed') return
  const { rows } = await tx.query<Pick<BankAccount, 'clientId' | 'reference' | 'bankCode'>>({
    name: 'note-name-answer',
    text: `update bank_accounts set status = $2, name_at_bank = $3, enquired_at = $4
            where id = $1 and (status = 'unconfirmed' or name_at_bank = '') and is_active
              and account_name = $5 and name_at_bank is distinct from $3
           returning client_id, reference, bank_code`,
    values: [account.id, status, nameAtBank, now, account.accountName],
  })
  for (const { clientId, reference, bankCode } of rows) {
    await writeAuditLog(tx, now, {
      clientId,
      actor: `bank:${bankCode}`,
      action: 'bank_account.enquire',
      subject: `bank-account/${reference}`,
      detail: { status },
    })
  }
}

type Changing = { client: Client; actor: string; userId: UserId | null; now: Date }

// Makes a bank account the default, deactivates it, or activates it again.
export async function changeBankAccount(
  tx: Transaction,
  { client, actor, userId, now }: Changing,
  {
    reference,
    changes,
  }: {
    reference: string
    changes: { isDefault?: true | undefined; isActive?: boolean | undefined }
  },
): Promise<BankAccount> {
  await lockAccounts(tx, client.id)
  const account = await getBankAccount(tx, client.id, reference)
  const isActive = changes.isActive ?? account.isActive
  const isDefault = isActive && (changes.isDefault ?? account.isDefault)
  if (changes.isDefault && !isActive) throw new Refusal('bank_account_inactive')
  if (changes.isDefault && account.status === 'mismatch') throw new Refusal('bank_account_mismatch')
  if (isActive === account.isActive && isDefault === account.isDefault) return account
  const becomesDefault = isDefault && !account.isDefault
  if (becomesDefault) {
    await tx.query({
      name: 'no-default-bank-account',
      text: 'update bank_accounts set is_default = false where client_id = $1 and is_default',
      values: [client.id],
    })
  }
  await tx.query({
    name: 'change-bank-account',
    text: `update bank_accounts
              set is_default = $2, is_active = $3,
                  default_at = case when $4 then $5 else default_at end,
                  default_by_user = case when $4 then $6 else default_by_user end
            where id = $1`,
    values: [account.id, isDefault, isActive, becomesDefault, now, userId],
  })
  await writeAuditLog(tx, now, {
    clientId: client.id,
    actor,
    action: 'bank_account.change',
    subject: `bank-account/${reference}`,
    detail: { isDefault, isActive },
  })
  return getBankAccount(tx, client.id, reference)
}

type SubaccountBank = {
  clientId: ClientId
  bankCode: string
  accountNumber: string
  accountName: string
  answer: NameAnswer // The answer of the account's bank.
}

type SavedAccount = {
  id: BankAccountId
  status: BankAccountStatus
  accountName: string
  nameAtBank: string | null
  isActive: boolean
}

// Returns the bank account that a subaccount is paid to: an existing account of the client, or a new one. A
// new one never becomes the default for the client's own payouts.
//
// Refuses the account if the bank knows it under another name, or does not know it. Also refuses it if the
// client has added it under another name: the client corrects that name under its bank accounts.
export async function saveSubaccountBank(
  tx: Transaction,
  { sealer, now, actor, userId }: AddedBy,
  { clientId, bankCode, accountNumber, accountName, answer }: SubaccountBank,
): Promise<BankAccountId> {
  const { status, nameAtBank } = judgeName(answer, accountName)
  if (status === 'mismatch') throw new Refusal('bank_account_mismatch')
  await lockAccounts(tx, clientId)
  const hash = hashAccount(sealer, accountNumber)
  await tx.query({
    name: 'save-subaccount-bank',
    text: `insert into bank_accounts
             (reference, client_id, bank_code, account_number_sealed, account_number_hash,
              account_name, name_at_bank, status, created_by, created_at, enquired_at,
              added_by_user)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10,
                   case when $8 <> 'unconfirmed' then $10::timestamptz end,
                   $11)
               on conflict on constraint bank_accounts_once_per_client do nothing`,
    values: [
      newBankAccountReference(),
      clientId,
      bankCode,
      sealer.seal(accountNumber),
      hash,
      accountName,
      nameAtBank,
      status,
      actor,
      now,
      userId,
    ],
  })
  const { rows } = await tx.query<SavedAccount>({
    name: 'find-subaccount-bank',
    text: `select id, status, account_name, name_at_bank, is_active
             from bank_accounts
            where client_id = $1 and bank_code = $2 and account_number_hash = $3`,
    values: [clientId, bankCode, hash],
  })
  const saved = rows[0] as SavedAccount // The client's own account, or the new one.
  if (!saved.isActive) throw new Refusal('bank_account_inactive')
  const isSame = isSameName(accountName, saved.nameAtBank ?? saved.accountName)
  if (!isSame || saved.status === 'mismatch') throw new Refusal('bank_account_mismatch')
  if (saved.status === 'unconfirmed') await recordNameAnswer(tx, now, { account: saved, answer })
  return saved.id
}
