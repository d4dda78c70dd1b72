// Traces a credit: reads the credit with everything that happened to its money, in one statement, and lists
// where each part of the money is now.

import type { BankCharges, CreditIdentifier, IdentifierKind } from '#banks/notifications.ts'
import type { CreditId } from '#ids.ts'
import { type Kobo, kobo } from '#money.ts'
import { maskAccountNumber, type Sealer } from '#seal.ts'
import { CREDIT_SHARES, openShares, type ShareRows, type ShareView } from '#splits/shares.ts'
import { OTHER_IDENTIFIERS } from './identifiers.ts'
import type { CreditSource, JudgedBy } from './judge.ts'
import { reasonInWords } from './judge.ts'
import type { ItemState, ReturnStatus } from './states.ts'

// The places of a credit say where each part of its money is now. Support staff need them to answer a payer
// who was debited but not credited. locateCredit() computes them from the credit and its suspense items,
// without a query. Their amounts always sum to the credit: money that is neither in our accounts nor returned
// was reversed.

// SQL scalar: the latest reason why all or part of the credit `c` was put in suspense.
export const REASON_NOW = `coalesce(
  (select (array_agg(reason order by id desc))[1] from suspense_items where credit_id = c.id),
  c.reason)`

export type Place =
  | 'collection_account'
  | 'payment'
  | 'suspense'
  | 'returning'
  | 'returned'
  | 'reversed'

export type CreditLocation = {
  amountKobo: Kobo
  place: Place
  // The account number, the payment reference, or the reference of the suspense item, the return or the bank.
  reference: string | null
  reason: string | null // Why this part is, or was, in suspense.
  description: string
}

// One attempt to return a part of the credit to the payer.
export type TracedReturn = {
  reference: string
  status: ReturnStatus
  amountKobo: Kobo
  bankReference: string | null
  failureReason: string | null
  requestedAt: Date
  settledAt: Date | null
}

export type TracedItem = {
  id: string
  amountKobo: Kobo
  reason: string
  state: ItemState
  accountNumber: string | null // The assigned collection account.
  paymentReference: string | null // The assigned payment.
  returns: TracedReturn[] // Oldest first.
  openedAt: Date
  closedAt: Date | null
}

// The columns of a credit from which locateCredit() computes the places.
type LocatedCredit = {
  amountKobo: Kobo
  bookedKobo: Kobo
  collectionAccountNumber: string | null
  paymentReference: string | null
  reversedBy: string | null // The session id of the last reversal.
  shortfallKobo: Kobo // The part that was reversed after the money had left us.
  receivableKobo: Kobo // The part that was reversed after the money had left the client.
  items: readonly TracedItem[]
}

// Lists the places of the money, part by part: the booked part, then each suspense item, then the reversed
// part.
function locateCredit(credit: LocatedCredit): CreditLocation[] {
  const places: CreditLocation[] = []
  if (credit.bookedKobo > 0n) {
    const { collectionAccountNumber: number, paymentReference: payment } = credit
    places.push({ amountKobo: credit.bookedKobo, reason: null, ...placeOfOwner(number, payment) })
  }
  for (const item of credit.items) {
    if (item.state !== 'reversed') places.push(locateItem(item))
  }
  const heldKobo = places.reduce((sum, place) => sum + place.amountKobo, 0n)
  const reversedKobo = kobo(credit.amountKobo - heldKobo)
  if (reversedKobo > 0n) {
    places.push({
      amountKobo: reversedKobo,
      place: 'reversed',
      reference: credit.reversedBy,
      reason: null,
      description:
        'Reversed by the bank' +
        (credit.shortfallKobo + credit.receivableKobo > 0n
          ? ', along with funds that had already left.'
          : '.'),
    })
  }
  return places
}

// Adds up the parts of a credit that are in one of these places.
export function sumInPlaces(locations: readonly CreditLocation[], ...places: Place[]): Kobo {
  const parts = locations.filter(({ place }) => places.includes(place))
  return kobo(parts.reduce((sum, { amountKobo }) => sum + amountKobo, 0n))
}

