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

// SQL columns of a FeeQuote, from a row `p` of payments.
export const QUOTE_COLUMNS = `
         p.fee_rule_id, p.quoted_fee_kobo, p.quoted_vat_kobo`

// Returns the amount to request for the target amount. If the merchant bears the fee or there is no rule,
// that is the target itself.
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

// Returns the charges that the API shows for a payment request. Those of a settled payment are the actual
// charges. Before settlement, they are an estimate from the payment's quote or from the rule in force.
export function describeCharges(
  targetKobo: Kobo,
  rule: FeeRule | undefined,
  payment: PaymentFees | undefined,
): AdviceCharges {
  const quote = payment ?? quoteFor(rule, targetKobo)
  const isBorneByCustomer = quote.feeRuleId !== null
  // If the customer bears the fee but was never quoted one, nothing is charged (ruleOfPayment).
  const expected =
    isBorneByCustomer || !rule || rule.bearer === 'customer'
      ? { feeKobo: quote.quotedFeeKobo ?? kobo(0n), vatKobo: quote.quotedVatKobo ?? kobo(0n) }
      : computeFee(rule, targetKobo)
  const { feeKobo, vatKobo } = payment?.isSettled
    ? { feeKobo: payment.chargedFeeKobo, vatKobo: payment.chargedVatKobo }
    : expected
  return {
    chargeKobo: feeKobo,
    vatChargeKobo: vatKobo,
    customerChargeKobo: kobo(quote.amountKobo - targetKobo),
    merchantChargeKobo: isBorneByCustomer ? kobo(0n) : kobo(feeKobo + vatKobo),
  }
}

// Each part of a credit is charged its own fee: the part that was booked at once, and each suspense item that
// was assigned later. The fee and its VAT are posted in the transaction that books the money (I44).
//
//   Settled → Fee income 200.00     the fee,
//   Settled → VAT payable 15.00     and the VAT on it, in a separate transfer
//
// When the bank reverses the money, opposite transfers return the fee that was charged on it.

// A part of the money that a fee is charged on: a credit, or a suspense item of it that was assigned.
type FeePart = { creditId: CreditId; itemId?: SuspenseItemId | null; amountKobo: Kobo }

export type CreditFee = FeeShare & {
  creditId: CreditId
  itemId: SuspenseItemId | null
  clientId: ClientId
  ruleId: FeeRuleId
  baseKobo: Kobo
}

// A fee with the account that pays it. `isLater`: charged after its credit was received.
export type ChargedFee = CreditFee & { accountId: AccountId; isLater: boolean }

// Computes one fee on all the parts together, and divides it among them. Omits parts with a fee of zero. The
// caller records the fees and posts their transfers.
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

// Adds up the fees with their VAT.
export function sumOfFees(fees: readonly FeeShare[]): Kobo {
  return kobo(fees.reduce((sum, { feeKobo, vatKobo }) => sum + feeKobo + vatKobo, 0n))
}

// Returns the accounts that get the fee and the VAT. Fee rules are in naira, and so are fees.
export function feeAccounts(clientId: ClientId): SharedAccount[] {
  const owned = { owner: operatorOwner(clientId), currency: CURRENCY }
  return [
    { kind: 'fee_income', ...owned },
    { kind: 'vat_payable', ...owned },
  ]
}

type FindAccount = (account: SharedAccount) => AccountId
type Posting = FeeShare & Pick<ChargedFee, 'creditId' | 'clientId' | 'accountId'>

// Returns the transfers that charge a fee: one of the fee and one of the VAT. Omits transfers of zero.
export function feeTransfers(fee: Posting, accountId: FindAccount): Transfer[] {
  const [income, vat] = feeAccounts(fee.clientId).map(accountId) as [AccountId, AccountId]
  const from = { debitAccountId: fee.accountId, creditId: fee.creditId }
  const legs: Transfer[] = [
    { ...from, creditAccountId: income, amountKobo: fee.feeKobo, reason: 'fee' },
    { ...from, creditAccountId: vat, amountKobo: fee.vatKobo, reason: 'fee_vat' },
  ]
  return legs.filter(({ amountKobo }) => amountKobo > 0n)
}

// Returns the transfers that give a fee back: those of feeTransfers() in the opposite direction.
export function returnTransfers(fee: Posting, accountId: FindAccount): Transfer[] {
  return feeTransfers(fee, accountId).map(({ debitAccountId, creditAccountId, ...transfer }) => ({
    ...transfer,
    debitAccountId: creditAccountId,
    creditAccountId: debitAccountId,
  }))
}

// Records charged fees. The caller posts their transfers in the same transaction.
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

// A fee that was charged, with the amounts that were returned of it so far.
export type StandingFee = FeeShare & {
  id: bigint
  itemId: SuspenseItemId | null
  clientId: ClientId
  accountId: AccountId
  baseKobo: Kobo
  feeReturnedKobo: Kobo
  vatReturnedKobo: Kobo
}

// Reads the fees of a credit. The caller has locked the credit.
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

// The part of a charged fee that a reversal returns.
export type ReturnedFee = FeeShare & { chargedFee: StandingFee }

// Returns the part of the fee that must be returned so that only the fee on `leftKobo` stays charged.
export function returnedFee(chargedFee: StandingFee, leftKobo: Kobo): ReturnedFee {
  const remaining = feeLeft(chargedFee, chargedFee.baseKobo, leftKobo)
  const { feeKobo, feeReturnedKobo, vatKobo, vatReturnedKobo } = chargedFee
  return {
    chargedFee,
    feeKobo: kobo(feeKobo - feeReturnedKobo - remaining.feeKobo),
    vatKobo: kobo(vatKobo - vatReturnedKobo - remaining.vatKobo),
  }
}

// Adds the returned amounts to the records of the fees.
export async function recordReturned(
  tx: Transaction,
  returned: readonly ReturnedFee[],
): Promise<void> {
  for (const { chargedFee, feeKobo, vatKobo } of returned) {
    await tx.query({
      name: 'return-credit-fee',
      text: `update credit_fees
                set fee_returned_kobo = fee_returned_kobo + $2,
                    vat_returned_kobo = vat_returned_kobo + $3
              where id = $1`,
      values: [chargedFee.id, feeKobo, vatKobo],
    })
  }
}
