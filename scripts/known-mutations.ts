// The mutations that `npm run mutations` makes: each is a small slip that a person could make and that breaks
// the handling of money.

export type Mutation = {
  name: string
  file: string
  from: string // The text to replace, which occurs exactly once in the file.
  to: string
  test: 'money-in' | 'races'
}

export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'skip the dedupe',
    file: 'src/credits/decide.ts',
    from: 'recognise(state.byIdentifier, credit, identifiers)',
    to: 'undefined',
    test: 'money-in',
  },
  {
    name: 'take a known credit on other terms for a duplicate',
    file: 'src/credits/identifiers.ts',
    from: 'match.amountKobo === credit.amountKobo &&',
    to: '',
    test: 'money-in',
  },
  {
    name: 'take identifiers of two credits for a duplicate',
    file: 'src/credits/identifiers.ts',
    from: 'match.creditId === creditId &&',
    to: '',
    test: 'money-in',
  },
  {
    name: 'learn no identifiers from duplicates',
    file: 'src/credits/identifiers.ts',
    from: 'if (byIdentifier.has(name)) continue',
    to: 'if (byIdentifier.has(name) || !isNew) continue',
    test: 'money-in',
  },
  {
    name: 'look up only the first identifier',
    file: 'src/credits/take.ts',
    from: 'findKnownCredits(tx, identifiers.flat())',
    to: 'findKnownCredits(tx, identifiers.flatMap((each) => each.slice(0, 1)))',
    test: 'money-in',
  },
  {
    name: 'book no bank charges',
    file: 'src/credits/decide.ts',
    from: 'return chargesByAccount.filter(({ amountKobo }) => amountKobo > 0n)',
    to: 'return []',
    test: 'money-in',
  },
  {
    name: 'drop the lock of payments that are paid into',
    file: 'src/credits/balances.ts',
    from: `where n.account_number = any($1::text[])
            order by p.id
              for no key update of p`,
    to: 'where n.account_number = any($1::text[])',
    test: 'races',
  },
  {
    name: 'drop the lock of suspense items',
    file: 'src/credits/suspense-items.ts',
    from: `order by i.id
              for no key update of i`,
    to: 'order by i.id',
    test: 'races',
  },
  {
    name: 'drop the lock of the credit that is taken back',
    file: 'src/credits/reversal.ts',
    from: 'where id = $1 for no key update',
    to: 'where id = $1',
    test: 'races',
  },
  {
    name: 'forget the suspense leg',
    file: 'src/credits/decide.ts',
    from: `plan.transfers.push({
    debitAccountId: state.accountId({ kind: 'bank'`,
    to: `void ({
    debitAccountId: state.accountId({ kind: 'bank'`,
    test: 'money-in',
  },
  {
    name: 'forget the VAT leg of a fee',
    file: 'src/fees/charges.ts',
    from: "{ ...from, creditAccountId: vat, amountKobo: fee.vatKobo, reason: 'fee_vat' },",
    to: '',
    test: 'money-in',
  },
  {
    name: 'keep the fee on what is taken back',
    file: 'src/credits/decide-reversal.ts',
    from: 'if (fee && sumOfFees([fee]) > 0n) plan.fees.push(fee)',
    to: '',
    test: 'money-in',
  },
  {
    name: 'forget to post a share',
    file: 'src/credits/settle.ts',
    from: 'plan.transfers.push(shareTransfer(posted, context.accountId))',
    to: '',
    test: 'money-in',
  },
  {
    name: 'leave subaccounts their shares of what is taken back',
    file: 'src/credits/decide-reversal.ts',
    from: 'plan.shares.push(...shares)',
    to: '',
    test: 'money-in',
  },
  {
    name: 'give what rounding leaves over to the main account',
    file: 'src/splits/split.ts',
    from: 'for (const { index } of byLoss.slice(0, leftKobo)) shares[index] = (shares[index] as bigint) + 1n',
    to: '',
    test: 'money-in',
  },
  {
    name: 'forget the suspense item',
    file: 'src/credits/decide.ts',
    from: 'plan.suspense.push({',
    to: 'void ({',
    test: 'money-in',
  },
  {
    name: 'off by one at the end of grace',
    file: 'src/credits/judge.ts',
    from: 'at >= payment.closesAt',
    to: 'at > payment.closesAt',
    test: 'money-in',
  },
  {
    name: 'off by one in the expiry worker',
    file: 'src/credits/close.ts',
    from: 'closes_at <= $1',
    to: 'closes_at < $1',
    test: 'money-in',
  },
  {
    name: 'off by one when a payment is read',
    file: 'src/payments/payment.ts',
    from: 'now >= payment.expiresAt',
    to: 'now > payment.expiresAt',
    test: 'money-in',
  },
  {
    name: 'forget to settle what was pending',
    file: 'src/credits/decide.ts',
    from: 'plan.transfers.push(...settlePending(target, pendingId, settledId))',
    to: 'settlePending(target, pendingId, settledId)',
    test: 'money-in',
  },
  {
    name: 'take back without updating the payment',
    file: 'src/credits/reverse.ts',
    from: 'await updatePayments(tx, now, [...plan.payments])',
    to: '',
    test: 'money-in',
  },
  {
    name: 'take back from others what was returned already',
    file: 'src/credits/decide-reversal.ts',
    from: "items.filter(({ state }) => state === 'assigned')",
    to: 'items',
    test: 'money-in',
  },
  {
    name: 'assign twice',
    file: 'src/suspense/assign.ts',
    from: "if (item.state !== 'open') throw new Refusal('suspense_closed')",
    to: '',
    test: 'money-in',
  },
  {
    name: 'assign more than is due',
    file: 'src/suspense/assign.ts',
    from: 'isPayable && acceptedKobo(payment, item.amountKobo) === item.amountKobo',
    to: 'isPayable',
    test: 'money-in',
  },
  {
    name: 'return twice',
    file: 'src/suspense/return.ts',
    from: "if (item.state !== 'open') throw new Refusal('suspense_closed')",
    to: '',
    test: 'money-in',
  },
  {
    name: 'keep what was paid on a payment that closes',
    file: 'src/credits/close.ts',
    from: 'await setPending(tx, payments)',
    to: '',
    test: 'money-in',
  },
  {
    name: 'give out a number in quarantine',
    file: 'src/accounts/numbers.ts',
    from: '  reusable_at <= ',
    to: '  reusable_at is distinct from ',
    test: 'money-in',
  },
]
