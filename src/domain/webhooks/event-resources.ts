// Reads the resources of a batch of events, with one query per kind. Never reads the BVN.

import { numberArray } from '#db/arrays.ts'
import type { Queryable } from '#db/pool.ts'
import { ADDITIONAL_NUMBERS } from '#domain/accounts/additional-numbers.ts'
import { type Payment, SELECT_PAYMENT } from '#domain/payments/payments.ts'
import type { PublicAccount } from '#domain/payments/resource-presenters.ts'
import type { AccountId, CreditId, PaymentId } from '#ids.ts'
import { maskAccountNumber } from '#mask.ts'
import type { Kobo } from '#money.ts'
import type { Sealer } from '#seal.ts'
import type { StoredEvent } from './event-list.ts'

export type EventCredit = {
  id: CreditId
  sessionId: string
  bankCode: string
  accountNumber: string
  amountKobo: Kobo
  currency: string
  sourceAccountName: string | null
  sourceAccountNumberMasked: string | null
  sourceBankCode: string | null
  narration: string | null
  paymentId: PaymentId | null
  collectionAccountId: AccountId | null
  transactionTime: Date | null
  transactionDate: string | null
  receivedAt: Date
}

export type Resources = {
  accounts: ReadonlyMap<AccountId, PublicAccount>
  payments: ReadonlyMap<PaymentId, Payment>
  credits: ReadonlyMap<CreditId, EventCredit>
}

// Includes the payments and accounts of the credits.
export async function readResources(
  db: Queryable,
  sealer: Sealer,
  events: readonly StoredEvent[],
): Promise<Resources> {
  const credits = await readCredits(db, sealer, distinctIds(events.map((event) => event.creditId)))
  const own = [...credits.values()]
  const [accounts, payments] = await Promise.all([
    readAccounts(
      db,
      distinctIds([...events, ...own].map(({ collectionAccountId }) => collectionAccountId)),
    ),
    readPayments(db, distinctIds([...events, ...own].map(({ paymentId }) => paymentId))),
  ])
  return { accounts, payments, credits }
}

function distinctIds<Id>(ids: readonly (Id | null)[]): Id[] {
  return [...new Set(ids)].filter((id) => id !== null) as Id[]
}

async function readAccounts(db: Queryable, ids: readonly AccountId[]) {
  if (ids.length === 0) return new Map()
  const { rows } = await db.query<PublicAccount>({
    name: 'accounts-of-events',
    text: `select a.id, a.bank_code as "bankCode", a.account_number as "accountNumber",
                  a.account_name as "accountName", a.email, a.merchant_id as "merchantId",
                  a.merchant_code as "merchantCode", a.notification_url as "notificationUrl",
                  a.phone_number as "phoneNumber", a.channel, a.currency_code as "currencyCode",
                  a.is_default as "isDefault", a.is_active as "isActive",
                  a.created_at as "createdAt", a.updated_at as "updatedAt",
                  l.credits_kobo - l.debits_kobo as "balanceKobo", ${ADDITIONAL_NUMBERS}
             from collection_accounts a join ledger_accounts l on l.id = a.id
            where a.id = any($1::bigint[])`,
    values: [numberArray(ids)],
  })
  return new Map(rows.map((account) => [account.id, account]))
}

async function readPayments(
  db: Queryable,
  ids: readonly PaymentId[],
): Promise<Map<PaymentId, Payment>> {
  if (ids.length === 0) return new Map()
  const { rows } = await db.query<Payment>({
    name: 'payments-of-events',
    text: `${SELECT_PAYMENT} where p.id = any($1::uuid[])`,
    values: [ids],
  })
  return new Map(rows.map((payment) => [payment.id, payment]))
}

async function readCredits(db: Queryable, sealer: Sealer, ids: readonly CreditId[]) {
  if (ids.length === 0) return new Map<CreditId, EventCredit>()
  type Row = Omit<EventCredit, 'sourceAccountNumberMasked'> & { sourceSealed: Buffer | null }
  const { rows } = await db.query<Row>({
    name: 'credits-of-events',
    text: `select id, session_id as "sessionId", bank_code as "bankCode",
                  account_number as "accountNumber", amount_kobo as "amountKobo", currency,
                  source_account_name as "sourceAccountName",
                  source_account_sealed as "sourceSealed", source_bank_code as "sourceBankCode",
                  narration, payment_id as "paymentId",
                  collection_account_id as "collectionAccountId",
                  transacted_at as "transactionTime",
                  transacted_on::text as "transactionDate", received_at as "receivedAt"
             from all_credits where id = any($1::bigint[])`,
    values: [numberArray(ids)],
  })
  return new Map(
    rows.map(({ sourceSealed, ...credit }) => [
      credit.id,
      {
        ...credit,
        sourceAccountNumberMasked: sourceSealed && maskAccountNumber(sealer.open(sourceSealed)),
      },
    ]),
  )
}
