// Erases a customer's personal data in two parts. eraseAccounts() and eraseAdvice() erase the account or
// advice at once. eraseNextPage() then erases, page by page, the payers' names, accounts and narrations on
// credits, matched statement lines and unsent refunds and returns, and the stored webhook responses. So an
// account with a million credits blocks nothing.
//
//   credits ──▶ answers ──▶ done        `answers` are the stored webhook responses
//
// A delivery that was in flight at the time of the request may still get a response, so responses are erased
// last. That step also repeats the credits, for credits that were being booked at the time of the request.
//
// Nothing is erased that an active hold or an open case needs (I250): a request is refused, and an erasure
// that has begun pauses until nothing needs the data. Operators get an alert about either.

import { type Client, mayUseMerchant } from '#access/permissions.ts'
import { accountWithNumber, numbersOfAccount } from '#accounts/account.ts'
import { queueBlock } from '#accounts/bank-changes.ts'
import { isDue } from '#db/due.ts'
import type { Transaction } from '#db/transaction.ts'
import { invalidField, Refusal } from '#errors.ts'
import { type AccountId, type AdviceId, type ClientId, leastIdAt, type PaymentId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import type { Customer } from '#payments/advice.ts'
import { isOpen } from '#payments/payment.ts'
import type { PaymentStatus } from '#payments/states.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import { lockErasures, WHOLLY_BARRED_CLIENTS } from '#records/erasure-bars.ts'
import { appendEvents, type NewEvent } from '#records/events.ts'
import { NOBODY_ON_LINE, SOMEBODY_ON_LINE } from '#records/shared-sql.ts'
import type { Sealer } from '#seal.ts'
import { refuseBarred } from './bars.ts'

const ERASED_NAME = 'Erased'
const CREDITS_MAX = 1_000
const EVENTS_MAX = 2_000
export const ANSWERS_WAIT_MS = 60_000 // A delivery is in flight for at most 15 s.

type Erasure = {
  id: bigint
  clientId: ClientId
  accountId: AccountId | null
  accountNumbers: string[] // Empty if a payment is erased.
  paymentId: PaymentId | null
  step: 'credits' | 'answers'
  creditsAfter: bigint
  eventsAfter: bigint
  since: Date // When the account or advice was created.
}

// SQL condition: the responses to erase are no longer needed by requests that were under way.
const isWaitOver = (now: string) =>
  isDue(`e.asked_at + interval '${ANSWERS_WAIT_MS} ms'`, { now, longest: ANSWERS_WAIT_MS })

// SQL condition: the next page of an erasure is due.
export const HAS_DUE_ERASURES = `exists (
  select from erasures e
   where e.step <> 'done'
     and (e.step = 'credits' or ${isWaitOver('clock.now')}))`

// SQL condition: neither a hold nor a case bars the erasure `e`. The first part keeps a held client's many
// erasures from being looked at one by one.
export const NOT_BARRED = `
  e.client_id <> all (array(${WHOLLY_BARRED_CLIENTS}))
  and not exists (select from erasure_bars(e.client_id, e.account_id, e.advice_id, null))`

// Does one page of one erasure: a page of its credits or, in the step `answers` after the last credit, a page
// of its responses. Returns false if no erasure is due.
export async function eraseNextPage(
  tx: Transaction,
  { sealer, now }: { sealer: Sealer; now: Date },
): Promise<boolean> {
  await lockErasures(tx)
  const { rows } = await tx.query<Erasure>({
    name: 'next-erasure',
    text: `select e.id, e.client_id, e.account_id,
                  ${numbersOfAccount('e.account_id')} as account_numbers, p.id as payment_id, e.step,
                  e.credits_after, e.events_after,
                  coalesce(n.created_at, a.created_at) as since
             from erasures e
             left join collection_accounts n on n.id = e.account_id
             left join advices a on a.id = e.advice_id
             left join payments p on p.advice_id = e.advice_id
            where e.step <> 'done' and (e.step = 'credits' or ${isWaitOver('$1')})
              and ${NOT_BARRED}
            order by e.id
            limit 1
              for update of e skip locked`,
    values: [now],
  })
  const erasure = rows[0]
  if (!erasure) return false
  const emptySealed = sealer.seal('')
  const isLastPage = await eraseCredits(tx, erasure, emptySealed)
  if (!isLastPage) return true
  await eraseAssignedCredits(tx, erasure, emptySealed)
  if (erasure.step === 'credits') {
    await beginErasingResponses(tx, erasure)
  } else {
    await eraseResponses(tx, erasure)
  }
  return true
}

// SQL condition: the credit `c` has no money in suspense. Money in suspense may be returned, so its payer is
// still needed.
const NOT_IN_SUSPENSE = `not exists (select from suspense_items i
                                 where i.credit_id = c.id and i.state in ('open', 'returning'))`
// SQL condition: also, no hold or case needs the payer of the credit `c`. A credit to the erased account may
// have been assigned to another account, whose money is held.
const ERASABLE = `${NOT_IN_SUSPENSE}
  and not exists (select from erasure_bars(c.client_id, null, null, c.id))`
const HAS_PAYER = 'num_nonnulls(c.source_account_sealed, c.source_account_name, c.narration) > 0'
const EMPTY_PAYER = 'source_account_sealed = null, source_account_name = null, narration = null'

// SQL statement: erases the statement lines of the erased credits, of their reversals and of their returns.
const ERASE_LINES = `
  update statement_lines l set ${NOBODY_ON_LINE}
   where ${SOMEBODY_ON_LINE} and l.id in (
     select m.line_id
       from erased e
      cross join lateral (
        select 'credit' as kind, e.id
        union all select 'reversal', r.id from reversals r where r.credit_id = e.id
        union all select 'return', r.id from suspense_items i join returns r on r.item_id = i.id
                   where i.credit_id = e.id) as of
       join statement_matches m on m.item_kind = of.kind and m.item_id = of.id)`

// SQL condition: a payout to a credit's payer was never sent to a bank. Sent payouts must still show
// the recipient.
const NEVER_SENT = `purpose in ('refund', 'return') and status = 'cancelled'`

// SQL statement: erases the payer from payouts of the erased credits.
const erasePayouts = (sealed: string) => `
  update payouts p set to_account_name = '${ERASED_NAME}', to_account_sealed = ${sealed}::bytea
    from erased e
   where p.credit_id = e.id and ${NEVER_SENT} and p.to_account_name <> '${ERASED_NAME}'`

// SQL condition: an unsent payout of the credit `c` still names the payer.
const HAS_UNSENT_PAYOUT = `exists (
  select from payouts where credit_id = c.id and ${NEVER_SENT} and to_account_name <> '${ERASED_NAME}')`

// Erases one page of the credits to the account or payment. Returns whether it was the last page.
// `emptySealed`, a sealed empty text, takes the place of the recipients' account numbers in unsent payouts.
async function eraseCredits(
  tx: Transaction,
  erasure: Erasure,
  emptySealed: Buffer,
): Promise<boolean> {
  const [column, type, values] = erasure.accountId
    ? ['account_number', 'text', erasure.accountNumbers]
    : ['payment_id', 'uuid', [erasure.paymentId]]
  const { rows } = await tx.query<{ last: bigint | null; count: number }>({
    name: `erase-credits-by-${column}`,
    text: `with page as materialized (
             select id, client_id from credits where id = any(array(
                 select c.id from unnest($1::${type}[]) as of (value)
                  cross join lateral (select id from credits
                                       where ${column} = of.value and id > $2
                                       order by id limit ${CREDITS_MAX}) as c
                  order by c.id limit ${CREDITS_MAX}))
              order by id for no key update
           ), erased as materialized (
             select c.id from page c where ${ERASABLE}
           ), emptied as (
             update credits c set ${EMPTY_PAYER} from erased where c.id = erased.id and ${HAS_PAYER}
           ), payouts_emptied as (${erasePayouts('$3')}
           ), lines as (${ERASE_LINES}
           )
           select max(id) as last, count(*)::int as count from page`,
    values: [values, erasure.creditsAfter, emptySealed],
  })
  const { last, count } = rows[0] as { last: bigint | null; count: number }
  await tx.query({
    name: 'erasure-after-credits',
    text: 'update erasures set credits_after = $2 where id = $1',
    values: [erasure.id, last ?? erasure.creditsAfter],
  })
  return count < CREDITS_MAX
}

// Starts the last step (`answers`), which goes through the credits once more and erases the stored webhook
// responses.
async function beginErasingResponses(tx: Transaction, { id }: Erasure): Promise<void> {
  await tx.query({
    name: 'erasure-begins-answers',
    text: `update erasures set step = 'answers', credits_after = 0 where id = $1`,
    values: [id],
  })
}

// SQL subquery: the credits that users assigned from suspense by hand, so there are few.
const ASSIGNED = `select credit_id from suspense_items
                   where assigned_account_id = $1 or assigned_payment_id = $2`

// SQL condition: a credit that was assigned to the account or payment still has personal data to erase.
const isAssignedToErase = (accountId: string, paymentId: string) => `exists (
  select from suspense_items s join credits c on c.id = s.credit_id
   where (s.assigned_account_id = ${accountId} or s.assigned_payment_id = ${paymentId})
     and (${HAS_PAYER} or ${HAS_UNSENT_PAYOUT}) and ${ERASABLE})`

// Erases the payers of credits that users assigned to the account or payment from suspense.
async function eraseAssignedCredits(
  tx: Transaction,
  { accountId, paymentId }: Erasure,
  emptySealed: Buffer,
): Promise<void> {
  await tx.query({
    name: 'erase-assigned-credits',
    text: `with erased as materialized (
             select c.id from credits c where c.id in (${ASSIGNED}) and ${ERASABLE}
           ), emptied as (
             update credits c set ${EMPTY_PAYER} from erased where c.id = erased.id and ${HAS_PAYER}
           ), payouts_emptied as (${erasePayouts('$3')}
           )
           ${ERASE_LINES}`,
    values: [accountId, paymentId, emptySealed],
  })
}

// Erases one page of the stored webhook responses. Scans the client's events from the creation of the erased
// object on: an index of events by account or payment would serve only erasures, and would slow down every
// event.
async function eraseResponses(tx: Transaction, erasure: Erasure): Promise<void> {
  const { rows } = await tx.query<{ last: bigint | null; count: number }>({
    name: 'erase-answers',
    text: `with page as materialized (
             select id, sequence, collection_account_id, payment_id, credit_id from events
              where client_id = $3 and sequence > $4 and id >= $5
              order by sequence limit ${EVENTS_MAX}
           ), about as materialized (
             select e.id from page e left join credits c on c.id = e.credit_id
              where e.collection_account_id = $1 or e.payment_id = $2
                 or c.account_number = any($6::text[]) or c.payment_id = $2 or c.id in (${ASSIGNED})
           ), erased as (
             update delivery_attempts d set response_start = null
               from about where d.event_id = about.id and d.response_start is not null
           )
           select max(sequence) as last, count(*)::int as count from page`,
    values: [
      erasure.accountId,
      erasure.paymentId,
      erasure.clientId,
      erasure.eventsAfter,
      leastIdAt(erasure.since.getTime()),
      erasure.accountNumbers,
    ],
  })
  const { last, count } = rows[0] as { last: bigint | null; count: number }
  await tx.query({
    name: 'erasure-after-answers',
    text: 'update erasures set events_after = $2, step = $3 where id = $1',
    values: [erasure.id, last ?? erasure.eventsAfter, count < EVENTS_MAX ? 'done' : 'answers'],
  })
}

// The requests of clients to erase a customer's personal data permanently. One transaction erases the account
// or advice itself; eraseNextPage() erases personal data on its credits and deliveries. Money, its history
// and its references stay.
//
// Refuses while money is in suspense, because returning the money needs the payer, while a hold or a case
// needs the data, and for an advice that can still be paid. A repetition is safe and erases data that has
// arrived since.
//
// Locks: new holds and cases are locked out; the erasure, as eraseNextPage() does; then its subject: an
// advice before its payment; accounts in id order with their ledger accounts, so that no credit is booked
// meanwhile. To be locked first, the row of the erasure is created before the checks; a refusal rolls it
// back.

const VALUE_LENGTH_MIN = 4 // A shorter value may be part of an innocent word of the reason.
const NO_CUSTOMER: Customer = {
  customerId: null,
  firstName: null,
  lastName: null,
  email: null,
  phoneNumber: null,
}

type Deps = { sealer: Sealer; now: Date; by: Client; actor: string; reason: string }

export type ErasureResult = { accountNumber: string; erasedAt: Date; isComplete: boolean }

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

// Erases an account; with `sameBvn` also the client's other accounts with the same BVN, as far as the caller
// may use their merchants. Refuses if one has money in suspense. An account that was erased before keeps
// its time and gets no event; `isComplete` says whether its traces elsewhere are erased as well.
export async function eraseAccounts(
  tx: Transaction,
  deps: Deps,
  { accountNumber, sameBvn }: { accountNumber: string; sameBvn: boolean },
): Promise<ErasureResult[]> {
  const { by, now } = deps
  await lockErasures(tx)
  const { rows } = await tx.query<{ id: AccountId; merchantCode: string; isNamed: boolean }>({
    name: 'accounts-to-erase',
    text: `select o.id, o.merchant_code, o.id = a.id as is_named
             from collection_accounts a
             join collection_accounts o
               on o.id = a.id or ($3 and a.erased_at is null
                                  and o.client_id = a.client_id and o.bvn_hash = a.bvn_hash)
            where a.id = ${accountWithNumber('$1')} and a.client_id = $2
            order by o.id`,
    values: [accountNumber, by.id, sameBvn],
  })
  const permittedRows = rows.filter(({ merchantCode }) => mayUseMerchant(by, merchantCode))
  if (!permittedRows.some(({ isNamed }) => isNamed)) throw new Refusal('account_not_found')
  for (const { id } of permittedRows) await openErasure(tx, deps, { accountId: id })
  const accounts: Account[] = []
  for (const { id } of permittedRows) accounts.push(await lockAccount(tx, id))
  for (const { id, accountNumber: number } of accounts) {
    await refuseBarred(tx, by, { accountId: id, name: `account/${number}` })
    await refuseWithSuspense(tx, by.id, { accountId: id })
  }
  const erased: ErasureResult[] = []
  for (const { id, accountNumber: number, erasedAt } of accounts) {
    const isComplete = await continueErasure(tx, now, { accountId: id })
    erased.push({ accountNumber: number, erasedAt: erasedAt ?? now, isComplete })
  }
  const unerased = accounts.filter((account) => !account.erasedAt)
  for (const account of unerased) await eraseAccount(tx, deps, account)
  await appendEvents(tx, now, unerased.map(erasureEvent))
  return erased
}

// Locks an account and its ledger account, so that no credit is booked to it meanwhile.
async function lockAccount(tx: Transaction, id: AccountId): Promise<Account> {
  const { rows } = await tx.query<Account>({
    name: 'lock-account-to-erase',
    text: `select a.id, a.client_id, a.account_number, a.account_name, a.email, a.phone_number,
                  a.bvn_sealed, a.nin_sealed,
                  a.verified_name, l.credits_kobo - l.debits_kobo as balance_kobo,
                  a.created_at, a.erased_at
             from collection_accounts a join ledger_accounts l on l.id = a.id
            where a.id = $1
              for no key update of l, a`,
    values: [id],
  })
  return rows[0] as Account
}

// Erases the personal data of one locked account, closes it, and has its bank block the number.
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

// Erases the customer of an advice. Refuses while the advice can still be paid, or has money in suspense.
export async function eraseAdvice(
  tx: Transaction,
  deps: Deps,
  adviceId: AdviceId,
): Promise<{ erasedAt: Date; isComplete: boolean }> {
  const { by, now } = deps
  await lockErasures(tx)
  const { rowCount } = await tx.query('select from advices where id = $1 and client_id = $2', [
    adviceId,
    by.id,
  ])
  if (rowCount === 0) throw new Refusal('advice_not_found')
  await openErasure(tx, deps, { adviceId })
  const advice = await lockAdvice(tx, adviceId)
  if (advice.status && isOpen(advice.status)) throw new Refusal('advice_open')
  await refuseBarred(tx, by, { adviceId, name: `advice/${adviceId}` })
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

// Locks an advice, and then its payment if it has one.
async function lockAdvice(tx: Transaction, adviceId: AdviceId): Promise<LockedAdvice> {
  const { rows } = await tx.query<Omit<LockedAdvice, 'status'>>({
    name: 'lock-advice-to-erase',
    text: `select customer, customer_name, created_at, erased_at
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

// Erases the customer from an advice. Cancels the advice if it has no payment yet, because it cannot be paid
// without its customer.
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

// The values of the columns account_id and advice_id. One of them is null.
const toSubjectColumns = (subject: Subject) => [
  'accountId' in subject ? subject.accountId : null,
  'adviceId' in subject ? subject.adviceId : null,
]

// Creates the row of the erasure, if there is none, and locks it.
async function openErasure(tx: Transaction, { by, now }: Deps, subject: Subject): Promise<void> {
  await tx.query({
    name: 'ask-for-erasure',
    text: `insert into erasures (client_id, account_id, advice_id, asked_at)
           values ($1, $2, $3, $4) on conflict do nothing`,
    values: [by.id, ...toSubjectColumns(subject), now],
  })
  await tx.query({
    name: 'lock-erasure',
    text: 'select from erasures where account_id = $1 or advice_id = $2 for update',
    values: toSubjectColumns(subject),
  })
}

const PAYMENT_OF_ERASURE = '(select id from payments where advice_id = e.advice_id)'

// Restarts the erasure if new data has arrived. Returns whether the erasure is complete.
async function continueErasure(tx: Transaction, now: Date, subject: Subject): Promise<boolean> {
  await tx.query({
    name: 'erase-again',
    text: `update erasures e set step = 'credits', credits_after = 0, events_after = 0, asked_at = $3
            where (e.account_id = $1 or e.advice_id = $2) and e.step <> 'credits'
              and (exists (select from credits c
                            where (c.account_number = any(${numbersOfAccount('e.account_id')})
                                   or c.payment_id = ${PAYMENT_OF_ERASURE})
                              and (${HAS_PAYER} or ${HAS_UNSENT_PAYOUT}))
                   or ${isAssignedToErase('e.account_id', PAYMENT_OF_ERASURE)})`,
    values: [...toSubjectColumns(subject), now],
  })
  const { rowCount } = await tx.query({
    name: 'erasure-is-done',
    text: `select from erasures where (account_id = $1 or advice_id = $2) and step = 'done'`,
    values: toSubjectColumns(subject),
  })
  return rowCount === 1
}

// Refuses to erase an account or advice while money for it is in suspense.
async function refuseWithSuspense(
  tx: Transaction,
  clientId: ClientId,
  subject: { accountId?: AccountId; adviceId?: AdviceId },
): Promise<void> {
  const { rowCount } = await tx.query({
    name: 'suspense-of-erased',
    text: `select from suspense_items i join credits c on c.id = i.credit_id
            where i.client_id = $1 and i.state in ('open', 'returning')
              and (c.account_number = any(${numbersOfAccount('$2')})
                   or c.payment_id = (select id from payments where advice_id = $3))
            limit 1`,
    values: [clientId, subject.accountId ?? null, subject.adviceId ?? null],
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

// Refuses a reason that contains the data to be erased, because the audit log stores the reason permanently.
// Numbers are compared by their last ten digits, which do not depend on how the country code is written.
function refusePersonalReason(reason: string, values: readonly (string | null)[]): void {
  const lowerReason = reason.toLowerCase()
  const digits = reason.replace(/[^0-9]/g, '')
  // Whether the reason contains one of the values.
  const isPersonal = values.some((text) => {
    if (!text || text.length < VALUE_LENGTH_MIN) return false
    // A number is searched for among all digits of the reason, which may contain spaces or hyphens.
    const number = /^\+?[0-9]{7,}$/.test(text) ? text.slice(-10) : undefined
    return number ? digits.includes(number) : lowerReason.includes(text.toLowerCase())
  })
  if (!isPersonal) return
  throw invalidField('reason', 'Must not hold the personal data that is to be erased.')
}
