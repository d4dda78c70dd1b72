// A compile-time test: ids and amounts of money cannot be mixed up. `npm run types` fails if one of these
// mistakes compiles, because its @ts-expect-error is then unused.

import {
  type AccountId,
  type ClientId,
  type CreditId,
  type PaymentId,
  publicId,
  type SuspenseItemId,
} from '#ids.ts'
import type { Transfer } from '#ledger/transfers.ts'
import { formatKobo, type Kobo, toNaira } from '#money.ts'
import type { NewEvent } from '#records/events.ts'
import type { Sealer } from '#seal.ts'
import { asId } from './support/as-id.ts'

type Branded = { account: AccountId; credit: CreditId; item: SuspenseItemId; amount: Kobo }

// Each line has one mistake, which the compiler must report.
export function mistakes({ account, credit, item, amount }: Branded, sealer: Sealer): unknown[] {
  const clientId = asId<ClientId>(1n)
  const validTransfer: Transfer = {
    debitAccountId: account,
    creditAccountId: account,
    amountKobo: amount,
    creditId: credit,
    reason: 'credit',
  }
  return [
    // @ts-expect-error an id is not an amount
    { ...validTransfer, amountKobo: credit } satisfies Transfer,
    // @ts-expect-error an amount is not an id
    { ...validTransfer, creditId: amount } satisfies Transfer,
    // @ts-expect-error a credit is not an account
    { ...validTransfer, debitAccountId: credit } satisfies Transfer,
    // @ts-expect-error a plain number is not an amount
    { ...validTransfer, amountKobo: 100n } satisfies Transfer,
    // @ts-expect-error a sum of two amounts is a plain bigint, until kobo() makes it an amount
    { ...validTransfer, amountKobo: amount + amount } satisfies Transfer,
    // @ts-expect-error toNaira() takes an amount, not an id
    () => toNaira(credit),
    // @ts-expect-error formatKobo() takes an amount, not an id
    () => formatKobo(account),
    // @ts-expect-error the id of a suspense item is not the id of a credit
    () => publicId(sealer, 'credit', item),
    // @ts-expect-error a plain string is not a payment's id
    'payment' satisfies PaymentId,
    // @ts-expect-error endpoint.test events have no fact named status
    { type: 'endpoint.test', clientId, facts: { status: 'Processing' } } satisfies NewEvent,
    // @ts-expect-error an amount in an event is of type Kobo, not a number
    { type: 'collection.received', clientId, facts: { accountBalance: 5 } } satisfies NewEvent,
    // @ts-expect-error a client's id is not an account's id
    clientId satisfies AccountId,
  ]
}
