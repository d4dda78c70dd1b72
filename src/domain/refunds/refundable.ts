// The refundable amount of a payment or a credit, and its payers.
//
// I58: the amount received, less reversals and refunds, pending refunds included. A refund takes the
// newest credit first and pays each part to the account that sent the credit, so it never takes more from
// a credit than the credit brought.
// Locks: the payment; or the suspense items of the credit, then the credit, as a reversal does.

import type { Transaction } from '#db/transaction.ts'
import { lockPayments } from '#domain/credits/payment-balances.ts'
import { lockItems } from '#domain/credits/suspense-items.ts'
import { Refusal } from '#errors.ts'
import type { ClientId, CreditId, PaymentId, SuspenseItemId } from '#ids.ts'
import { type Kobo, kobo } from '#money.ts'

export type RefundOf = { paymentId: PaymentId } | { creditId: CreditId }

type Source = {
  creditId: CreditId
  itemId: SuspenseItemId | null // An assigned item. Null: the booked amount.
  heldKobo: Kobo
  refundedKobo: Kobo // Includes pending refunds.
  currency: string
  bankCode: string // The bank that received the money.
  fromAccountSealed: Buffer | null
  fromAccountName: string | null
  fromBankCode: string | null
}

type SourceToRefund = Source & { fromAccountSealed: Buffer; fromBankCode: string }

export type Refundable = { sources: Source[]; leftKobo: Kobo; currency: string }

// The payouts `p` of a refund that count.
const STANDS = `p.refund_id is not null and p.status not in ('failed', 'cancelled')`

const SOURCES = (held: string) => `
  select h.credit_id as "creditId", h.item_id as "itemId", h.kobo as "heldKobo", c.currency,
         c.bank_code as "bankCode", c.source_account_sealed as "fromAccountSealed",
         c.source_account_name as "fromAccountName", c.source_bank_code as "fromBankCode",
         (select coalesce(sum(p.amount_kobo), 0)::bigint from payouts p
           where p.credit_id = h.credit_id and p.item_id is not distinct from h.item_id
             and ${STANDS}) as "refundedKobo"
    from (${held}) as h (credit_id, item_id, kobo)
    join credits c on c.id = h.credit_id
   where h.kobo > 0
   order by h.credit_id desc, h.item_id`

const BOOKED = 'amount_kobo - suspended_kobo - reversed_kobo'

export async function lockRefundable(
  tx: Transaction,
  clientId: ClientId,
  of: RefundOf,
): Promise<Refundable> {
  return 'paymentId' in of
    ? await lockPayment(tx, clientId, of.paymentId)
    : await lockCredit(tx, clientId, of.creditId)
}

async function lockPayment(
  tx: Transaction,
  clientId: ClientId,
  paymentId: PaymentId,
): Promise<Refundable> {
  const payment = (await lockPayments(tx, [paymentId])).get(paymentId)
  if (payment?.clientId !== clientId) throw new Refusal('payment_not_found')
  if (payment.status !== 'Successful' && payment.status !== 'Reversed') {
    throw new Refusal('payment_not_refundable')
  }
  const { rows: sources } = await tx.query<Source>({
    name: 'sources-of-payment',
    text: SOURCES(`select id, null::bigint, ${BOOKED} from credits where payment_id = $1
                   union all
                   select credit_id, id, amount_kobo from suspense_items
                    where assigned_payment_id = $1 and state = 'assigned'`),
    values: [paymentId],
  })
  const refundedKobo = await sumRefunded(tx, clientId, { paymentId })
  const leftKobo = kobo(payment.amountPaidKobo - refundedKobo)
  return { sources, leftKobo, currency: payment.currency }
}

// The amount that the credit brought to the client's collection accounts. The part that paid a payment
// belongs to the payment. The caller has read the credit, so a credit that cannot be locked is archived.
async function lockCredit(
  tx: Transaction,
  clientId: ClientId,
  creditId: CreditId,
): Promise<Refundable> {
  await lockItems(tx, 'credit_id', creditId)
  const { rows } = await tx.query<{ currency: string; isOfPayment: boolean }>({
    name: 'lock-credit-to-refund',
    text: `select currency, payment_id is not null and ${BOOKED} > 0 as "isOfPayment"
             from credits where id = $1 for no key update`,
    values: [creditId],
  })
  if (!rows[0]) throw new Refusal('credit_archived')
  const { rows: sources } = await tx.query<Source>({
    name: 'sources-of-credit',
    text: SOURCES(`select id, null::bigint, ${BOOKED} from credits
                    where id = $1 and client_id = $2 and collection_account_id is not null
                   union all
                   select i.credit_id, i.id, i.amount_kobo
                     from suspense_items i join collection_accounts a on a.id = i.assigned_account_id
                    where i.credit_id = $1 and i.state = 'assigned' and a.client_id = $2`),
    values: [creditId, clientId],
  })
  if (sources.length === 0) {
    throw new Refusal(rows[0].isOfPayment ? 'credit_of_payment' : 'credit_not_refundable')
  }
  const heldKobo = sources.reduce<bigint>((sum, source) => sum + source.heldKobo, 0n)
  const leftKobo = kobo(heldKobo - (await sumRefunded(tx, clientId, { creditId })))
  return { sources, leftKobo, currency: rows[0].currency }
}

// Only this client's refunds, since other clients may own parts of a credit. Includes refunds of money
// that the bank has reversed since.
async function sumRefunded(tx: Transaction, clientId: ClientId, of: RefundOf): Promise<bigint> {
  const [column, id] = 'paymentId' in of ? ['payment_id', of.paymentId] : ['credit_id', of.creditId]
  const { rows } = await tx.query<{ kobo: bigint }>({
    name: `sum-refunded-of-${column}`,
    text: `select coalesce(sum(p.amount_kobo), 0)::bigint as kobo
             from refunds r join payouts p on p.refund_id = r.id
            where r.${column} = $1 and r.client_id = $2 and ${STANDS}`,
    values: [id, clientId],
  })
  return rows[0]?.kobo ?? 0n
}

export type RefundSlice = { source: SourceToRefund; amountKobo: Kobo }

// In the order of the sources. A payer without an account from the bank cannot be paid.
export function sliceRefund({ sources, leftKobo }: Refundable, amountKobo: Kobo): RefundSlice[] {
  if (amountKobo > leftKobo) throw new Refusal('refund_too_large')
  const slices: RefundSlice[] = []
  let restKobo: bigint = amountKobo
  for (const source of sources) {
    if (!hasPayer(source)) continue
    const freeKobo = source.heldKobo - source.refundedKobo
    const takenKobo = freeKobo < restKobo ? freeKobo : restKobo
    if (takenKobo <= 0n) continue
    slices.push({ source, amountKobo: kobo(takenKobo) })
    restKobo -= takenKobo
  }
  if (restKobo > 0n) throw new Refusal('refund_payer_unknown')
  return slices
}

function hasPayer(source: Source): source is SourceToRefund {
  return source.fromAccountSealed !== null && source.fromBankCode !== null
}
