// The charges that a bank withheld from a credit (I37). The payer is credited with the full amount sent.
// Fee and stamp duty are our cost; VAT has its own account, because it may be reclaimed.
//
//   Bank → Settled 1,000     the amount that the payer sent
//   Bank cost → Bank 45      fee and duty: the bank's account grows by 955, as on its statement
//   Input VAT → Bank         VAT, if any
//
// A reversal takes back the amount that the bank reports. Charges stay a cost, unless the bank reports
// them back as separate money.

import type { CreditId } from '#ids.ts'
import { bankOwner, type SharedAccount } from '#ledger/accounts.ts'
import type { Transfer } from '#ledger/transfers.ts'
import { type Kobo, kobo } from '#money.ts'
import type { IncomingCredit } from './judge-credit.ts'

type Charge = { kind: 'bank_cost' | 'input_vat'; amountKobo: Kobo }

// By the account that bears them. None is zero.
export function chargesOf({ charges }: IncomingCredit): Charge[] {
  if (!charges) return []
  const { feeKobo, vatKobo, dutyKobo } = charges
  const all: Charge[] = [
    { kind: 'bank_cost', amountKobo: kobo(feeKobo + dutyKobo) },
    { kind: 'input_vat', amountKobo: vatKobo },
  ]
  return all.filter(({ amountKobo }) => amountKobo > 0n)
}

export function chargeTransfers(
  credit: IncomingCredit,
  creditId: CreditId,
  accountId: (account: SharedAccount) => Transfer['debitAccountId'],
): Transfer[] {
  const { bankCode, currency } = credit
  const owned = { owner: bankOwner(bankCode), currency }
  return chargesOf(credit).map(({ kind, amountKobo }) => ({
    debitAccountId: accountId({ kind, ...owned }),
    creditAccountId: accountId({ kind: 'bank', ...owned }),
    amountKobo,
    creditId,
    reason: 'bank_charge',
  }))
}
