// Requests a refund: finds the refundable amount of a payment or a credit and the payers to refund, and
// creates the payouts.
//
// I58: the refundable amount is the amount received, less reversals and refunds, including pending refunds. A
// refund takes money from the newest credit first. It pays each part to the account that sent the credit, so
// it never takes more from a credit than the credit brought.
// Locks: the payment; or the suspense items of the credit, then the credit, as a reversal does.

import { type Client, refuseSuspended } from '#access/permissions.ts'
import { lockPayments } from '#credits/balances.ts'
import { lockItems } from '#credits/suspense-items.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { refuseHeldCredit } from '#holds/hold.ts'
import type { ClientId, CreditId, PaymentId, PayoutId, SuspenseItemId, UserId } from '#ids.ts'
import { clientOwner, type SharedAccounts } from '#ledger/accounts.ts'
import { postTransfers, type Transfer } from '#ledger/transfers.ts'
import { formatKobo, type Kobo, kobo } from '#money.ts'
import { type Draw, drawAvailable } from '#payouts/available.ts'
import type { NewPayout } from '#payouts/payout.ts'
import { createPayouts } from '#payouts/request.ts'
import { type ApproverCount, countApprovers } from '#payouts/settings.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import type { Sealer } from '#seal.ts'
import { newRefundReference } from './refund.ts'

export type RefundTarget = { paymentId: PaymentId } | { creditId: CreditId }

// A part of a credit that is or was the client's: the booked amount, or an assigned suspense item.
type Source = {
  creditId: CreditId
  itemId: SuspenseItemId | null // The assigned suspense item; null for the booked amount.
  heldKobo: Kobo // The amount that the bank has not reversed. It may have been paid out since.
  refundedKobo: Kobo // Includes pending refunds.
  currency: string
  bankCode: string // The bank that received the money.
  fromAccountSealed: Buffer | null
  fromAccountName: string | null
  fromBankCode: string | null
}

type SourceToRefund = Source & { fromAccountSealed: Buffer; fromBankCode: string }

type Refundable = { sources: Source[]; refundableKobo: Kobo; currency: string }

// SQL condition: the payout `p` belongs to a refund, and has neither failed nor been cancelled.
const IS_STANDING = `p.refund_id is not null and p.status not in ('failed', 'cancelled')`

// SQL query: the sources among the amounts that `held` selects, the newest credit first.
const selectSources = (held: string) => `
  select h.credit_id, h.item_id, h.kobo as held_kobo, c.currency,
         c.bank_code, c.source_account_sealed as from_account_sealed,
         c.source_account_name as from_account_name, c.source_bank_code as from_bank_code,
         (select coalesce(sum(p.amount_kobo), 0)::bigint from payouts p
           where p.credit_id = h.credit_id and p.item_id is not distinct from h.item_id
             and ${IS_STANDING}) as refunded_kobo
    from (${held}) as h (credit_id, item_id, kobo)
    join credits c on c.id = h.credit_id
   where h.kobo > 0
   order by h.credit_id desc, h.item_id`

const BOOKED_KOBO = 'amount_kobo - suspended_kobo - reversed_kobo'

// Locks a payment or credit, and finds how much of it can be refunded and from which sources.
async function lockRefundable(
  tx: Transaction,
  clientId: ClientId,
  target: RefundTarget,
): Promise<Refundable> {
  return 'paymentId' in target
    ? await lockPayment(tx, clientId, target.paymentId)
    : await lockCredit(tx, clientId, target.creditId)
}

// Locks a payment, and finds the credits and assigned suspense items that paid it. Refuses a
// payment that was never successful.
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
    text: selectSources(`select id, null::bigint, ${BOOKED_KOBO} from credits where payment_id = $1
                   union all
                   select credit_id, id, amount_kobo from suspense_items
                    where assigned_payment_id = $1 and state = 'assigned'`),
    values: [paymentId],
  })
  const refundedKobo = await sumRefunded(tx, clientId, { paymentId })
  const refundableKobo = kobo(payment.amountPaidKobo - refundedKobo)
  return { sources, refundableKobo, currency: payment.currency }
}

