// What a payer sees of an advice: the amount due, where to send it, and its status. The reference
// is the only credential, so nothing else is shown of the customer: no email address, phone number or
// bank account.

import { findBank } from '#banks/directory.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import { issuesNumbers } from '#config/number-settings.ts'
import type { Queryable } from '#db/pool.ts'
import { accountName, MERCHANT_NAME } from '#domain/accounts/account-names.ts'
import { type FeeQuote, QUOTE_COLUMNS, quoteFor } from '#domain/fees/fee-quotes.ts'
import { readRules, ruleInForce } from '#domain/fees/fee-rules.ts'
import { TROUBLED_BANKS } from '#domain/records/bank-trouble.ts'
import type { AdviceId, FeeRuleId, PaymentId } from '#ids.ts'
import { type Kobo, kobo, toNaira } from '#money.ts'
import type { AmountPolicy } from './advices.ts'
import { SHOWN_LOGO, type ShownLogo } from './logos.ts'
import {
  isOpen,
  type PaymentNumber,
  type PaymentStatus,
  REFUNDED,
  remainingKobo,
  statusAt,
} from './payments.ts'
import { buildCallBackUrl, type NameBank } from './resource-presenters.ts'

type CheckoutRow = {
  adviceId: AdviceId
  clientName: string
  merchantName: string // As in the account name.
  brandName: string | null
  brandColour: string | null
  supportEmail: string | null
  supportPhone: string | null
  supportUrl: string | null
  logo: ShownLogo | null
  wantedKobo: Kobo // By the merchant; the quote says what the payer is asked for.
  quote: FeeQuote
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
  refundedKobo: Kobo
  expiresAt: Date
  closesAt: Date
  updatedAt: Date
  numbers: PaymentNumber[]
  heldKobo: Kobo // Sent for this payment, and in suspense now.
  transfers: Transfer[] // That it was paid with, once it is.
}

type Transfer = { payerBankCode: string | null; bankCode: string; accountNumber: string }

type Flat = Omit<CheckoutRow, 'payment' | 'quote'> &
  Omit<FeeQuote, 'amountKobo'> & {
    amountKobo: Kobo | null // Of the payment.
    ruleId: FeeRuleId | null // In force, where there is no payment yet.
  } & { [K in keyof CheckoutPayment]: CheckoutPayment[K] | null }

// What was booked for it, and what was assigned to it from suspense.
const TRANSFERS = `
  (select json_agg(json_build_object('payerBankCode', t.source_bank_code, 'bankCode', t.bank_code,
                                     'accountNumber', t.account_number) order by t.id)
     from (select * from credits where payment_id = p.id and outcome = 'booked'
           union all
           select k.* from suspense_items i join credits k on k.id = i.credit_id
            where i.assigned_payment_id = p.id and i.state = 'assigned') as t
    where p.status = 'Successful')`

const RULE_NOW = ruleInForce({ clientId: 'a.client_id' }, '$2')

