// The payees of a settlement if it were approved now: the client at its default bank account, each
// subaccount at its own. A party that gets nothing is not a payee.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { RefusalCode } from '#errors.ts'
import type { AccountId, BankAccountId, SettlementId, SubaccountId } from '#ids.ts'
import type { Kobo } from '#money.ts'

export type Payee = {
  subaccountId: SubaccountId | null
  subaccountCode: string | null
  settlingId: AccountId
  netKobo: Kobo
  bankAccountId: BankAccountId | null
  bankAccount: string | null // Its reference.
  bankCode: string
  accountNumberSealed: Buffer
  accountName: string
  status: 'confirmed' | 'mismatch' | 'unconfirmed'
  isActive: boolean
  chosenAt: Date | null // Made the client's default, or chosen for the subaccount. Null: not recorded.
}

// The client first.
export async function readPayees(db: Queryable, id: SettlementId): Promise<Payee[]> {
  const { rows } = await db.query<Payee>({
    name: 'read-settlement-payees',
    text: `select s.subaccount_id as "subaccountId", p.subaccount_code as "subaccountCode",
                  s.account_id as "settlingId", s.net_kobo as "netKobo", b.id as "bankAccountId",
                  b.reference as "bankAccount", b.bank_code as "bankCode",
                  b.account_number_sealed as "accountNumberSealed",
                  b.account_name as "accountName", b.status, b.is_active as "isActive",
                  case when s.subaccount_id is null then b.default_at
                       else u.account_chosen_at end as "chosenAt"
             from settlement_shares s
             left join settlement_payees p on p.client_id = s.client_id
                                          and p.subaccount_id is not distinct from s.subaccount_id
             left join bank_accounts b on b.id = p.bank_account_id
             left join subaccounts u on u.id = s.subaccount_id
            where s.settlement_id = $1 and s.net_kobo > 0
            order by s.subaccount_id nulls first`,
    values: [id],
  })
  return rows
}

// Nobody can choose another account for a subaccount before the transaction ends.
export async function lockPayees(tx: Transaction, id: SettlementId): Promise<Payee[]> {
  await tx.query({
    name: 'lock-settlement-payees',
    text: `select from subaccounts
            where id in (select subaccount_id from settlement_shares
                          where settlement_id = $1 and net_kobo > 0)
            order by id for share`,
    values: [id],
  })
  return readPayees(tx, id)
}

const UNCONFIRMED = 'bank_account_unconfirmed'

// The reason why the settlement as a whole cannot be paid. An unconfirmed name comes last, because a
// second person's approval overcomes it.
export function findObstacle(payees: readonly Payee[]): RefusalCode | undefined {
  const obstacles = payees.flatMap((payee) => obstacleTo(payee) ?? [])
  return obstacles.find((obstacle) => obstacle !== UNCONFIRMED) ?? obstacles[0]
}

export function isUnconfirmed(payee: Payee): boolean {
  return obstacleTo(payee) === UNCONFIRMED
}

export function obstacleTo({ bankAccountId, isActive, status }: Payee): RefusalCode | undefined {
  if (bankAccountId === null) return 'no_default_bank_account'
  if (!isActive) return 'bank_account_inactive'
  if (status === 'mismatch') return 'bank_account_mismatch'
  if (status === 'unconfirmed') return UNCONFIRMED
  return undefined
}

// The accounts and names that the approver saw, in the order of the list.
export type SeenPayees = {
  bankAccounts?: readonly string[] | undefined
  accountNames?: readonly string[] | undefined
}

// Catches an account that was replaced, or an unconfirmed account that was renamed, after the approver
// looked.
export function arePayeesSeen(payees: readonly Payee[], view: SeenPayees): boolean {
  const isSame = (seen: readonly string[] | undefined, current: readonly (string | null)[]) =>
    seen === undefined ||
    (seen.length === current.length && current.every((each, index) => each === seen[index]))
  const accounts = payees.map(({ bankAccount }) => bankAccount)
  const names = payees.map(({ accountName }) => accountName)
  return isSame(view.bankAccounts, accounts) && isSame(view.accountNames, names)
}