// Locks a credit, and finds the parts of it that reached the client's collection accounts. The part that
// paid a payment is refunded through the payment. The caller has read the credit, so it exists.
async function lockCredit(
  tx: Transaction,
  clientId: ClientId,
  creditId: CreditId,
): Promise<Refundable> {
  // Locks the credit's suspense items before the credit, as a reversal does, so that the two cannot deadlock.
  await lockItems(tx, 'credit_id', creditId)
  const { rows } = await tx.query<{ currency: string; isOfPayment: boolean }>({
    name: 'lock-credit-to-refund',
    text: `select currency, payment_id is not null and ${BOOKED_KOBO} > 0 as is_of_payment
             from credits where id = $1 for no key update`,
    values: [creditId],
  })
  const { currency, isOfPayment } = rows[0] as (typeof rows)[0]
  const { rows: sources } = await tx.query<Source>({
    name: 'sources-of-credit',
    text: selectSources(`select id, null::bigint, ${BOOKED_KOBO} from credits
                    where id = $1 and client_id = $2 and collection_account_id is not null
                   union all
                   select i.credit_id, i.id, i.amount_kobo
                     from suspense_items i join collection_accounts a on a.id = i.assigned_account_id
                    where i.credit_id = $1 and i.state = 'assigned' and a.client_id = $2`),
    values: [creditId, clientId],
  })
  if (sources.length === 0) {
    throw new Refusal(isOfPayment ? 'credit_of_payment' : 'credit_not_refundable')
  }
  const heldKobo = sources.reduce<bigint>((sum, source) => sum + source.heldKobo, 0n)
  const refundableKobo = kobo(heldKobo - (await sumRefunded(tx, clientId, { creditId })))
  return { sources, refundableKobo, currency }
}

// Sums the refunds of a payment or credit that neither failed nor were cancelled, including refunds of
// money that the bank has since reversed. Counts this client's refunds only, because other clients may own
// parts of a credit.
async function sumRefunded(
  tx: Transaction,
  clientId: ClientId,
  target: RefundTarget,
): Promise<bigint> {
  const [column, id] =
    'paymentId' in target ? ['payment_id', target.paymentId] : ['credit_id', target.creditId]
  const { rows } = await tx.query<{ kobo: bigint }>({
    name: `sum-refunded-of-${column}`,
    text: `select coalesce(sum(p.amount_kobo), 0)::bigint as kobo
             from refunds r join payouts p on p.refund_id = r.id
            where r.${column} = $1 and r.client_id = $2 and ${IS_STANDING}`,
    values: [id, clientId],
  })
  return rows[0]?.kobo ?? 0n
}

type RefundSlice = { source: SourceToRefund; amountKobo: Kobo }

// Takes the amount from the sources in their order. Skips sources whose payer's account the bank did not
// report, because the bank cannot pay such a payer.
function sliceRefund({ sources, refundableKobo }: Refundable, amountKobo: Kobo): RefundSlice[] {
  if (amountKobo > refundableKobo) throw new Refusal('refund_too_large')
  const slices: RefundSlice[] = []
  let missingKobo: bigint = amountKobo
  for (const source of sources) {
    if (!hasPayer(source)) continue
    const freeKobo = source.heldKobo - source.refundedKobo
    const takenKobo = freeKobo < missingKobo ? freeKobo : missingKobo
    if (takenKobo <= 0n) continue
    slices.push({ source, amountKobo: kobo(takenKobo) })
    missingKobo -= takenKobo
  }
  if (missingKobo > 0n) throw new Refusal('refund_payer_unknown')
  return slices
}

// The bank can pay a payer only if it reported the payer's account and bank.
function hasPayer(source: Source): source is SourceToRefund {
  return source.fromAccountSealed !== null && source.fromBankCode !== null
}

type Deps = { sealer: Sealer; sharedAccounts: SharedAccounts; now: Date }
type RefundInput = {
  client: Client
  actor: string
  userId: UserId | null
  target: RefundTarget
  amountKobo: Kobo
  reason: string
}
type Payouts = { id: PayoutId; reference: string }[]

