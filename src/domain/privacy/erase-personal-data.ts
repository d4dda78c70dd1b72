// Permanently erases a customer's personal data on request. One transaction erases the account or
// advice itself; personal data on its credits and deliveries follows in pages
// (erase-payer-data.ts). Money, its history and its references stay.
//
// Refused while money is in suspense, because returning it needs the payer, and for an advice that
// can still be paid. Repeating is safe and erases data that has arrived since.
//
// Locks: the erasure, then its subject: an advice before its payment; accounts in id order with
// their ledger accounts, which serialises with credits.

import type { Transaction } from '#db/transaction.ts'
import { type Client, mayUseMerchant } from '#domain/access/clients.ts'
import { accountWithNumber, numbersOfAccount } from '#domain/accounts/additional-numbers.ts'
import { queueBlock } from '#domain/accounts/bank-account-changes.ts'
import type { Customer } from '#domain/payments/advices.ts'
import { isOpen, type PaymentStatus } from '#domain/payments/payments.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import type { NewEvent } from '#domain/records/event-types.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import { Refusal } from '#errors.ts'
import type { AccountId, AdviceId, ClientId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import type { Sealer } from '#seal.ts'
import { ERASED_NAME, HAS_UNSENT_PAYOUT, isAssignedToErase, SOMEBODY } from './erase-payer-data.ts'

const VALUE_LENGTH_MIN = 4 // Shorter names occur in too many words.
const NO_CUSTOMER: Customer = {
  customerId: null,
  firstName: null,
  lastName: null,
  email: null,
  phoneNumber: null,
}

type Deps = { sealer: Sealer; now: Date; by: Client; actor: string; reason: string }

type ErasureResult = { accountNumber: string; erasedAt: Date; isComplete: boolean }

type Account = {
  id: AccountId
  clientId: ClientId
  accountNumber: string
  accountName: string
  email: string
  phoneNumber: string
  bvnSealed: Buffer
  ninSealed: Buffer | null
  verifiedName: string | null
  balanceKobo: Kobo
  createdAt: Date
  erasedAt: Date | null
}

// With `sameBvn`, also every other account of the client with the same BVN.
export async function eraseAccounts(
  tx: Transaction,
  deps: Deps,
  { accountNumber, sameBvn }: { accountNumber: string; sameBvn: boolean },
): Promise<ErasureResult[]> {
  const { by, now } = deps
  const { rows } = await tx.query<{ id: AccountId; merchantCode: string; isNamed: boolean }>({
    name: 'accounts-to-erase',
    text: `select o.id, o.merchant_code as "merchantCode", o.id = a.id as "isNamed"
             from collection_accounts a
             join collection_accounts o
               on o.id = a.id or ($3 and a.erased_at is null
                                  and o.client_id = a.client_id and o.bvn_hash = a.bvn_hash)
            where a.id = ${accountWithNumber('$1')} and a.client_id = $2
            order by o.id`,
    values: [accountNumber, by.id, sameBvn],
  })
  const own = rows.filter(({ merchantCode }) => mayUseMerchant(by, merchantCode))
  if (!own.some(({ isNamed }) => isNamed)) throw new Refusal('account_not_found')
  for (const { id } of own) await openErasure(tx, deps, { accountId: id })
  const accounts: Account[] = []
  for (const { id } of own) accounts.push(await lockAccount(tx, id))
  for (const { id } of accounts) {
    await refuseWithSuspense(tx, by.id, { accountId: id })
  }
  const erased: ErasureResult[] = []
  for (const { id, accountNumber: number, erasedAt } of accounts) {
    const isComplete = await continueErasure(tx, now, { accountId: id })
    erased.push({ accountNumber: number, erasedAt: erasedAt ?? now, isComplete })
  }
  const fresh = accounts.filter((account) => !account.erasedAt)
  for (const account of fresh) await eraseAccount(tx, deps, account)
  await appendEvents(tx, now, fresh.map(erasureEvent))
  return erased
}

async function lockAccount(tx: Transaction, id: AccountId): Promise<Account> {
  const { rows } = await tx.query<Account>({
    name: 'lock-account-to-erase',
    text: `select a.id, a.client_id as "clientId", a.account_number as "accountNumber",
                  a.account_name as "accountName", a.email, a.phone_number as "phoneNumber",
                  a.bvn_sealed as "bvnSealed", a.nin_sealed as "ninSealed",
                  a.verified_name as "verifiedName", l.credits_kobo - l.debits_kobo as "balanceKobo",
                  a.created_at as "createdAt", a.erased_at as "erasedAt"
             from collection_accounts a join ledger_accounts l on l.id = a.id
            where a.id = $1
              for no key update of l, a`,
    values: [id],
  })
  return rows[0] as Account
}

async function eraseAccount(tx: Transaction, deps: Deps, account: Account): Promise<void> {
  const { sealer, now, by, actor, reason } = deps
  const { id, accountNumber, accountName, email, phoneNumber, verifiedName } = account
  const numbers = [account.bvnSealed, account.ninSealed].map(
    (sealed) => sealed && sealer.open(sealed),
  )
  refusePersonalReason(reason, [accountName, verifiedName, email, phoneNumber, ...numbers])
  await tx.query({
    name: 'erase-account',
    text: `update collection_accounts
              set account_name = '${ERASED_NAME}', email = '', phone_number = '', payer_rules = null,
                  bvn_sealed = $2, bvn_hash = '', nin_sealed = null, nin_hash = null,
                  verified_name = null, is_active = false, is_default = false,
                  version = version + 1, updated_at = $3, erased_at = $3
            where id = $1`,
    values: [id, sealer.seal(''), now],
  })
  await queueBlock(tx, now, id)
  await forgetRequest(tx, by.id, { resource: accountNumber, createdAt: account.createdAt })
  const subject = `account/${accountNumber}`
  const detail = { reason }
  await writeAuditLog(tx, now, { clientId: by.id, actor, action: 'account.erase', subject, detail })
}

function erasureEvent({ id, clientId, balanceKobo }: Account): NewEvent {
  const facts = { accountBalanceKobo: balanceKobo, isActive: false, isDefault: false }
  return { clientId, type: 'account.erased', collectionAccountId: id, facts }
}

export async function eraseAdvice(
  tx: Transaction,
  deps: Deps,
  adviceId: AdviceId,
): Promise<{ erasedAt: Date; isComplete: boolean }> {
  const { by, now } = deps
  const { rowCount } = await tx.query('select from advices where id = $1 and client_id = $2', [
    adviceId,
    by.id,
  ])
  if (rowCount === 0) throw new Refusal('advice_not_found')
  await openErasure(tx, deps, { adviceId })
  const advice = await lockAdvice(tx, adviceId)
  if (advice.status && isOpen(advice.status)) throw new Refusal('advice_open')
  await refuseWithSuspense(tx, by.id, { adviceId })
  if (!advice.erasedAt) await emptyAdvice(tx, deps, { adviceId, advice })
  const isComplete = await continueErasure(tx, now, { adviceId })
  return { erasedAt: advice.erasedAt ?? now, isComplete }
}

type LockedAdvice = {
  customer: Customer
  customerName: string
  createdAt: Date
  erasedAt: Date | null
  status: PaymentStatus | null
}

async function lockAdvice(tx: Transaction, adviceId: AdviceId): Promise<LockedAdvice> {
  const { rows } = await tx.query<Omit<LockedAdvice, 'status'>>({
    name: 'lock-advice-to-erase',
    text: `select customer, customer_name as "customerName", created_at as "createdAt",
                  erased_at as "erasedAt"
             from advices where id = $1 for no key update`,
    values: [adviceId],
  })
  const payment = await tx.query<{ status: PaymentStatus }>({
    name: 'lock-payment-to-erase',
    text: 'select status from payments where advice_id = $1 for no key update',
    values: [adviceId],
  })
  return { ...(rows[0] as Omit<LockedAdvice, 'status'>), status: payment.rows[0]?.status ?? null }
}

// Also cancels an unpaid advice: without its customer it cannot be paid.
async function emptyAdvice(
  tx: Transaction,
  deps: Deps,
  { adviceId, advice }: { adviceId: AdviceId; advice: LockedAdvice },
) {
  const { now, by, actor, reason } = deps
  const { customer, customerName, createdAt, status } = advice
  refusePersonalReason(reason, [customerName, customer.email, customer.phoneNumber])
  await tx.query({
    name: 'erase-advice',
    text: `update advices
              set customer = $2, customer_name = '${ERASED_NAME}', narration = null,
                  payer_rules = null, erased_at = $3,
                  cancelled_at = coalesce(cancelled_at, case when $4 then $3::timestamptz end)
            where id = $1`,
    values: [adviceId, JSON.stringify(NO_CUSTOMER), now, status === null],
  })
  await forgetRequest(tx, by.id, { resource: adviceId, createdAt })
  const subject = `advice/${adviceId}`
  const detail = { reason }
  await writeAuditLog(tx, now, { clientId: by.id, actor, action: 'advice.erase', subject, detail })
}

type Subject = { accountId: AccountId } | { adviceId: AdviceId }

const columnsOf = (subject: Subject) => [
  'accountId' in subject ? subject.accountId : null,
  'adviceId' in subject ? subject.adviceId : null,
]

async function openErasure(tx: Transaction, { by, now }: Deps, subject: Subject): Promise<void> {
  await tx.query({
    name: 'ask-for-erasure',
    text: `insert into erasures (client_id, account_id, advice_id, asked_at)
           values ($1, $2, $3, $4) on conflict do nothing`,
    values: [by.id, ...columnsOf(subject), now],
  })
  await tx.query({
    name: 'lock-erasure',
    text: 'select from erasures where account_id = $1 or advice_id = $2 for update',
    values: columnsOf(subject),
  })
}

const PAYMENT_OF_ERASURE = '(select id from payments where advice_id = e.advice_id)'

// Restarts the erasure if new data has arrived. Returns whether it is complete.
async function continueErasure(tx: Transaction, now: Date, subject: Subject): Promise<boolean> {
  await tx.query({
    name: 'erase-again',
    text: `update erasures e set step = 'credits', credits_after = 0, events_after = 0, asked_at = $3
            where (e.account_id = $1 or e.advice_id = $2) and e.step <> 'credits'
              and (exists (select from credits c
                            where (c.account_number = any(${numbersOfAccount('e.account_id')})
                                   or c.payment_id = ${PAYMENT_OF_ERASURE})
                              and (${SOMEBODY} or ${HAS_UNSENT_PAYOUT}))
                   or ${isAssignedToErase('e.account_id', PAYMENT_OF_ERASURE)})`,
    values: [...columnsOf(subject), now],
  })
  const { rowCount } = await tx.query({
    name: 'erasure-is-done',
    text: `select from erasures where (account_id = $1 or advice_id = $2) and step = 'done'`,
    values: columnsOf(subject),
  })
  return rowCount === 1
}

async function refuseWithSuspense(
  tx: Transaction,
  clientId: ClientId,
  of: { accountId?: AccountId; adviceId?: AdviceId },
): Promise<void> {
  const { rowCount } = await tx.query({
    name: 'suspense-of-erased',
    text: `select from suspense_items i join credits c on c.id = i.credit_id
            where i.client_id = $1 and i.state in ('open', 'returning')
              and (c.account_number = any(${numbersOfAccount('$2')})
                   or c.payment_id = (select id from payments where advice_id = $3))
            limit 1`,
    values: [clientId, of.accountId ?? null, of.adviceId ?? null],
  })
  if (rowCount !== 0) throw new Refusal('erasure_waits')
}

// Deletes the request hash, because it is computed from personal data. The idempotency key stays used.
async function forgetRequest(
  tx: Transaction,
  clientId: ClientId,
  { resource, createdAt }: { resource: string; createdAt: Date },
): Promise<void> {
  await tx.query({
    name: 'forget-request',
    text: `update idempotency_keys set request_hash = ''
            where client_id = $1 and resource = $2 and created_at = $3`,
    values: [clientId, resource, createdAt],
  })
}

// The reason is stored permanently, so it must not contain the data to be erased.
function refusePersonalReason(reason: string, values: readonly (string | null)[]): void {
  const lowerReason = reason.toLowerCase()
  const digits = reason.replace(/[^0-9]/g, '')
  const isPersonal = values.some((text) => {
    if (!text || text.length < VALUE_LENGTH_MIN) return false
    const number = /^\+?[0-9]{7,}$/.test(text) ? text.slice(-10) : undefined
    return number ? digits.includes(number) : lowerReason.includes(text.toLowerCase())
  })
  if (!isPersonal) return
  const message = 'Must not hold the personal data that is to be erased.'
  throw new Refusal('invalid_request', [{ field: 'reason', message }])
}