// Returns the place of the money of a suspense item that the bank has not reversed.
function locateItem(item: TracedItem): CreditLocation {
  const { amountKobo, reason } = item
  switch (item.state) {
    case 'assigned':
      return { amountKobo, reason, ...placeOfOwner(item.accountNumber, item.paymentReference) }
    case 'returning': {
      const description = 'Being returned to the payer; not yet confirmed by the bank.'
      const reference = item.returns.at(-1)?.reference ?? null
      return { amountKobo, reason, place: 'returning', reference, description }
    }
    case 'returned': {
      const reference = item.returns.at(-1)?.bankReference ?? null
      const description = 'Returned to the payer and confirmed by the bank.'
      return { amountKobo, reason, place: 'returned', reference, description }
    }
    default: {
      const description = `Held in suspense: ${reasonInWords(reason)}.`
      return { amountKobo, reason, place: 'suspense', reference: item.id, description }
    }
  }
}

// Names the collection account or payment that holds the money. If `accountNumber` is null, the money is in
// the payment.
function placeOfOwner(accountNumber: string | null, paymentReference: string | null) {
  if (accountNumber !== null) {
    const description = `In the balance of collection account ${accountNumber}.`
    return { place: 'collection_account', reference: accountNumber, description } as const
  }
  const description = `Applied to payment ${paymentReference}.`
  return { place: 'payment', reference: paymentReference, description } as const
}

export const OUTCOMES = ['booked', 'suspended', 'assigned', 'returned', 'reversed'] as const
export type Outcome = (typeof OUTCOMES)[number]

export type CreditTrace = {
  id: CreditId
  sessionId: string
  bankCode: string
  accountNumber: string
  amountKobo: Kobo
  currency: string
  outcome: Outcome
  reason: string | null
  sourceAccountName: string | null
  sourceAccountNumberMasked: string | null
  sourceBankCode: string | null
  narration: string | null
  paymentReference: string | null
  adviceReference: string | null
  merchantRef: string | null
  collectionAccountNumber: string | null
  transactionTime: Date | null
  transactionDate: string | null // Set if the bank gave no time of day.
  receivedAt: Date
  reversedKobo: Kobo // The total that banks took back.
  shortfallKobo: Kobo // The part of reversedKobo that had already left us.
  receivableKobo: Kobo // The part of reversedKobo that the client owes.
  refundedKobo: Kobo // Refunds to the payer that banks have confirmed.
  judgedBy: JudgedBy | null
  source: CreditSource
  identifiers: CreditIdentifier[] // The session id comes first, whatever its kind.
  charges: BankCharges
  merchantFeeKobo: Kobo // Charged by the operator, less returned fees.
  merchantVatKobo: Kobo // The VAT on merchantFeeKobo.
  splits: ShareView[] // The shares of subaccounts.
  items: TracedItem[]
  locations: CreditLocation[]
}

// The same object as PostgreSQL writes it in JSON: amounts and times are strings.
type InJson<T> = {
  [Key in keyof T]: T[Key] extends bigint
    ? string
    : T[Key] extends Date | null
      ? Extract<T[Key], null> | string
      : T[Key]
}
type ReturnRow = InJson<TracedReturn>
type ItemRow = Omit<InJson<TracedItem>, 'returns'> & { returns: ReturnRow[] | null }

// A row of SELECT_TRACE. openTrace() makes a CreditTrace of it.
export type CreditRow = Omit<
  CreditTrace,
  | 'sourceAccountNumberMasked'
  | 'items'
  | 'locations'
  | 'transactionTime'
  | 'identifiers'
  | 'charges'
  | 'splits'
> &
  BankCharges & {
    identifiedBy: IdentifierKind
    otherIdentifiers: CreditIdentifier[] | null
    bookedKobo: Kobo
    sourceSealed: Buffer | null
    transactionTime: Date | null
    reversedBy: string | null
    items: ItemRow[] | null
    splits: ShareRows
  }

// SQL subquery: every attempt to return the money of the suspense item `i`, oldest first, as JSON.
const RETURNS = `
  (select json_agg(json_build_object(
            'reference', r.reference, 'status', r.status,
            'amountKobo', r.amount_kobo::text, 'bankReference', r.bank_reference,
            'failureReason', r.failure_reason, 'requestedAt', r.requested_at,
            'settledAt', r.settled_at) order by r.id)
     from returns r where r.item_id = i.id)`

