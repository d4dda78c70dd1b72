// Requests a refund from the client's available money, and refuses it if that is not enough. The money
// moves at once, even if the refund waits for approval, so that nothing else can spend it.
//
//   Available, Collection accounts → Refunding     per payout (settle-payout.ts posts the rest)
//
// Locks: the client, the refunded money (refundable.ts), the client's payout settings, ledger accounts.

import type { Transaction } from '#db/transaction.ts'
import { type Client, refuseSuspended } from '#domain/access/clients.ts'
import { createPayouts } from '#domain/payouts/create-payouts.ts'
import { type Draw, drawAvailable } from '#domain/payouts/draw-available.ts'
import { type ApproverCount, countApprovers } from '#domain/payouts/payout-settings.ts'
import type { NewPayout } from '#domain/payouts/payouts.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import type { PayoutId } from '#ids.ts'
import { clientOwner, type SharedAccounts } from '#ledger/accounts.ts'
import { postTransfers, type Transfer } from '#ledger/transfers.ts'
import { formatKobo, type Kobo, kobo } from '#money.ts'
import type { Sealer } from '#seal.ts'
import { lockRefundable, type RefundOf, type RefundSlice, sliceRefund } from './refundable.ts'
import { newRefundReference } from './refunds.ts'

type Deps = { sealer: Sealer; sharedAccounts: SharedAccounts; now: Date }
type By = { client: Client; actor: string }
type Input = By & { of: RefundOf; amountKobo: Kobo; reason: string }
type Payouts = { id: PayoutId; reference: string }[]

// Returns the reference.
export async function requestRefund(tx: Transaction, deps: Deps, input: Input): Promise<string> {
  const { client, actor, of, amountKobo, reason } = input
  const { now, sharedAccounts } = deps
  await refuseSuspended(tx, client.id)
  const refundable = await lockRefundable(tx, client.id, of)
  const slices = sliceRefund(refundable, amountKobo)
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
  const drawing = { clientId: client.id, currency, amountKobo, into }
  const draws = await drawAvailable(tx, sharedAccounts, drawing)
  const parts = slices.map((slice, index) => ({ ...slice, ...(payouts[index] as Payouts[0]) }))
  await postTransfers(tx, now, pair(draws, parts, sharedAccounts.id(refunding)))
  await writeAuditLog(tx, now, {
    clientId: client.id,
    actor,
    action: 'refund.create',
    subject: 'paymentId' in of ? `payment/${of.paymentId}` : `credit/${of.creditId}`,
    detail: { reference, amount: formatKobo(amountKobo), currency, note: reason },
  })
  return reference
}

type PayoutTerms = Input & { slice: RefundSlice; reference: string; approversNeeded: ApproverCount }

function toPayout(
  { sealer }: Deps,
  { slice: { source, amountKobo }, client, actor, reference, approversNeeded }: PayoutTerms,
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
    approversNeeded,
    creditId: source.creditId,
  }
}

type NewRefund = {
  input: Input
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
  const { client, actor, of, amountKobo, reason } = input
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
      'paymentId' in of ? of.paymentId : null,
      'creditId' in of ? of.creditId : null,
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

// The sums of both are equal.
function pair(
  draws: readonly Draw[],
  parts: readonly { id: PayoutId; amountKobo: Kobo }[],
  creditAccountId: Transfer['creditAccountId'],
): Transfer[] {
  const transfers: Transfer[] = []
  const left = draws.map((draw) => ({ ...draw }))
  for (const { id: payoutId, amountKobo } of parts) {
    let restKobo: bigint = amountKobo
    for (const draw of left) {
      const takenKobo = draw.amountKobo < restKobo ? draw.amountKobo : restKobo
      if (takenKobo === 0n) continue
      const debitAccountId = draw.accountId
      const move = { debitAccountId, creditAccountId, amountKobo: kobo(takenKobo), payoutId }
      transfers.push({ ...move, reason: 'refund' })
      draw.amountKobo = kobo(draw.amountKobo - takenKobo)
      restKobo -= takenKobo
    }
  }
  return transfers
}
