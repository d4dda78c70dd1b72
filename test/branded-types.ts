// Ids and money cannot be mixed up: `npm run types` fails once one of these mistakes compiles.

import type { AccountId, ClientId, CreditId, PaymentId, SuspenseItemId } from '#ids.ts'
import type { Transfer } from '#ledger/transfers.ts'
import { formatKobo, type Kobo, toNaira } from '#money.ts'
import { publicId } from '#public-ids.ts'
import type { NewEvent } from '#records/events.ts'
import type { Sealer } from '#seal.ts'
import { asId } from './support/as-id.ts'

type Given = { account: AccountId; credit: CreditId; item: SuspenseItemId; amount: Kobo }

export function mistakes({ account, credit, item, amount }: Given, sealer: Sealer): unknown[] {
  const clientId = asId<ClientId>(1n)
  const right: Transfer = {
    debitAccountId: account,
    creditAccountId: account,
    amountKobo: amount,
    creditId: credit,
    reason: 'credit',
  }
  return [
    // @ts-expect-error an id is not an amount
    { ...right, amountKobo: credit } satisfies Transfer,
    // @ts-expect-error an amount is not an id
    { ...right, creditId: amount } satisfies Transfer,
    // @ts-expect-error a credit is not an account
    { ...right, debitAccountId: credit } satisfies Transfer,
    // @ts-expect-error a plain number is not an amount
    { ...right, amountKobo: 100n } satisfies Transfer,
    // @ts-expect-error the result of arithmetic says what it is
    { ...right, amountKobo: amount + amount } satisfies Transfer,
    // @ts-expect-error an id is not shown as money
    () => toNaira(credit),
    // @ts-expect-error nor written as money
    () => formatKobo(account),
    // @ts-expect-error an item of suspense is not shown as a credit
    () => publicId(sealer, 'credit', item),
    // @ts-expect-error a reference is not any text
    'payment' satisfies PaymentId,
    // @ts-expect-error an event keeps the facts of its type
    { type: 'endpoint.test', clientId, facts: { status: 'Processing' } } satisfies NewEvent,
    // @ts-expect-error in kobo
    { type: 'collection.received', clientId, facts: { accountBalance: 5 } } satisfies NewEvent,
    // @ts-expect-error a client is not an account
    clientId satisfies AccountId,
  ]
}
