// What a payer sees of an advice: the amount due, where to send it, and its status. The reference
// is the only credential, so nothing else is shown: no email address, phone number or bank account.

import type { BankSettings } from '#config/bank-settings.ts'
import { issuesNumbers } from '#config/number-settings.ts'
import type { Queryable } from '#db/pool.ts'
import { accountName } from '#domain/accounts/account-names.ts'
import { TROUBLED_BANKS } from '#domain/records/bank-trouble.ts'
import type { AdviceId, PaymentId } from '#ids.ts'
import { type Kobo, kobo, toNaira } from '#money.ts'
import type { AmountPolicy } from './advices.ts'
import {
  isOpen,
  type PaymentNumber,
  type PaymentStatus,
  remainingKobo,
  statusAt,
} from './payments.ts'
import { buildCallBackUrl, type NameBank } from './resource-presenters.ts'

type CheckoutRow = {
  adviceId: AdviceId
  clientMerchantName: string // As in the account name.
  brandName: string | null
  brandColour: string | null
  amountKobo: Kobo
  amountPolicy: AmountPolicy
  narration: string | null
  merchantRef: string | null
  callBackUrl: string
  customerName: string
  cancelledAt: Date | null
  troubledBanks: string[]
  payment: CheckoutPayment | null
}

type CheckoutPayment = {
  id: PaymentId
  status: PaymentStatus
  amountPaidKobo: Kobo
  expiresAt: Date
  closesAt: Date
  updatedAt: Date
  numbers: PaymentNumber[]
  heldKobo: Kobo // Sent for this payment, and in suspense now.
}

type Flat = Omit<CheckoutRow, 'payment'> & {
  [K in keyof CheckoutPayment]: CheckoutPayment[K] | null
}

export async function findCheckouts(
  db: Queryable,
  adviceIds: readonly AdviceId[],
): Promise<CheckoutRow[]> {
  const { rows } = await db.query<Flat>({
    name: 'find-checkouts',
    text: `select a.id as "adviceId", c.name as "clientMerchantName", c.brand_name as "brandName",
                  c.brand_colour as "brandColour", a.amount_kobo as "amountKobo",
                  a.amount_policy as "amountPolicy", a.narration, a.merchant_ref as "merchantRef",
                  a.call_back_url as "callBackUrl", a.customer_name as "customerName",
                  a.cancelled_at as "cancelledAt", ${TROUBLED_BANKS} as "troubledBanks",
                  p.id, p.status, p.amount_paid_kobo as "amountPaidKobo",
                  p.expires_at as "expiresAt", p.closes_at as "closesAt",
                  p.updated_at as "updatedAt",
                  (select json_agg(json_build_object('bankCode', n.bank_code,
                                                     'accountNumber', n.account_number)
                                   order by n.issued_at, n.bank_code)
                     from payment_numbers n where n.payment_id = p.id) as numbers,
                  (select coalesce(sum(i.amount_kobo), 0)::bigint
                     from credits k join suspense_items i on i.credit_id = k.id
                    where k.payment_id = p.id
                      and i.state in ('open', 'returning')) as "heldKobo"
             from advices a
             join clients c on c.id = a.client_id
             left join payments p on p.advice_id = a.id
            where a.id = any($1::uuid[])`,
    values: [adviceIds],
  })
  return rows.map(({ id, status, amountPaidKobo, expiresAt, closesAt, updatedAt, ...rest }) => {
    const { numbers, heldKobo, ...advice } = rest
    const payment = {
      id,
      status,
      amountPaidKobo,
      expiresAt,
      closesAt,
      updatedAt,
      numbers,
      heldKobo,
    }
    return { ...advice, payment: id === null ? null : (payment as CheckoutPayment) }
  })
}

export type CheckoutStatus = PaymentStatus | 'Pending'
export type Checkout = ReturnType<typeof viewCheckout>
type CheckoutRendering = {
  mode: 'sandbox' | 'live'
  banks: readonly BankSettings[]
  nameBank: NameBank
  nameStyle: string
  canRequery: (bankCode: string) => boolean
}

// Pending: no number was asked for yet, and the clock has not started.
export function viewCheckout(row: CheckoutRow, now: Date, how: CheckoutRendering) {
  const { payment } = row
  const status = checkoutStatus(row, now)
  const paidKobo = payment?.amountPaidKobo ?? kobo(0n)
  const names = { merchantName: row.clientMerchantName, customerName: row.customerName }
  const numbers = payment?.numbers ?? []
  return {
    isTest: how.mode === 'sandbox', // No real money moves.
    adviceReference: row.adviceId,
    paymentReference: payment?.id ?? null,
    merchantRef: row.merchantRef,
    merchantName: row.brandName ?? row.clientMerchantName,
    narration: row.narration,
    status,
    amountPolicy: row.amountPolicy,
    amount: toNaira(row.amountKobo),
    amountPaid: toNaira(paidKobo),
    amountRemaining: toNaira(
      remainingKobo(payment?.status ?? 'Processing', row.amountKobo, paidKobo),
    ),
    amountHeld: toNaira(payment?.heldKobo ?? kobo(0n)),
    accountName: accountName(how.nameStyle, names),
    numbers: numbers.map(({ bankCode, accountNumber }) => {
      return { bankCode, bankName: how.nameBank(bankCode), accountNumber }
    }),
    banks: mayGetNumber(status) ? healthyFirst(how.banks, row.troubledBanks) : [],
    expiresAt: payment?.expiresAt.toISOString() ?? null,
    closesAt: payment?.closesAt.toISOString() ?? null,
    paidAt: status === 'Successful' ? (payment?.updatedAt.toISOString() ?? null) : null,
    canRequery: numbers.some(({ bankCode }) => how.canRequery(bankCode)),
    returnUrl: payment ? buildCallBackUrl({ ...row, id: payment.id }) : row.callBackUrl,
  }
}

// Else in the order of the settings. A bank in trouble is still offered: the payer may have no other.
function healthyFirst(banks: readonly BankSettings[], troubled: readonly string[]) {
  const offered = banks
    .filter((bank) => issuesNumbers(bank, 'dynamic'))
    .map(({ code, name }) => ({ code, name }))
  const isHealthy = ({ code }: { code: string }) => !troubled.includes(code)
  return [...offered.filter(isHealthy), ...offered.filter((bank) => !isHealthy(bank))]
}

function checkoutStatus({ cancelledAt, payment }: CheckoutRow, now: Date): CheckoutStatus {
  if (payment) return statusAt(payment, now)
  return cancelledAt ? 'Cancelled' : 'Pending'
}

function mayGetNumber(status: CheckoutStatus): boolean {
  return status === 'Pending' || isOpen(status)
}
