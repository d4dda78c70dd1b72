// The transfers of a payout, by its outcome (docs/money-flow.md). The purpose of the payout decides which
// account holds the money until the outcome is known:
//
//   payout, settlement   Paying of the client, or of the subaccount
//   refund               Refunding of the client
//   return               Returning of the bank: the hook of returns posts the transfers (src/suspense)

import type { AccountId, ClientId } from '#ids.ts'
import {
  bankOwner,
  clientOwner,
  operatorOwner,
  type SharedAccount,
  subaccountOwner,
} from '#ledger/accounts.ts'
import type { Transfer } from '#ledger/transfers.ts'
import { CURRENCY, type Kobo, kobo } from '#money.ts'
import type { Payout } from './payout.ts'
import type { PayoutCost } from './tariffs.ts'

export type HeldPayout = Pick<
  Payout,
  | 'id'
  | 'reference'
  | 'clientId'
  | 'purpose'
  | 'bankCode'
  | 'amountKobo'
  | 'currency'
  | 'feeKobo'
  | 'vatKobo'
  | 'settlementId'
  | 'creditId'
  | 'subaccountId'
>

// One transfer, by its accounts. toTransfers() replaces the accounts by their ids.
type Leg = { from: SharedAccount; to: SharedAccount; amountKobo: Kobo; reason: Transfer['reason'] }

// The operator's accounts for the fee on a payout and its VAT. Fee rules are in naira, and so are these
// accounts.
export function feeAccounts(clientId: ClientId): { income: SharedAccount; vat: SharedAccount } {
  const accountTerms = { owner: operatorOwner(clientId), currency: CURRENCY }
  return {
    income: { kind: 'fee_income', ...accountTerms },
    vat: { kind: 'vat_payable', ...accountTerms },
  }
}

// The account that holds the money while the payout is open.
function holdingAccount({ purpose, currency, ...payout }: HeldPayout): SharedAccount {
  if (purpose === 'refund') {
    return { kind: 'refunding', owner: clientOwner(payout.clientId as ClientId), currency }
  }
  return { kind: 'paying', owner: payingOwner(payout), currency }
}

// The money of a settlement to a subaccount belongs to the subaccount; all other money belongs to the client.
function payingOwner({ subaccountId, clientId }: Pick<HeldPayout, 'subaccountId' | 'clientId'>) {
  return subaccountId === null ? clientOwner(clientId as ClientId) : subaccountOwner(subaccountId)
}

// The transfers of a payout that the bank has paid, and of the bank's charge for it.
export function paidLegs(payout: HeldPayout, cost: PayoutCost): Leg[] {
  const { costKobo, dutyKobo, costVatKobo } = cost
  const { bankCode, currency, amountKobo, purpose } = payout
  const accountTerms = { owner: bankOwner(bankCode), currency }
  const bank = { kind: 'bank', ...accountTerms } as const
  const reason = purpose === 'refund' ? 'refunded' : 'paid'
  const legs: Leg[] = [
    { from: holdingAccount(payout), to: bank, amountKobo, reason },
    {
      from: { kind: 'bank_cost', ...accountTerms },
      to: bank,
      amountKobo: kobo(costKobo - dutyKobo), // The cost includes the stamp duty, which has its own account.
      reason: 'bank_charge',
    },
    {
      from: { kind: 'stamp_duty', ...accountTerms },
      to: bank,
      amountKobo: dutyKobo,
      reason: 'bank_charge',
    },
    {
      from: { kind: 'input_vat', ...accountTerms },
      to: bank,
      amountKobo: costVatKobo,
      reason: 'bank_charge',
    },
  ]
  return omitZeroLegs(legs)
}

// The account that a failed payout's money is credited back to: the one it was taken from.
export function givenBackTo({ currency, subaccountId, clientId }: HeldPayout): SharedAccount {
  return subaccountId === null
    ? { kind: 'available', owner: clientOwner(clientId as ClientId), currency }
    : { kind: 'subaccount', owner: subaccountOwner(subaccountId), currency }
}

// The transfers of a paid payout that the bank sent back. The charge for sending it is not refunded.
export function returnedLegs(payout: HeldPayout): Leg[] {
  const { bankCode, currency, amountKobo, purpose } = payout
  const bank = { kind: 'bank', owner: bankOwner(bankCode), currency } as const
  const reason = purpose === 'refund' ? 'refunded' : 'paid'
  return [{ from: bank, to: givenBackTo(payout), amountKobo, reason }]
}

// The transfers of a payout that was not paid: its amount and the charge for sending it become available
// again.
export function unpaidLegs(payout: HeldPayout): Leg[] {
  const { currency, amountKobo, purpose, clientId } = payout
  const client = clientOwner(clientId as ClientId)
  const available = { kind: 'available', owner: client, currency } as const
  const { income, vat } = feeAccounts(clientId as ClientId)
  const reason = purpose === 'refund' ? 'refund_failed' : 'payout_failed'
  return omitZeroLegs([
    { from: holdingAccount(payout), to: givenBackTo(payout), amountKobo, reason },
    { from: income, to: available, amountKobo: payout.feeKobo, reason: 'fee' },
    { from: vat, to: available, amountKobo: payout.vatKobo, reason: 'fee_vat' },
  ])
}

function omitZeroLegs(legs: readonly Leg[]): Leg[] {
  return legs.filter(({ amountKobo }) => amountKobo > 0n)
}

// Converts legs to transfers between ledger accounts, with the payout as their cause.
export function toTransfers(
  { id }: HeldPayout,
  legs: readonly Leg[],
  findAccountId: (account: SharedAccount) => AccountId,
): Transfer[] {
  return legs.map(({ from, to, amountKobo, reason }) => ({
    debitAccountId: findAccountId(from),
    creditAccountId: findAccountId(to),
    amountKobo,
    payoutId: id,
    reason,
  }))
}
