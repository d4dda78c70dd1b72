// Subaccounts: parties that a client shares its money with, each with its own bank account. A deactivated
// subaccount cannot be used in new splits, and splits that contain it cannot be chosen any more. The user who
// chose the bank account is recorded, because that user alone cannot approve a settlement to it (I53).

import { randomInt } from 'node:crypto'
import { listQuery } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { BankAccountId, ClientId, SubaccountId, UserId } from '#ids.ts'
import { CURRENCY, type Kobo } from '#money.ts'
import { writeAuditLog } from '#records/audit-log.ts'

export type Subaccount = {
  id: SubaccountId
  code: string
  name: string
  bankAccountId: BankAccountId
  bankAccountReference: string
  bankCode: string
  accountNumberSealed: Buffer
  accountName: string
  accountStatus: string // Whether the bank has confirmed the name of the bank account.
  isAccountActive: boolean
  isActive: boolean
  balanceKobo: Kobo
  createdAt: Date
  updatedAt: Date
}

const SUBACCOUNT_COLUMNS = `
  u.id, u.code, u.name, b.id as bank_account_id, b.reference as bank_account_reference, b.bank_code,
  b.account_number_sealed, b.account_name, b.status as account_status,
  b.is_active as is_account_active, u.is_active, u.created_at, u.updated_at,
  coalesce(l.credits_kobo - l.debits_kobo, 0) as balance_kobo`

// SQL query: subaccounts with their balance. `l.kind <> 'collection'` is always true here; it lets PostgreSQL
// use the partial index ledger_accounts_one_per_owner.
const SELECT_SUBACCOUNT = `
  select ${SUBACCOUNT_COLUMNS}
    from subaccounts u
    join bank_accounts b on b.id = u.bank_account_id
    left join ledger_accounts l
      on l.kind = 'subaccount' and l.owner = 'subaccount:' || u.id and l.currency = '${CURRENCY}'
     and l.kind <> 'collection'`

export async function getSubaccount(
  db: Queryable,
  clientId: ClientId,
  code: string,
): Promise<Subaccount> {
  const { rows } = await db.query<Subaccount>({
    name: 'get-subaccount',
    text: `${SELECT_SUBACCOUNT} where u.client_id = $1 and u.code = $2`,
    values: [clientId, code],
  })
  if (!rows[0]) throw new Refusal('subaccount_not_found')
  return rows[0]
}

// Lists a client's subaccounts, newest first; only those older than `beforeId`.
export async function listSubaccounts(
  db: Queryable,
  clientId: ClientId,
  { beforeId, limit }: { beforeId: bigint | null; limit: number },
): Promise<Subaccount[]> {
  const { rows } = await db.query<Subaccount>(
    listQuery({
      select: SELECT_SUBACCOUNT,
      where: [['u.client_id = $', clientId]],
      id: 'u.id',
      after: beforeId,
      limit,
    }),
  )
  return rows
}

type By = { clientId: ClientId; actor: string; userId: UserId | null; now: Date }

// Generates the code of a subaccount or split whose request names none.
export function generateCode(prefix: 'SUB' | 'SPL'): string {
  return `${prefix}${randomInt(10 ** 12)
    .toString()
    .padStart(12, '0')}`
}

// Creates a subaccount. Refuses a code that the client already uses.
export async function createSubaccount(
  tx: Transaction,
  { clientId, actor, userId, now }: By,
  { code, name, bankAccountId }: { code: string; name: string; bankAccountId: BankAccountId },
): Promise<Subaccount> {
  const { rowCount } = await tx.query({
    name: 'create-subaccount',
    text: `insert into subaccounts (client_id, code, name, bank_account_id, created_at, updated_at,
                                    account_chosen_by_user, account_chosen_at)
           values ($1, $2, $3, $4, $5, $5, $6, $5)
               on conflict (client_id, code) do nothing`,
    values: [clientId, code, name, bankAccountId, now, userId],
  })
  if (rowCount === 0) throw new Refusal('subaccount_exists')
  const subaccount = await getSubaccount(tx, clientId, code)
  const subject = `subaccount/${code}`
  const detail = { name, bankAccount: subaccount.bankAccountReference }
  await writeAuditLog(tx, now, { clientId, actor, action: 'subaccount.create', subject, detail })
  return subaccount
}

type Changes = {
  name?: string | undefined
  isActive?: boolean | undefined
  bankAccountId?: BankAccountId | undefined
}

// Changes a subaccount. Repeating a change changes nothing and writes no audit log. If the change chooses a
// bank account, the caller has locked the client's bank accounts. A settlement that has locked a subaccount
// (lockPayees) never waits for bank accounts, so the two cannot deadlock.
export async function updateSubaccount(
  tx: Transaction,
  { clientId, actor, userId, now }: By,
  { code, changes }: { code: string; changes: Changes },
): Promise<Subaccount> {
  const current = await lockSubaccount(tx, clientId, code)
  const { name = current.name, isActive = current.isActive } = changes
  const { bankAccountId = current.bankAccountId } = changes
  const hasNewBankAccount = bankAccountId !== current.bankAccountId
  const hasOtherChange = name !== current.name || isActive !== current.isActive
  if (!hasNewBankAccount && !hasOtherChange) return current
  await tx.query({
    name: 'update-subaccount',
    text: `update subaccounts
              set name = $2, is_active = $3, bank_account_id = $4, updated_at = $5,
                  account_chosen_by_user = case when $6 then $7 else account_chosen_by_user end,
                  account_chosen_at = case when $6 then $5 else account_chosen_at end
            where id = $1`,
    values: [current.id, name, isActive, bankAccountId, now, hasNewBankAccount, userId],
  })
  const updated = await getSubaccount(tx, clientId, code)
  const by = { clientId, actor, subject: `subaccount/${code}` }
  if (hasOtherChange) {
    const detail = { name, isActive }
    await writeAuditLog(tx, now, { ...by, action: 'subaccount.update', detail })
  }
  if (hasNewBankAccount) {
    const detail = { before: current.bankAccountReference, after: updated.bankAccountReference }
    await writeAuditLog(tx, now, { ...by, action: 'subaccount.change_bank_account', detail })
  }
  return updated
}

// Locks a subaccount, so that a settlement does not pay it while its bank account changes.
async function lockSubaccount(
  tx: Transaction,
  clientId: ClientId,
  code: string,
): Promise<Subaccount> {
  await tx.query({
    name: 'lock-subaccount',
    text: 'select from subaccounts where client_id = $1 and code = $2 for no key update',
    values: [clientId, code],
  })
  return getSubaccount(tx, clientId, code)
}
