// Finds and locks what is available to a client: first the proceeds of its payments, then its
// collection accounts in the order of their ids. The caller posts the transfers.
//
// Locks: collection accounts, the available account and those that it goes to, in the order of their
// ids: whoever posts the other way round locks them so too.

import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { AccountId, ClientId } from '#ids.ts'
import { clientOwner } from '#ledger/accounts.ts'
import { type Kobo, kobo } from '#money.ts'

export type Drawing = {
  clientId: ClientId
  currency: string
  amountKobo: Kobo
  into: readonly AccountId[] // None of the client's own.
}
export type Draw = { accountId: AccountId; amountKobo: Kobo }

type Source = { id: AccountId; isCollection: boolean; balanceKobo: Kobo }

const SOURCES = `
  select l.id, l.kind = 'collection' as "isCollection",
         l.credits_kobo - l.debits_kobo as "balanceKobo"
    from ledger_accounts l`

// Refused with `insufficient_balance` unless all of it is there. Nobody else can take it before the
// transaction ends.
export async function drawAvailable(tx: Transaction, drawing: Drawing): Promise<Draw[]> {
  const seen = await tx.query<Source>({
    name: 'find-available',
    text: `${SOURCES}
            where l.kind = 'available' and l.owner = $2 and l.currency = $3
           union all
           ${SOURCES} join collection_accounts a on a.id = l.id
            where a.client_id = $1 and l.currency = $3 and l.credits_kobo > l.debits_kobo`,
    values: [drawing.clientId, clientOwner(drawing.clientId), drawing.currency],
  })
  // What is seen to suffice nearly always does. Else its locks are given up and all of it is locked,
  // in order again, and that decides.
  await tx.query('savepoint drawing')
  const drawn = await lockAndDraw(tx, enough(seen.rows, drawing.amountKobo), drawing)
  if (drawn) return drawn
  await tx.query('rollback to drawing')
  return (await lockAndDraw(tx, seen.rows, drawing)) ?? refuse()
}

async function lockAndDraw(
  tx: Transaction,
  sources: readonly Source[],
  { amountKobo, into }: Drawing,
): Promise<Draw[] | undefined> {
  const { rows } = await tx.query<Source>({
    name: 'lock-available',
    text: `${SOURCES} where l.id = any($1::bigint[]) order by l.id for no key update`,
    values: [[...sources.map(({ id }) => id), ...into]],
  })
  const drawn = rows.filter(({ id }) => !into.includes(id))
  let leftKobo: bigint = amountKobo
  const draws: Draw[] = []
  for (const { id, balanceKobo } of inOrder(drawn)) {
    const takenKobo = balanceKobo < leftKobo ? balanceKobo : leftKobo
    if (takenKobo > 0n) draws.push({ accountId: id, amountKobo: kobo(takenKobo) })
    leftKobo -= takenKobo
  }
  return leftKobo === 0n ? draws : undefined
}

function enough(sources: readonly Source[], amountKobo: Kobo): Source[] {
  let leftKobo: bigint = amountKobo
  return inOrder(sources).filter(({ balanceKobo }) => {
    const isNeeded = leftKobo > 0n
    leftKobo -= balanceKobo
    return isNeeded
  })
}

function inOrder(sources: readonly Source[]): Source[] {
  return [...sources].sort((one, other) =>
    one.isCollection === other.isCollection
      ? Number(one.id - other.id)
      : Number(one.isCollection) - Number(other.isCollection),
  )
}

function refuse(): never {
  throw new Refusal('insufficient_balance')
}
