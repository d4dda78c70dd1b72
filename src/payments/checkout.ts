// Reads the checkout of an advice, and converts it to what a payer sees: the amount due, the account to send
// it to, and the status. Anybody who has the link can open it, so it never contains the customer's email
// address, phone number or bank account, and only the first letters of a payer's name.

import { accountName, MERCHANT_NAME } from '#accounts/account.ts'
import { findBank, type NameBank } from '#banks/directory.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import { issuesNumbers } from '#config/number-settings.ts'
import type { Queryable } from '#db/pool.ts'
import { type FeeQuote, QUOTE_COLUMNS, quoteFor } from '#fees/charges.ts'
import { readRules, ruleInForce } from '#fees/rules.ts'
import type { AdviceId, FeeRuleId, PaymentId } from '#ids.ts'
import { type Kobo, kobo, toNaira } from '#money.ts'
import { TROUBLED_BANKS } from '#records/alerts.ts'
import { codeOfId } from '#short-codes.ts'
import type { AmountPolicy } from './advice.ts'
import { SHOWN_LOGO, type ShownLogo } from './branding.ts'
import {
  buildCallBackUrl,
  isOpen,
  type PaymentNumber,
  REFUNDED,
  remainingKobo,
  statusAt,
} from './payment.ts'
import type { PaymentStatus } from './states.ts'

type CheckoutRow = {
  adviceId: AdviceId
  clientName: string
  merchantName: string // The name in account names.
  brandName: string | null
  brandColour: string | null
  supportEmail: string | null
  supportPhone: string | null
  supportUrl: string | null
  logo: ShownLogo | null
  wantedKobo: Kobo // The amount that the merchant asks for. The quote has the amount that the payer must pay.
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
  heldKobo: Kobo // The money sent for this payment that is now in suspense.
  transfers: Transfer[] | null // The transfers that paid it; null until it is paid.
}

type Transfer = {
  payerName: string | null
  payerBankCode: string | null
  sessionId: string
  bankCode: string
  accountNumber: string
}

type FlatRow = Omit<CheckoutRow, 'payment' | 'quote'> &
  Omit<FeeQuote, 'amountKobo'> & {
    amountKobo: Kobo | null // The amount of the payment.
    ruleId: FeeRuleId | null // The rule in force; null once there is a payment.
  } & { [K in keyof CheckoutPayment]: CheckoutPayment[K] | null }

// SQL scalar: the credits that are booked for the payment `p`, and the credits assigned to it from suspense,
// as JSON. Null until the payment is paid.
const TRANSFERS = `
  (select json_agg(json_build_object('payerName', t.source_account_name,
                                     'payerBankCode', t.source_bank_code,
                                     'sessionId', t.session_id, 'bankCode', t.bank_code,
                                     'accountNumber', t.account_number) order by t.id)
     from (select * from credits where payment_id = p.id and outcome = 'booked'
           union all
           select k.* from suspense_items i join credits k on k.id = i.credit_id
            where i.assigned_payment_id = p.id and i.state = 'assigned') as t
    where p.status = 'Successful')`

const RULE_NOW = ruleInForce({ clientId: 'a.client_id' }, '$2')