// SQL select list of a trace. The caller appends `from … as c`, with rows of credits, and WITH_OWNERS. One
// statement reads everything, so that all parts of a credit are from the same moment.
export const SELECT_TRACE = `
  select c.id, c.session_id, c.bank_code, c.account_number, c.amount_kobo, c.currency, c.outcome,
         ${REASON_NOW} as reason, c.amount_kobo - c.suspended_kobo - c.reversed_kobo as booked_kobo,
         c.source_account_name, c.source_account_sealed as source_sealed, c.source_bank_code,
         c.narration, p.id as payment_reference, p.advice_id as advice_reference, a.merchant_ref,
         n.account_number as collection_account_number, c.transacted_at as transaction_time,
         c.transacted_on::text as transaction_date, c.received_at, c.judged_by, c.source,
         c.identified_by, ${OTHER_IDENTIFIERS} as other_identifiers,
         c.fee_kobo, c.vat_kobo, c.duty_kobo,
         fees.merchant_fee_kobo, fees.merchant_vat_kobo, ${CREDIT_SHARES},
         (select session_id from reversals where credit_id = c.id order by id desc limit 1)
           as reversed_by,
         (select coalesce(sum(amount_kobo), 0)::bigint from reversals where credit_id = c.id)
           as reversed_kobo,
         (select coalesce(sum(shortfall_kobo), 0)::bigint from reversals where credit_id = c.id)
           as shortfall_kobo,
         (select coalesce(sum(receivable_kobo), 0)::bigint from reversals where credit_id = c.id)
           as receivable_kobo,
         (select coalesce(sum(o.amount_kobo), 0)::bigint from payouts o
           where o.credit_id = c.id and o.purpose = 'refund' and o.status = 'confirmed')
           as refunded_kobo,
         (select json_agg(json_build_object(
                   'id', i.id::text, 'amountKobo', i.amount_kobo::text, 'reason', i.reason,
                   'state', i.state, 'accountNumber', t.account_number,
                   'paymentReference', i.assigned_payment_id,
                   'openedAt', i.opened_at, 'closedAt', i.closed_at,
                   'returns', ${RETURNS}) order by i.id)
            from suspense_items i left join collection_accounts t on t.id = i.assigned_account_id
           where i.credit_id = c.id) as items`

// SQL joins that SELECT_TRACE needs: the owner of the credit `c` (payment with advice, or collection account)
// and the sum of its fees.
export const WITH_OWNERS = `
    left join payments p on p.id = c.payment_id
    left join advices a on a.id = p.advice_id
    left join collection_accounts n on n.id = c.collection_account_id
    cross join lateral (
      select coalesce(sum(fee_kobo - fee_returned_kobo), 0)::bigint as merchant_fee_kobo,
             coalesce(sum(vat_kobo - vat_returned_kobo), 0)::bigint as merchant_vat_kobo
        from credit_fees where credit_id = c.id) as fees`

// Makes a trace of a row: decrypts and masks the payer's account number, parses the JSON columns and lists
// the places.
export function openTrace(sealer: Sealer, row: CreditRow): CreditTrace {
  const { sourceSealed, bookedKobo, reversedBy, items: itemRows, splits, ...otherColumns } = row
  const { feeKobo, vatKobo, dutyKobo, identifiedBy, otherIdentifiers, ...credit } = otherColumns
  const items = (itemRows ?? []).map((item) => ({
    ...item,
    amountKobo: kobo(BigInt(item.amountKobo)),
    openedAt: new Date(item.openedAt),
    closedAt: parseTime(item.closedAt),
    returns: (item.returns ?? []).map(parseReturn),
  }))
  return {
    ...credit,
    items,
    identifiers: [{ kind: identifiedBy, value: credit.sessionId }, ...(otherIdentifiers ?? [])],
    charges: { feeKobo, vatKobo, dutyKobo },
    splits: openShares(splits),
    sourceAccountNumberMasked: sourceSealed && maskAccountNumber(sealer.open(sourceSealed)),
    locations: locateCredit({ ...credit, bookedKobo, reversedBy, items }),
  }
}

// Parses a return from JSON, in which amounts and times are strings.
function parseReturn(row: ReturnRow): TracedReturn {
  const amountKobo = kobo(BigInt(row.amountKobo))
  const requestedAt = new Date(row.requestedAt)
  return { ...row, amountKobo, requestedAt, settledAt: parseTime(row.settledAt) }
}

function parseTime(text: string | null): Date | null {
  return text === null ? null : new Date(text)
}
