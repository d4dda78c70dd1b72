// Subaccounts: others that a client shares its money with, each with a bank account of its own. A
// deactivated one is not put into new splits, nor are splits with it given to anything new.

import { randomInt } from 'node:crypto'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { Refusal } from '#errors.ts'
import type { BankAccountId, ClientId, SubaccountId } from '#ids.ts'
import { CURRENCY, type Kobo } from '#money.ts'

export type Subaccount = {
  id: SubaccountId
  code: string
  name: string
  bankAccountReference: string
  bankCode: string
  accountNumberSealed: Buffer
  accountName: string
  accountStatus: string // Whether its bank confirmed the name.
  isActive: boolean
  balanceKobo: Kobo
  createdAt: Date
  updatedAt: Date
}

const SELECT_SUBACCOUNT = `
  select u.id, u.code, u.name, b.reference as "bankAccountReference", b.bank_code as "bankCode",
         b.account_number_sealed as "accountNumberSealed", b.account_name as "accountName",
         b.status as "accountStatus", u.is_active as "isActive",
         coalesce(l.credits_kobo - l.debits_kobo, 0) as "balanceKobo",
         u.created_at as "createdAt", u.updated_at as "updatedAt"
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

// Newest first, older than `beforeId`.
export async function listSubaccounts(
  db: Queryable,
  clientId: ClientId,
  { beforeId, limit }: { beforeId: bigint | null; limit: number },
): Promise<Subaccount[]> {
  const { rows } = await db.query<Subaccount>({
    name: 'list-subaccounts',
    text: `${SELECT_SUBACCOUNT}
            where u.client_id = $1 and ($2::bigint is null or u.id < $2)
            order by u.id desc limit $3`,
    values: [clientId, beforeId, limit],
  })
  return rows
}

type By = { clientId: ClientId; actor: string; now: Date }

// Where the client gives none.
export function generateCode(prefix: 'SUB' | 'SPL'): string {
  return `${prefix}${randomInt(10 ** 12)
    .toString()
    .padStart(12, '0')}`
}

export async function createSubaccount(
  tx: Transaction,
  { clientId, actor, now }: By,
  { code, name, bankAccountId }: { code: string; name: string; bankAccountId: BankAccountId },
): Promise<Subaccount> {
  const { rowCount } = await tx.query({
    name: 'create-subaccount',
    text: `insert into subaccounts (client_id, code, name, bank_account_id, created_at, updated_at)
           values ($1, $2, $3, $4, $5, $5)
               on conflict (client_id, code) do nothing`,
    values: [clientId, code, name, bankAccountId, now],
  })
  if (rowCount === 0) throw new Refusal('subaccount_exists')
  const subject = `subaccount/${code}`
  const detail = { name }
  await writeAuditLog(tx, now, { clientId, actor, action: 'subaccount.create', subject, detail })
  return getSubaccount(tx, clientId, code)
}

type Changes = { name?: string | undefined; isActive?: boolean | undefined }

// The same again changes nothing and leaves no trace.
export async function updateSubaccount(
  tx: Transaction,
  { clientId, actor, now }: By,
  { code, changes: { name, isActive } }: { code: string; changes: Changes },
): Promise<Subaccount> {
  const { rowCount } = await tx.query({
    name: 'update-subaccount',
    text: `update subaccounts
              set name = coalesce($3, name), is_active = coalesce($4, is_active), updated_at = $5
            where client_id = $1 and code = $2
              and (name, is_active) is distinct from (coalesce($3, name), coalesce($4, is_active))`,
    values: [clientId, code, name ?? null, isActive ?? null, now],
  })
  const subaccount = await getSubaccount(tx, clientId, code)
  const subject = `subaccount/${code}`
  const detail = { name: subaccount.name, isActive: subaccount.isActive }
  const action = { clientId, actor, action: 'subaccount.update', subject, detail } as const
  if (rowCount === 1) await writeAuditLog(tx, now, action)
  return subaccount
}
