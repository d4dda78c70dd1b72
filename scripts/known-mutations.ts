// Ways to break the handling of money, each a small slip that a person could make.

export type Mutation = {
  name: string
  file: string
  from: string // Occurs exactly once.
  to: string
  test: 'money-in' | 'races'
}

export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'skip the dedupe',
    file: 'src/domain/credits/known-credits.ts',
    from: 'if (!earlier[0]) return undefined',
    to: 'if (earlier) return undefined',
    test: 'money-in',
  },
  {
    name: 'take a known credit on other terms for a duplicate',
    file: 'src/domain/credits/known-credits.ts',
    from: 'known.amountKobo === credit.amountKobo &&',
    to: '',
    test: 'money-in',
  },
  {
    name: 'take identifiers of two credits for a duplicate',
    file: 'src/domain/credits/known-credits.ts',
    from: 'known.creditId === creditId &&',
    to: '',
    test: 'money-in',
  },
  {
    name: 'learn no identifiers from duplicates',
    file: 'src/domain/credits/known-credits.ts',
    from: 'if (taken.has(name)) continue',
    to: 'if (taken.has(name) || !isNew) continue',
    test: 'money-in',
  },
  {
    name: 'look up only the first identifier',
    file: 'src/domain/credits/credit-identifiers.ts',
    from: 'credits.flatMap(identifiersOf)',
    to: 'credits.flatMap((credit) => identifiersOf(credit).slice(0, 1))',
    test: 'money-in',
  },
  {
    name: 'book no bank charges',
    file: 'src/domain/credits/bank-charges.ts',
    from: 'return all.filter(({ amountKobo }) => amountKobo > 0n)',
    to: 'return []',
    test: 'money-in',
  },
  {
    name: 'drop the lock of payments that are paid into',
    file: 'src/domain/credits/payment-balances.ts',
    from: `where n.account_number = any($1::text[])
            order by p.id
              for no key update of p`,
    to: 'where n.account_number = any($1::text[])',
    test: 'races',
  },
  {
    name: 'drop the lock of suspense items',
    file: 'src/domain/credits/suspense-items.ts',
    from: `order by i.id
              for no key update of i`,
    to: 'order by i.id',
    test: 'races',
  },
  {
    name: 'drop the lock of the credit that is taken back',
    file: 'src/domain/credits/reverse-credit.ts',
    from: "read('for no key update')",
    to: "read('')",
    test: 'races',
  },
  {
    name: 'forget the suspense leg',
    file: 'src/domain/credits/decide-credits.ts',
    from: `plan.transfers.push({
    debitAccountId: known.accountId({ kind: 'bank'`,
    to: `void ({
    debitAccountId: known.accountId({ kind: 'bank'`,
    test: 'money-in',
  },
  {
    name: 'forget the VAT leg of a fee',
    file: 'src/domain/fees/credit-fees.ts',
    from: "{ ...from, creditAccountId: vat, amountKobo: fee.vatKobo, reason: 'fee_vat' },",
    to: '',
    test: 'money-in',
  },
  {
    name: 'keep the fee on what is taken back',
    file: 'src/domain/credits/decide-reversal.ts',
    from: 'if (fee && sumOfFees([fee]) > 0n) plan.fees.push(fee)',
    to: '',
    test: 'money-in',
  },
  {
    name: 'forget to post a share',
    file: 'src/domain/credits/settle-payment.ts',
    from: 'plan.transfers.push(shareTransfer(posted, known.accountId))',
    to: '',
    test: 'money-in',
  },
  {
    name: 'leave subaccounts their shares of what is taken back',
    file: 'src/domain/credits/decide-reversal.ts',
    from: 'plan.shares.push(...shares)',
    to: '',
    test: 'money-in',
  },
  {
    name: 'give what rounding leaves over to the main account',
    file: 'src/domain/splits/share-amount.ts',
    from: 'for (const { at } of byLoss.slice(0, leftKobo)) shares[at] = (shares[at] as bigint) + 1n',
    to: '',
    test: 'money-in',
  },
  {
    name: 'forget the suspense item',
    file: 'src/domain/credits/decide-credits.ts',
    from: 'plan.suspense.push({',
    to: 'void ({',
    test: 'money-in',
  },
  {
    name: 'off by one at the end of grace',
    file: 'src/domain/credits/judge-credit.ts',
    from: 'at >= payment.closesAt',
    to: 'at > payment.closesAt',
    test: 'money-in',
  },
  {
    name: 'off by one in the expiry worker',
    file: 'src/domain/credits/close-payments.ts',
    from: 'closes_at <= $1',
    to: 'closes_at < $1',
    test: 'money-in',
  },
  {
    name: 'off by one when a payment is read',
    file: 'src/domain/payments/payments.ts',
    from: 'now >= payment.expiresAt',
    to: 'now > payment.expiresAt',
    test: 'money-in',
  },
  {
    name: 'forget to settle what was pending',
    file: 'src/domain/credits/decide-credits.ts',
    from: 'plan.transfers.push(...settlePending(target, pendingId, settledId))',
    to: 'settlePending(target, pendingId, settledId)',
    test: 'money-in',
  },
  {
    name: 'take back without updating the payment',
    file: 'src/domain/credits/reverse-credit.ts',
    from: 'await updatePayments(tx, now, [...plan.payments])',
    to: '',
    test: 'money-in',
  },
  {
    name: 'take back from others what was returned already',
    file: 'src/domain/credits/decide-reversal.ts',
    from: "items.filter(({ state }) => state === 'assigned')",
    to: 'items',
    test: 'money-in',
  },
  {
    name: 'assign twice',
    file: 'src/domain/suspense/assign-suspense.ts',
    from: "if (item.state !== 'open') throw new Refusal('suspense_closed')",
    to: '',
    test: 'money-in',
  },
  {
    name: 'assign more than is due',
    file: 'src/domain/suspense/assign-suspense.ts',
    from: 'isTaking && acceptedKobo(payment, item.amountKobo) === item.amountKobo',
    to: 'isTaking',
    test: 'money-in',
  },
  {
    name: 'return twice',
    file: 'src/domain/suspense/return-suspense.ts',
    from: "if (item.state !== 'open') throw new Refusal('suspense_closed')",
    to: '',
    test: 'money-in',
  },
  {
    name: 'keep what was paid on a payment that closes',
    file: 'src/domain/credits/close-payments.ts',
    from: 'await findHoldings(tx, payments)',
    to: '',
    test: 'money-in',
  },
  {
    name: 'give out a number in quarantine',
    file: 'src/domain/accounts/account-numbers.ts',
    from: 'and reusable_at <= $2',
    to: 'and $2::timestamptz is not null',
    test: 'money-in',
  },
]
