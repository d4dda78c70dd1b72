// Bank accounts that a client's payouts go to. Whose an account is, its bank is asked before anything
// is paid to it (enquire-name.ts):
//
//   confirmed     the bank knows it under the name that the client gave
//   mismatch      under another, or not at all: nothing is paid to it
//   unconfirmed   no bank has answered: asked again (name-enquiries.ts), also before a payout; what is
//                 paid to it meanwhile needs approval
//
// Numbers are sealed, and found by their hash. At most one account of a client is its default.

import type { NameAnswer } from '#banks/connector.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { Refusal } from '#errors.ts'
import type { BankAccountId, ClientId, UserId } from '#ids.ts'
import { newReference } from '#references.ts'
import type { Sealer } from '#seal.ts'
import { isSameName } from './name-match.ts'

export type BankAccountStatus = 'confirmed' | 'mismatch' | 'unconfirmed'

export type BankAccount = {
  id: BankAccountId
  reference: string
  clientId: ClientId
  bankCode: string
  accountNumberSealed: Buffer
  accountName: string
  nameAtBank: string | null // Empty: the bank does not know the account. It is asked again: it may err.
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
  select id, reference, client_id as "clientId", bank_code as "bankCode",
         account_number_sealed as "accountNumberSealed", account_name as "accountName",
         name_at_bank as "nameAtBank", status, is_default as "isDefault", is_active as "isActive",
         created_at as "createdAt", enquired_at as "enquiredAt"
    from bank_accounts`

type AccountPage = {
  clientId: ClientId
  isActive?: boolean | undefined
  beforeId: bigint | null
  limit: number
}

// Newest first.
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

// Without a reference: the default one.
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

// Nobody deactivates it before the transaction ends.
export async function lockBankAccount(tx: Transaction, id: BankAccountId): Promise<BankAccount> {
  const { rows } = await tx.query<BankAccount>({
    name: 'lock-bank-account',
    text: `${SELECT_ACCOUNT} where id = $1 for share`,
    values: [id],
  })
  return rows[0] as BankAccount
}

// What the bank's answer makes of an account that is added.
export function statusOf(answer: NameAnswer, accountName: string) {
  if (answer.status === 'not_found') throw new Refusal('bank_account_unknown')
  if (answer.status === 'no_answer') return { status: 'unconfirmed', nameAtBank: null } as const
  const { accountName: nameAtBank } = answer
  const status = isSameName(accountName, nameAtBank) ? 'confirmed' : 'mismatch'
  return { status, nameAtBank } as const
}

// `userId`: of a person.
export type AddedBy = { sealer: Sealer; now: Date; actor: string; userId: UserId | null }

type NewBankAccount = {
  clientId: ClientId
  bankCode: string
  accountNumber: string
  accountName: string
  answer: NameAnswer
}

// One that was not confirmed yet may be given again, under a corrected name. What the bank once called it
// stays known when it does not answer. The first that can be paid to is the default.
export async function saveBankAccount(
  tx: Transaction,
  { sealer, now, actor, userId }: AddedBy,
  { clientId, bankCode, accountNumber, accountName, answer }: NewBankAccount,
): Promise<string> {
  await lockAccounts(tx, clientId)
  const hash = hashAccount(sealer, accountNumber)
  const isSilent = answer.status === 'no_answer'
  const before = isSilent ? await findAnswer(tx, { clientId, bankCode, hash }) : undefined
  const { status, nameAtBank } = statusOf(before ?? answer, accountName)
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
  return rows[0]?.reference ?? (await refuseSaved(tx, clientId))
}

type Given = { clientId: ClientId; bankCode: string; hash: Buffer }

// What the bank said of a mismatch before counts while it is silent.
async function findAnswer(
  tx: Transaction,
  { clientId, bankCode, hash }: Given,
): Promise<NameAnswer | undefined> {
  const { rows } = await tx.query<{ accountName: string }>({
    name: 'find-name-answer',
    text: `select name_at_bank as "accountName" from bank_accounts
            where client_id = $1 and bank_code = $2 and account_number_hash = $3
              and status = 'mismatch' and name_at_bank <> '' and is_active`,
    values: [clientId, bankCode, hash],
  })
  return rows[0] && { status: 'found', accountName: rows[0].accountName }
}

export function hashAccount(sealer: Sealer, accountNumber: string): Buffer {
  return sealer.hash('bank account', accountNumber)
}

async function refuseSaved(tx: Transaction, clientId: ClientId): Promise<never> {
  const { rows } = await tx.query<{ count: number }>({
    name: 'count-bank-accounts',
    text: `select count(*)::int as count from bank_accounts where client_id = $1 and is_active`,
    values: [clientId],
  })
  const isFull = (rows[0]?.count ?? 0) >= ACCOUNTS_MAX
  throw new Refusal(isFull ? 'too_many_bank_accounts' : 'bank_account_exists')
}

// One at a time for each client, so that there is one default and no more than are allowed.
export async function lockAccounts(tx: Transaction, clientId: ClientId): Promise<void> {
  await tx.query({
    name: 'lock-bank-accounts',
    text: `select pg_advisory_xact_lock(hashtext('bank_accounts'), hashtext($1))`,
    values: [clientId.toString()],
  })
}

const NOBODYS = { status: 'mismatch', nameAtBank: '' } as const

type Answered = { account: Pick<BankAccount, 'id' | 'accountName'>; answer: NameAnswer }

// The bank answered after all. Nothing else changes an account that is confirmed; and an answer judged by
// a name that was changed meanwhile, or about an account that is not paid to any more, tells nothing.
export async function noteAnswer(
  tx: Transaction,
  now: Date,
  { account, answer }: Answered,
): Promise<void> {
  const { status, nameAtBank } =
    answer.status === 'not_found' ? NOBODYS : statusOf(answer, account.accountName)
  if (status === 'unconfirmed') return
  const { rows } = await tx.query<Pick<BankAccount, 'clientId' | 'reference' | 'bankCode'>>({
    name: 'note-name-answer',
    text: `update bank_accounts set status = $2, name_at_bank = $3, enquired_at = $4
            where id = $1 and (status = 'unconfirmed' or name_at_bank = '') and is_active
              and account_name = $5 and name_at_bank is distinct from $3
           returning client_id as "clientId", reference, bank_code as "bankCode"`,
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