// Requests a refund from the client's available money, and refuses it if there is too little. The money moves
// at once, even if the refund waits for approval, so that nothing else can spend it.
//
//   Available, Collection accounts → Refunding     per payout (payouts/settle.ts posts the next step)
//
// Returns the refund's reference.
// Locks: the client, the refunded money (top of this file), the client's payout settings, ledger accounts.
export async function requestRefund(
  tx: Transaction,
  deps: Deps,
  input: RefundInput,
): Promise<string> {
  const { client, actor, target, amountKobo, reason } = input
  const { now, sharedAccounts } = deps
  await refuseSuspended(tx, client.id)
  const refundable = await lockRefundable(tx, client.id, target)
  const slices = sliceRefund(refundable, amountKobo)
  for (const { source } of slices) await refuseHeldCredit(tx, source.creditId)
  const { currency } = refundable
  const reference = newRefundReference()
  const approversNeeded = await countApprovers(tx, { clientId: client.id, actor, amountKobo })
  const payouts = await createPayouts(
    tx,
    deps,
    slices.map((slice) => toPayout(deps, { ...input, slice, reference, approversNeeded })),
  )
  await insertRefund(tx, now, { input, reference, currency, slices, payouts })

  const owner = clientOwner(client.id)
  const refunding = { kind: 'refunding', owner, currency } as const
  await sharedAccounts.open([refunding])
  const into = [sharedAccounts.id(refunding)]
  // `into`: drawAvailable() also locks the account that the money goes to.
  const drawing = { clientId: client.id, currency, amountKobo, now, into }
  const draws = await drawAvailable(tx, sharedAccounts, drawing)
  const parts = slices.map((slice, index) => ({ ...slice, ...(payouts[index] as Payouts[0]) }))
  await postTransfers(tx, now, toTransfers(draws, parts, sharedAccounts.id(refunding)))
  await writeAuditLog(tx, now, {
    clientId: client.id,
    actor,
    action: 'refund.create',
    subject: 'paymentId' in target ? `payment/${target.paymentId}` : `credit/${target.creditId}`,
    detail: { reference, amount: formatKobo(amountKobo), currency, note: reason },
  })
  return reference
}

type PayoutTerms = RefundInput & {
  slice: RefundSlice
  reference: string
  approversNeeded: ApproverCount
}

// Makes the payout of one part of a refund, to the account that sent the credit, from the bank that received
// it.
function toPayout(
  { sealer }: Deps,
  { slice: { source, amountKobo }, client, actor, userId, reference, approversNeeded }: PayoutTerms,
): NewPayout {
  return {
    clientId: client.id,
    purpose: 'refund',
    bankCode: source.bankCode,
    amountKobo,
    currency: source.currency,
    to: {
      bankCode: source.fromBankCode,
      accountNumber: sealer.open(source.fromAccountSealed),
      accountName: source.fromAccountName ?? '',
    },
    narration: `Refund ${reference}`,
    requestedBy: actor,
    requestedByUser: userId,
    approversNeeded,
    creditId: source.creditId,
  }
}

type NewRefund = {
  input: RefundInput
  reference: string
  currency: string
  slices: readonly RefundSlice[]
  payouts: Payouts
}

async function insertRefund(
  tx: Transaction,
  now: Date,
  { input, reference, currency, slices, payouts }: NewRefund,
): Promise<void> {
  const { client, actor, target, amountKobo, reason } = input
  await tx.query({
    name: 'insert-refund',
    text: `with refund as (
             insert into refunds (reference, client_id, payment_id, credit_id, amount_kobo, currency,
                                  reason, requested_by, requested_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning id)
           update payouts p set refund_id = refund.id, item_id = n.item_id
             from refund, unnest($10::bigint[], $11::bigint[]) as n (id, item_id)
            where p.id = n.id`,
    values: [
      reference,
      client.id,
      'paymentId' in target ? target.paymentId : null,
      'creditId' in target ? target.creditId : null,
      amountKobo,
      currency,
      reason,
      actor,
      now,
      payouts.map(({ id }) => id),
      slices.map(({ source }) => source.itemId),
    ],
  })
}

// Splits the drawn money among the payouts of the refund: one transfer for each account that a payout takes
// money from. The sums of draws and payouts are equal.
function toTransfers(
  draws: readonly Draw[],
  parts: readonly { id: PayoutId; amountKobo: Kobo }[],
  creditAccountId: Transfer['creditAccountId'],
): Transfer[] {
  const transfers: Transfer[] = []
  const undrawn = draws.map((draw) => ({ ...draw }))
  for (const { id: payoutId, amountKobo } of parts) {
    let missingKobo: bigint = amountKobo
    for (const draw of undrawn) {
      const takenKobo = draw.amountKobo < missingKobo ? draw.amountKobo : missingKobo
      if (takenKobo === 0n) continue
      const debitAccountId = draw.accountId
      const move = { debitAccountId, creditAccountId, amountKobo: kobo(takenKobo), payoutId }
      transfers.push({ ...move, reason: 'refund' })
      draw.amountKobo = kobo(draw.amountKobo - takenKobo)
      missingKobo -= takenKobo
    }
  }
  return transfers
}