export async function findCheckouts(
  db: Queryable,
  now: Date,
  adviceIds: readonly AdviceId[],
): Promise<CheckoutRow[]> {
  const { rows } = await db.query<Flat>({
    name: 'find-checkouts',
    text: `select a.id as "adviceId", c.name as "clientName", ${MERCHANT_NAME.c},
                  c.brand_name as "brandName", c.brand_colour as "brandColour",
                  c.brand_support_email as "supportEmail",
                  c.brand_support_phone as "supportPhone",
                  c.brand_support_url as "supportUrl", ${SHOWN_LOGO} as logo,
                  a.amount_kobo as "wantedKobo",
                  a.amount_policy as "amountPolicy", a.narration, a.merchant_ref as "merchantRef",
                  a.call_back_url as "callBackUrl", a.customer_name as "customerName",
                  a.cancelled_at as "cancelledAt", ${TROUBLED_BANKS} as "troubledBanks",
                  p.amount_kobo as "amountKobo", ${QUOTE_COLUMNS},
                  case when p.id is null then ${RULE_NOW} end as "ruleId",
                  p.id, p.status, p.amount_paid_kobo as "amountPaidKobo",
                  ${REFUNDED} as "refundedKobo",
                  p.expires_at as "expiresAt", p.closes_at as "closesAt",
                  p.updated_at as "updatedAt", ${TRANSFERS} as transfers,
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
    values: [adviceIds, now],
  })
  const rules = await readRules(
    db,
    rows.map(({ ruleId }) => ruleId),
  )
  return rows.map(({ id, status, amountPaidKobo, expiresAt, closesAt, updatedAt, ...rest }) => {
    const { numbers, heldKobo, refundedKobo, transfers, amountKobo, ruleId, ...others } = rest
    const { feeRuleId, quotedFeeKobo, quotedVatKobo, ...advice } = others
    const quote =
      amountKobo === null
        ? quoteFor(ruleId === null ? undefined : rules.get(ruleId), advice.wantedKobo)
        : { amountKobo, feeRuleId, quotedFeeKobo, quotedVatKobo }
    const payment = {
      id,
      status,
      amountPaidKobo,
      refundedKobo,
      expiresAt,
      closesAt,
      updatedAt,
      numbers,
      heldKobo,
      transfers,
    }
    return { ...advice, quote, payment: id === null ? null : (payment as CheckoutPayment) }
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
  viewLogo: (logo: ShownLogo | null) => { path: string; width: number; height: number } | null
}

// Pending: no number was asked for yet, and the clock has not started.
export function viewCheckout(row: CheckoutRow, now: Date, how: CheckoutRendering) {
  const { payment, quote } = row
  const status = checkoutStatus(row, now)
  const paidKobo = payment?.amountPaidKobo ?? kobo(0n)
  const numbers = payment?.numbers ?? []
  return {
    isTest: how.mode === 'sandbox', // No real money moves.
    adviceReference: row.adviceId,
    paymentReference: payment?.id ?? null,
    merchantRef: row.merchantRef,
    merchantName: row.brandName ?? row.clientName,
    narration: row.narration,
    status,
    amountPolicy: row.amountPolicy,
    amount: toNaira(quote.amountKobo),
    fees: viewFees(row),
    amountPaid: toNaira(paidKobo),
    amountRemaining: toNaira(
      remainingKobo(payment?.status ?? 'Processing', quote.amountKobo, paidKobo),
    ),
    amountRefunded: toNaira(payment?.refundedKobo ?? kobo(0n)),
    amountHeld: toNaira(payment?.heldKobo ?? kobo(0n)),
    accountName: accountName(how.nameStyle, row),
    numbers: numbers.map(({ bankCode, accountNumber }) => {
      return { bankCode, bankName: how.nameBank(bankCode), accountNumber }
    }),
    banks: mayGetNumber(status) ? healthyFirst(how.banks, row.troubledBanks) : [],
    expiresAt: payment?.expiresAt.toISOString() ?? null,
    closesAt: payment?.closesAt.toISOString() ?? null,
    paidAt: status === 'Successful' ? (payment?.updatedAt.toISOString() ?? null) : null,
    canRequery: numbers.some(({ bankCode }) => how.canRequery(bankCode)),
    ...viewTransfers(payment?.transfers ?? [], how),
    supportEmail: row.supportEmail,
    supportPhone: row.supportPhone,
    supportUrl: row.supportUrl,
    logo: how.viewLogo(row.logo),
    returnUrl: payment ? buildCallBackUrl({ ...row, id: payment.id }) : row.callBackUrl,
  }
}

// For the receipt: which banks the money came from, and which numbers it came to. Each once.
function viewTransfers(transfers: readonly Transfer[], { nameBank }: CheckoutRendering) {
  const payerBanks = transfers.flatMap(({ payerBankCode }) => {
    return payerBankCode === null ? [] : nameBank(payerBankCode)
  })
  const paidInto = new Map(
    transfers.map(({ bankCode, accountNumber }) => {
      return [accountNumber, { bankCode, bankName: nameBank(bankCode), accountNumber }]
    }),
  )
  return { payerBanks: [...new Set(payerBanks)], paidInto: [...paidInto.values()] }
}

// Else in the order of the settings. A bank in trouble is still offered: the payer may have no other.
function healthyFirst(banks: readonly BankSettings[], troubled: readonly string[]) {
  const offered = banks
    .filter((bank) => issuesNumbers(bank, 'dynamic'))
    .map(({ code, name }) => ({ code, name, otherNames: otherNames(code, name) }))
  const isHealthy = ({ code }: { code: string }) => !troubled.includes(code)
  return [...offered.filter(isHealthy), ...offered.filter((bank) => !isHealthy(bank))]
}

// What payers call the bank too, for the search: only what its name does not say already.
function otherNames(code: string, name: string): string[] {
  const known = findBank(code)?.otherNames ?? []
  return known.filter((each) => !each.toLowerCase().startsWith(name.toLowerCase()))
}

// Where the customer bears them; the lines sum to the amount. What the payer is asked for is a whole
// number of kobo that leaves the merchant never short, so a kobo may be over.
function viewFees({ wantedKobo, quote }: CheckoutRow) {
  const { amountKobo, quotedFeeKobo, quotedVatKobo } = quote
  if (quotedFeeKobo === null || quotedVatKobo === null) return null
  return {
    amount: toNaira(wantedKobo),
    fee: toNaira(quotedFeeKobo),
    vat: toNaira(quotedVatKobo),
    rounding: toNaira(kobo(amountKobo - wantedKobo - quotedFeeKobo - quotedVatKobo)),
  }
}

function checkoutStatus({ cancelledAt, payment }: CheckoutRow, now: Date): CheckoutStatus {
  if (payment) return statusAt(payment, now)
  return cancelledAt ? 'Cancelled' : 'Pending'
}

function mayGetNumber(status: CheckoutStatus): boolean {
  return status === 'Pending' || isOpen(status)
}
