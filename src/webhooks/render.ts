// Renders events as the bodies of deliveries. The list of events and open pages show the same bodies.
//
//   {id, type, sequence, createdAt, env, data}
//
// `data` is the full resource as the API shows it, overlaid with the facts of the event. So an event that is
// redelivered a day later still shows the balance and status at the time of the event.

import { ADDITIONAL_NUMBERS } from '#accounts/account.ts'
import { type PublicAccount, PublicAccountView } from '#accounts/views.ts'
import type { NameBank } from '#banks/directory.ts'
import { timestamp } from '#clock.ts'
import type { Queryable } from '#db/pool.ts'
import { numberArray } from '#db/sql.ts'
import { pipeline } from '#db/transaction.ts'
import type { AccountId, ClientId, CreditId, EventId, PaymentId } from '#ids.ts'
import { type Kobo, kobo, koboOf } from '#money.ts'
import { type Payment, SELECT_PAYMENT } from '#payments/payment.ts'
import type { PaymentStatus } from '#payments/states.ts'
import { PaymentEventView } from '#payments/views.ts'
import type { EventType } from '#records/event-types.ts'
import { maskAccountNumber, type Sealer } from '#seal.ts'
import { SHARE_TRANSFERS } from '#splits/shares.ts'
import { type StoredEvent, type StoredFacts, showFacts } from './events.ts'
import {
  type CreditAmounts,
  type EventCredit,
  EventCreditView,
  PayoutEventView,
  ReturnedPayoutEventView,
  SettlementEventView,
  SuspenseEventView,
} from './views.ts'

type Resources = {
  accounts: ReadonlyMap<AccountId, PublicAccount>
  payments: ReadonlyMap<PaymentId, Payment>
  credits: ReadonlyMap<CreditId, StoredCredit>
}

type StoredCredit = Omit<EventCredit, keyof CreditAmounts> & { changes: readonly AmountChange[] }

// Reads the resources of a batch of events, including the payments and accounts of its credits, with one
// query per kind. Never reads the BVN.
async function readResources(
  db: Queryable,
  sealer: Sealer,
  events: readonly StoredEvent[],
): Promise<Resources> {
  const credits = await readCredits(db, sealer, distinctIds(events.map((event) => event.creditId)))
  const storedCredits = [...credits.values()]
  const [accounts, payments] = await Promise.all([
    readAccounts(
      db,
      distinctIds(
        [...events, ...storedCredits].map(({ collectionAccountId }) => collectionAccountId),
      ),
    ),
    readPayments(db, distinctIds([...events, ...storedCredits].map(({ paymentId }) => paymentId))),
  ])
  return { accounts, payments, credits }
}

// Returns the ids without repetitions and nulls.
function distinctIds<Id>(ids: readonly (Id | null)[]): Id[] {
  return [...new Set(ids)].filter((id) => id !== null) as Id[]
}

// Reads the collection accounts of events by id. Leaves out the BVN.
async function readAccounts(db: Queryable, ids: readonly AccountId[]) {
  if (ids.length === 0) return new Map()
  const { rows } = await db.query<PublicAccount>({
    name: 'accounts-of-events',
    text: `select a.id, a.bank_code, a.account_number, a.account_name, a.email, a.merchant_id,
                  a.merchant_code, a.notification_url, a.phone_number, a.channel, a.currency_code,
                  a.is_default, a.is_active, a.created_at, a.updated_at,
                  l.credits_kobo - l.debits_kobo as balance_kobo, ${ADDITIONAL_NUMBERS}
             from collection_accounts a join ledger_accounts l on l.id = a.id
            where a.id = any($1::bigint[])`,
    values: [numberArray(ids)],
  })
  return new Map(rows.map((account) => [account.id, account]))
}

// Reads the payments of events by id.
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

