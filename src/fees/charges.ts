// Fees on incoming money: quotes before the money arrives, charges when it is booked, and their return when a
// bank takes the money back.
//
// If the customer bears the fee, the payment requests the gross amount (grossUp) and stores the quote, so
// that later rules do not change the amount that the payer was shown. If the merchant bears the fee, the rule
// in force when the money is booked applies.

import { numberArray, plainArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import type { AccountId, ClientId, CreditId, FeeRuleId, SuspenseItemId } from '#ids.ts'
import { operatorOwner, type SharedAccount } from '#ledger/accounts.ts'
import type { Transfer } from '#ledger/transfers.ts'
import { CURRENCY, type Kobo, kobo } from '#money.ts'
import { computeFee, type FeeShare, feeLeft, grossUp, shareFee } from './fee.ts'
import type { FeeRule } from './rules.ts'

// The amount to request from the payer. Rule, fee and VAT are null if the merchant bears the fee.
export type FeeQuote = {
  amountKobo: Kobo
  feeRuleId: FeeRuleId | null
  quotedFeeKobo: Kobo | null
  quotedVatKobo: Kobo | null
}

export const QUOTE_COLUMNS = `
         p.fee_rule_id, p.quoted_fee_kobo, p.quoted_vat_kobo`

export function quoteFor(rule: FeeRule | undefined, targetKobo: Kobo): FeeQuote {
  if (rule?.bearer !== 'customer') {
    return { amountKobo: targetKobo, feeRuleId: null, quotedFeeKobo: null, quotedVatKobo: null }
  }
  const amountKobo = grossUp(rule, targetKobo)
  const { feeKobo, vatKobo } = computeFee(rule, amountKobo)
  return { amountKobo, feeRuleId: rule.id, quotedFeeKobo: feeKobo, quotedVatKobo: vatKobo }
}

type AdviceCharges = {
  chargeKobo: Kobo // The fee.
  vatChargeKobo: Kobo // The VAT on the fee.
  customerChargeKobo: Kobo // Paid by the payer on top of the target amount.
  merchantChargeKobo: Kobo // Deducted from the payment.
}

type PaymentFees = FeeQuote & { isSettled: boolean; chargedFeeKobo: Kobo; chargedVatKobo: Kobo }

// Returns the actual charges of a settled payment. Before settlement, returns the expected charges by the
// payment's quote or the rule in force.
export function describeCharges(
  targetKobo: Kobo,
  rule: FeeRule | undefined,
  payment: PaymentFees | undefined,
): AdviceCharges {
  const quote = payment ?? quoteFor(rule, targetKobo)
  const isCustomers = quote.feeRuleId !== null
  const expected =
    isCustomers || !rule || rule.bearer === 'customer'
      ? { feeKobo: quote.quotedFeeKobo ?? kobo(0n), vatKobo: quote.quotedVatKobo ?? kobo(0n) }
      : computeFee(rule, targetKobo)
  const { feeKobo, vatKobo } = payment?.isSettled
    ? { feeKobo: payment.chargedFeeKobo, vatKobo: payment.chargedVatKobo }
    : expected
  return {
    chargeKobo: feeKobo,
    vatChargeKobo: vatKobo,
    customerChargeKobo: kobo(quote.amountKobo - targetKobo),
    merchantChargeKobo: isCustomers ? kobo(0n) : kobo(feeKobo + vatKobo),
  }
}

// Fees charged on each part of a credit: on the booked part, or on a suspense item that was assigned
// (I44). They are written in the transaction that books the money.
//
//   Settled → Fee income 200.00     the fee,
//   Settled → VAT payable 15.00     and the VAT on it, in a separate transfer
//
// When the bank reverses the money, opposite transfers return the fee that was charged on it.

type FeePart = { creditId: CreditId; itemId?: SuspenseItemId | null; amountKobo: Kobo }

export type CreditFee = FeeShare & {
  creditId: CreditId
  itemId: SuspenseItemId | null
  clientId: ClientId
  ruleId: FeeRuleId
  baseKobo: Kobo
}

export type ChargedFee = CreditFee & { accountId: AccountId; isLater: boolean }

// Charges one fee on all the parts together, and divides it among them. Omits parts with a fee of zero.
export function chargeFee(rule: FeeRule | null, parts: readonly FeePart[]): CreditFee[] {
  if (!rule) return []
  const wholeKobo = kobo(parts.reduce((sum, { amountKobo }) => sum + amountKobo, 0n))
  const shares = shareFee(
    computeFee(rule, wholeKobo),
    parts.map(({ amountKobo }) => amountKobo),
  )
  return parts.flatMap(({ creditId, itemId = null, amountKobo: baseKobo }, index) => {
    const share = shares[index] as FeeShare
    const { clientId, id: ruleId } = rule
    return sumOfFees([share]) > 0n
      ? [{ creditId, itemId, clientId, ruleId, baseKobo, ...share }]
      : []
  })
}

export function sumOfFees(fees: readonly FeeShare[]): Kobo {
  return kobo(fees.reduce((sum, { feeKobo, vatKobo }) => sum + feeKobo + vatKobo, 0n))
}

// Fee rules are in naira, and so are fees.
export function feeAccounts(clientId: ClientId): SharedAccount[] {
  const owned = { owner: operatorOwner(clientId), currency: CURRENCY }
  return [
    { kind: 'fee_income', ...owned },
    { kind: 'vat_payable', ...owned },
  ]
}

type FindAccount = (account: SharedAccount) => AccountId
type Posting = FeeShare & Pick<ChargedFee, 'creditId' | 'clientId' | 'accountId'>

export function feeTransfers(fee: Posting, accountId: FindAccount): Transfer[] {
  const [income, vat] = feeAccounts(fee.clientId).map(accountId) as [AccountId, AccountId]
  const from = { debitAccountId: fee.accountId, creditId: fee.creditId }
  const legs: Transfer[] = [
    { ...from, creditAccountId: income, amountKobo: fee.feeKobo, reason: 'fee' },
    { ...from, creditAccountId: vat, amountKobo: fee.vatKobo, reason: 'fee_vat' },
  ]
  return legs.filter(({ amountKobo }) => amountKobo > 0n)
}

export function returnTransfers(fee: Posting, accountId: FindAccount): Transfer[] {
  return feeTransfers(fee, accountId).map(({ debitAccountId, creditAccountId, ...rest }) => ({
    ...rest,
    debitAccountId: creditAccountId,
    creditAccountId: debitAccountId,
  }))
}

export async function insertFees(
  tx: Transaction,
  now: Date,
  fees: readonly ChargedFee[],
): Promise<void> {
  if (fees.length === 0) return
  await tx.query({
    name: 'insert-credit-fees',
    text: `insert into credit_fees
             (credit_id, item_id, client_id, rule_id, account_id, base_kobo, fee_kobo, vat_kobo,
              is_later, charged_at)
           select f.*, $10
             from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[],
                         $6::bigint[], $7::bigint[], $8::bigint[], $9::boolean[]) as f`,
    values: [
      numberArray(fees.map((fee) => fee.creditId)),
      numberArray(fees.map((fee) => fee.itemId)),
      numberArray(fees.map((fee) => fee.clientId)),
      numberArray(fees.map((fee) => fee.ruleId)),
      numberArray(fees.map((fee) => fee.accountId)),
      numberArray(fees.map((fee) => fee.baseKobo)),
      numberArray(fees.map((fee) => fee.feeKobo)),
      numberArray(fees.map((fee) => fee.vatKobo)),
      plainArray(fees.map((fee) => String(fee.isLater))),
      now,
    ],
  })
}

export type StandingFee = FeeShare & {
  id: bigint
  itemId: SuspenseItemId | null
  clientId: ClientId
  accountId: AccountId
  baseKobo: Kobo
  feeReturnedKobo: Kobo
  vatReturnedKobo: Kobo
}

// The caller has locked the credit.
export async function readFees(tx: Transaction, creditId: CreditId): Promise<StandingFee[]> {
  const { rows } = await tx.query<StandingFee>({
    name: 'read-credit-fees',
    text: `select id, item_id, client_id, account_id, base_kobo, fee_kobo, vat_kobo,
                  fee_returned_kobo, vat_returned_kobo
             from credit_fees where credit_id = $1 order by id`,
    values: [creditId],
  })
  return rows
}

export type ReturnedFee = FeeShare & { of: StandingFee }

// Returns the part of the fee to return if `leftKobo` remains of the amount that was charged.
export function returnedFee(of: StandingFee, leftKobo: Kobo): ReturnedFee {
  const left = feeLeft(of, of.baseKobo, leftKobo)
  return {
    of,
    feeKobo: kobo(of.feeKobo - of.feeReturnedKobo - left.feeKobo),
    vatKobo: kobo(of.vatKobo - of.vatReturnedKobo - left.vatKobo),
  }
}

export async function recordReturned(
  tx: Transaction,
  returned: readonly ReturnedFee[],
): Promise<void> {
  for (const { of, feeKobo, vatKobo } of returned) {
    await tx.query({
      name: 'return-credit-fee',
      text: `update credit_fees
                set fee_returned_kobo = fee_returned_kobo + $2,
                    vat_returned_kobo = vat_returned_kobo + $3
              where id = $1`,
      values: [of.id, feeKobo, vatKobo],
    })
  }
}