// Reads the checkouts of these advices. Advices that do not exist are left out.
export async function findCheckouts(
  db: Queryable,
  now: Date,
  adviceIds: readonly AdviceId[],
): Promise<CheckoutRow[]> {
  const { rows } = await db.query<FlatRow>({
    name: 'find-checkouts',
    text: `select a.id as advice_id, c.name as client_name, ${MERCHANT_NAME.c},
                  c.brand_name, c.brand_colour, c.brand_support_email as support_email,
                  c.brand_support_phone as support_phone,
                  c.brand_support_url as support_url, ${SHOWN_LOGO} as logo,
                  a.amount_kobo as wanted_kobo, a.amount_policy, a.narration, a.merchant_ref,
                  a.call_back_url, a.customer_name,
                  a.cancelled_at, ${TROUBLED_BANKS} as troubled_banks,
                  p.amount_kobo, ${QUOTE_COLUMNS},
                  case when p.id is null then ${RULE_NOW} end as rule_id,
                  p.id, p.status, p.amount_paid_kobo,
                  ${REFUNDED} as refunded_kobo, p.expires_at, p.closes_at,
                  p.updated_at, ${TRANSFERS} as transfers,
                  (select json_agg(json_build_object('bankCode', n.bank_code,
                                                     'accountNumber', n.account_number)
                                   order by n.issued_at, n.bank_code)
                     from payment_numbers n where n.payment_id = p.id) as numbers,
                  (select coalesce(sum(i.amount_kobo), 0)::bigint
                     from credits k join suspense_items i on i.credit_id = k.id
                    where k.payment_id = p.id
                      and i.state in ('open', 'returning')) as held_kobo
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
  return rows.map(({ id, status, amountPaidKobo, expiresAt, closesAt, updatedAt, ...row }) => {
    const { numbers, heldKobo, refundedKobo, transfers, amountKobo, ruleId, ...otherColumns } = row
    const { feeRuleId, quotedFeeKobo, quotedVatKobo, ...advice } = otherColumns
    // Before there is a payment, the amount is quoted by the fee rule in force. The payment then fixes the
    // quote.
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

type CheckoutStatus = PaymentStatus | 'Pending'
export type Checkout = ReturnType<typeof viewCheckout>
type CheckoutRendering = {
  mode: 'sandbox' | 'live'
  banks: readonly BankSettings[]
  nameBank: NameBank
  nameStyle: string
  canRequery: (bankCode: string) => boolean
  bankUse: ReadonlyMap<string, number>
  viewLogo: (logo: ShownLogo | null) => { path: string; width: number; height: number } | null
}

// Converts a checkout to what the payer sees. Its status is `Pending` until the payer requests the first
// number, which starts the time limit.
export function viewCheckout(row: CheckoutRow, now: Date, rendering: CheckoutRendering) {
  const { payment, quote } = row
  const status = checkoutStatus(row, now)
  const paidKobo = payment?.amountPaidKobo ?? kobo(0n)
  const numbers = payment?.numbers ?? []
  return {
    isTest: rendering.mode === 'sandbox', // If true, no real money moves.
    adviceReference: row.adviceId,
    paymentReference: payment?.id ?? null,
    shortCode: payment ? codeOfId('PAY', payment.id) : codeOfId('REQ', row.adviceId),
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
    accountName: accountName(rendering.nameStyle, row),
    numbers: numbers.map(({ bankCode, accountNumber }) => {
      return { bankCode, bankName: rendering.nameBank(bankCode), accountNumber }
    }),
    banks: mayGetNumber(status) ? sortBanks(rendering, row.troubledBanks) : [],
    expiresAt: payment?.expiresAt.toISOString() ?? null,
    closesAt: payment?.closesAt.toISOString() ?? null,
    paidAt: status === 'Successful' ? (payment?.updatedAt.toISOString() ?? null) : null,
    canRequery: numbers.some(({ bankCode }) => rendering.canRequery(bankCode)),
    ...viewTransfers(payment?.transfers ?? [], rendering),
    supportEmail: row.supportEmail,
    supportPhone: row.supportPhone,
    supportUrl: row.supportUrl,
    logo: rendering.viewLogo(row.logo),
    returnUrl: payment ? buildCallBackUrl({ ...row, id: payment.id }) : row.callBackUrl,
  }
}

// The part of the checkout that becomes the receipt: who paid, from which banks, and to which numbers, each
// once.
function viewTransfers(transfers: readonly Transfer[], { nameBank }: CheckoutRendering) {
  const payerBanks = transfers.flatMap(({ payerBankCode }) => {
    return payerBankCode === null ? [] : nameBank(payerBankCode)
  })
  const paidInto = new Map(
    transfers.map(({ bankCode, accountNumber }) => {
      return [accountNumber, { bankCode, bankName: nameBank(bankCode), accountNumber }]
    }),
  )
  const payerNames = transfers.flatMap(({ payerName }) => (payerName ? maskName(payerName) : []))
  return {
    payerNames: [...new Set(payerNames)],
    payerBanks: [...new Set(payerBanks)],
    sessionIds: transfers.map(({ sessionId }) => sessionId),
    paidInto: [...paidInto.values()],
  }
}

// Reduces a name to the first letters of its words: payers recognise their own name, and others learn little.
function maskName(name: string): string {
  const words = name.normalize().split(/\s+/).filter(Boolean)
  return words.map((word) => `${[...word][0]}***`).join(' ')
}

// Orders the banks to choose from: healthy banks first, then by use, then as in the settings. A troubled bank
// is still offered, because the payer may have no account at another.
function sortBanks({ banks, bankUse }: CheckoutRendering, troubled: readonly string[]) {
  const rank = ({ code }: { code: string }) => [
    Number(troubled.includes(code)),
    -(bankUse.get(code) ?? 0),
  ]
  return banks
    .filter((bank) => issuesNumbers(bank, 'dynamic'))
    .map(({ code, name }) => ({ code, name, otherNames: otherNames(code, name) }))
    .toSorted((one, other) => {
      const [byHealth = 0, byUse = 0] = rank(one).map((value, index) => {
        return value - (rank(other)[index] ?? 0)
      })
      return byHealth || byUse
    })
}

const COUNTED_PAYMENTS = 1_000
const COUNT_AGAIN_MS = 600_000

// Returns a function that tells how often each bank was chosen in the latest payments of all clients. It
// counts again after ten minutes. If a count fails, the banks stay in the order of the settings until the
// next one.
export function bankUseOf(db: Queryable, realClock: () => Date) {
  let counted: Promise<ReadonlyMap<string, number>> | undefined
  let dueMs = 0
  return () => {
    const nowMs = realClock().getTime()
    if (counted === undefined || nowMs >= dueMs) {
      dueMs = nowMs + COUNT_AGAIN_MS
      counted = countBankUse(db).catch(() => new Map())
    }
    return counted
  }
}

// Counts the numbers that were issued at each bank for the latest payments.
async function countBankUse(db: Queryable): Promise<ReadonlyMap<string, number>> {
  const { rows } = await db.query<{ bankCode: string; count: number }>({
    name: 'count-bank-use',
    text: `select n.bank_code, count(*)::int as count
             from (select id from payments order by id desc limit ${COUNTED_PAYMENTS}) as p
            cross join lateral (
              select bank_code from payment_numbers where payment_id = p.id limit 10) as n
            group by n.bank_code`,
  })
  return new Map(rows.map(({ bankCode, count }) => [bankCode, count]))
}

// The other names of a bank, by which payers may search for it. Leaves out names that start with the bank's
// name, because a search for that finds the bank anyway.
function otherNames(code: string, name: string): string[] {
  const names = findBank(code)?.otherNames ?? []
  return names.filter((otherName) => !otherName.toLowerCase().startsWith(name.toLowerCase()))
}

// Returns the parts of the amount that the payer must pay (quote.amountKobo), or null unless the payer bears
// the fee. The quote is rounded up to whole kobo, so that the merchant never gets less than wantedKobo;
// `rounding` is the difference that this may leave.
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

// The status to show: that of the payment or, before the first number, of the advice.
function checkoutStatus({ cancelledAt, payment }: CheckoutRow, now: Date): CheckoutStatus {
  if (payment) return statusAt(payment, now)
  return cancelledAt ? 'Cancelled' : 'Pending'
}

function mayGetNumber(status: CheckoutStatus): boolean {
  return status === 'Pending' || isOpen(status)
}