// Reads the credits of events by id, with the changes of their amounts. The payer's account number is
// masked.
async function readCredits(db: Queryable, sealer: Sealer, ids: readonly CreditId[]) {
  if (ids.length === 0) return new Map<CreditId, StoredCredit>()
  type Row = Omit<StoredCredit, 'sourceAccountNumberMasked' | 'changes'> & {
    sourceSealed: Buffer | null
  }
  const reading = db.query<Row>({
    name: 'credits-of-events',
    text: `select id, session_id, bank_code, account_number, amount_kobo, currency,
                  source_account_name, source_account_sealed as source_sealed, source_bank_code,
                  narration, payment_id, collection_account_id, transacted_at as transaction_time,
                  transacted_on::text as transaction_date, received_at
             from credits where id = any($1::bigint[])`,
    values: [numberArray(ids)],
  })
  const [{ rows }, amountChanges] = await pipeline([reading, readChanges(db, ids)])
  const changes = Map.groupBy(amountChanges, ({ creditId }) => creditId)
  return new Map(
    rows.map(({ sourceSealed, ...credit }) => [
      credit.id,
      {
        ...credit,
        changes: changes.get(credit.id) ?? [],
        sourceAccountNumberMasked: sourceSealed && maskAccountNumber(sealer.open(sourceSealed)),
      },
    ]),
  )
}

// A transfer that changed the part of a credit that the client has, or a subaccount's share in the credit.
type AmountChange = {
  creditId: CreditId
  clientId: ClientId
  postedAt: Date
  feeKobo: Kobo
  vatKobo: Kobo
  netKobo: Kobo
  shareKobo: Kobo
  subaccountCode: string | null
}

// Reads how the amounts of these credits changed for each client: fees, net amount and shares. `offset 0`
// in the query makes PostgreSQL read credit by credit and find the ledger accounts by id.
async function readChanges(db: Queryable, ids: readonly CreditId[]): Promise<AmountChange[]> {
  const { rows } = await db.query<AmountChange>({
    name: 'amount-changes-of-events',
    text: `select credit_id, client_id, posted_at,
                  case when reason = 'fee' then fees_kobo else 0 end as fee_kobo,
                  case when reason = 'fee_vat' then fees_kobo else 0 end as vat_kobo,
                  gross_kobo - reversed_kobo - returned_kobo - suspended_kobo - fees_kobo
                    as net_kobo,
                  0::bigint as share_kobo, null as subaccount_code
             from unnest($1::bigint[]) as c (id)
             cross join lateral (
               select * from client_movements where credit_id = c.id offset 0) as m
           union all
           select credit_id, client_id, posted_at, 0, 0, 0, share_kobo, subaccount_code
             from (${SHARE_TRANSFERS}) as s`,
    values: [numberArray(ids)],
  })
  return rows
}

// Sums the changes of a credit for the event's client, up to the time of the event, so that a later
// redelivery shows the same amounts.
function amountsAt(
  changes: readonly AmountChange[],
  { clientId, createdAt }: StoredEvent,
): CreditAmounts {
  const clientChanges = changes.filter(
    (amountChange) => amountChange.clientId === clientId && amountChange.postedAt <= createdAt,
  )
  // Sums one field of the client's changes, or of the changes of one subaccount (`shareChanges`).
  const sum = (
    name: 'feeKobo' | 'vatKobo' | 'netKobo' | 'shareKobo',
    shareChanges = clientChanges,
  ) => kobo(shareChanges.reduce((total, change) => total + change[name], 0n))
  const shares = Map.groupBy(clientChanges, ({ subaccountCode }) => subaccountCode)
  return {
    merchantFeeKobo: sum('feeKobo'),
    merchantVatKobo: sum('vatKobo'),
    netKobo: sum('netKobo'),
    shares: [...shares]
      .flatMap(([subaccountCode, shareChanges]) =>
        subaccountCode === null
          ? []
          : [{ subaccountCode, amountKobo: sum('shareKobo', shareChanges) }],
      )
      .sort((one, other) => (one.subaccountCode < other.subaccountCode ? -1 : 1)),
  }
}

export type EventBody = {
  id: EventId
  type: EventType
  sequence: number
  createdAt: string
  env: 'Test' | 'Live'
  data: Record<string, unknown>
}

export type Rendering = {
  mode: 'sandbox' | 'live'
  nameBank: NameBank
  nameStyle: string // The format of account names (accounts/account.ts).
}

// Returns the body of each event, in the same order. Runs one query per kind of resource, however many events
// there are.
export async function renderEvents(
  db: Queryable,
  {
    sealer,
    events,
    rendering,
  }: { sealer: Sealer; events: readonly StoredEvent[]; rendering: Rendering },
): Promise<EventBody[]> {
  const resources = await readResources(db, sealer, events)
  return events.map((event) => ({
    id: event.id,
    type: event.type,
    sequence: Number(event.sequence),
    createdAt: timestamp(event.createdAt),
    env: rendering.mode === 'live' ? 'Live' : 'Test',
    data: renderData({ ...rendering, sealer, ...findAbout(event, resources) }),
  }))
}

