// What a bank withheld of a credit (I37). The payer is credited with all that was sent; what the bank
// kept of it is our cost, and the VAT on it is apart because it may be reclaimed.
//
//   Bank → Settled 1,000     what the payer sent
//   Bank cost → Bank 45      fee and duty: the bank's account has grown by 955, as on its statement
//   Input VAT → Bank         VAT, where there is any
//
// A reversal takes back what the bank says it takes; charges stay a cost, unless the bank reports
// them back as money of their own.

import type { CreditId } from '#ids.ts'
import { bankOwner, type SharedAccount } from '#ledger/accounts.ts'
import type { Transfer } from '#ledger/transfers.ts'
import { type Kobo, kobo } from '#money.ts'
import type { IncomingCredit } from './judge-credit.ts'

type Charge = { kind: 'bank_cost' | 'input_vat'; amountKobo: Kobo }

// By the accounts that bear them; none is zero.
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