type About = Rendering & {
  sealer: Sealer
  event: StoredEvent
  account: PublicAccount | undefined
  payment: Payment | undefined
  credit: EventCredit | undefined
}

type Data = Record<string, unknown>

// The object that an event is about: the part of the type before the dot.
type Subject<Type> = Type extends `${infer Object}.${string}` ? Object : never

const RENDERERS: Record<Subject<EventType>, (about: About) => Data> = {
  account: accountData,
  collection: accountData,
  payment: paymentData,
  credit: creditData,
  payout: payoutData,
  settlement: ({ event }) => SettlementEventView.present(showFacts(event.facts) as never),
  hold: factData,
  alert: factData,
  endpoint: factData,
}

// Renders the `data` of an event by the kind of object that it is about.
function renderData(about: About): Data {
  const [subject] = about.event.type.split('.') as [Subject<EventType>]
  return RENDERERS[subject](about)
}

// Renders events whose facts are a snapshot of the object.
function factData({ event }: About): Data {
  return showFacts(event.facts)
}

// Finds the credit, account and payment that an event is about. A credit event that names no account or no
// payment is about those of its credit.
function findAbout(event: StoredEvent, { accounts, payments, credits }: Resources) {
  const storedCredit = event.creditId === null ? undefined : credits.get(event.creditId)
  const credit = storedCredit && { ...storedCredit, ...amountsAt(storedCredit.changes, event) }
  const creditOfEvent = event.type.startsWith('credit.') ? credit : undefined
  return {
    event,
    credit,
    account: accounts.get(
      (event.collectionAccountId ?? creditOfEvent?.collectionAccountId) as AccountId,
    ),
    payment: payments.get((event.paymentId ?? creditOfEvent?.paymentId) as PaymentId),
  }
}

// Renders an account event. The account's `updatedAt` is no later than the event, so that a later redelivery
// does not show a later change.
function accountData(about: About): Data {
  const { event, account, credit } = about
  if (!account) return factData(about)
  const updatedAt = new Date(Math.min(account.updatedAt.getTime(), event.createdAt.getTime()))
  return {
    ...PublicAccountView.present({ ...account, updatedAt }, about),
    ...factData(about),
    ...(credit ? { credit: EventCreditView.present(credit) } : {}),
  }
}

// Renders a payment event, with the status and paid amount at the time of the event.
function paymentData(about: About): Data {
  const { event, payment, credit } = about
  if (!payment) return factData(about)
  const amountPaidKobo = amountPaid(event.facts) ?? payment.amountPaidKobo
  const row = {
    payment: { ...payment, amountPaidKobo },
    number: findNumber(payment, credit),
    status: (event.facts.status ?? payment.status) as PaymentStatus,
  }
  return {
    ...PaymentEventView.present(row, about),
    ...factData(about),
    ...(credit ? { credit: EventCreditView.present(credit) } : {}),
  }
}

// Returns the amount paid. Events of older releases hold naira instead of kobo.
function amountPaid({ amountPaidKobo, amountPaid: naira }: StoredFacts) {
  return amountPaidKobo === undefined ? koboOf(naira) : kobo(BigInt(amountPaidKobo as string))
}

// Returns the number that received the credit, or else the payment's first number.
function findNumber({ numbers }: Payment, credit: EventCredit | undefined) {
  const paid = numbers.find(({ accountNumber }) => accountNumber === credit?.accountNumber)
  return paid ?? numbers[0] ?? { bankCode: '', accountNumber: '' }
}

// Renders a `credit.…` event, which is about money in suspense. The part of the type after `credit.` is the
// outcome.
function creditData(about: About): Data {
  const { event, account, payment, credit } = about
  if (!credit) return factData(about)
  const outcome = event.type.slice('credit.'.length)
  return {
    ...SuspenseEventView.present({ ...credit, account, payment, outcome }, about),
    ...factData(about),
  }
}

// Renders a payout event from its facts.
function payoutData({ event }: About): Data {
  const facts = showFacts(event.facts)
  const view = event.type === 'payout.returned' ? ReturnedPayoutEventView : PayoutEventView
  return view.present(facts as never)
}
