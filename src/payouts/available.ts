// Finds and locks the money that is available to a client: first the proceeds of its payments, then its
// collection accounts, ordered by id. The caller posts the transfers.
//
// The client's debt stays on the available accounts (I57) until a settlement or a recovery takes it. A
// recovery draws money into the receivable itself.
//
// Locks: the collection accounts, the available account, the receivable and the destination accounts, ordered
// by id, like every other posting.

import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { fillHolds } from '#holds/hold.ts'
import type { AccountId, ClientId } from '#ids.ts'
import { clientOwner, type SharedAccounts } from '#ledger/accounts.ts'
import { formatKobo, type Kobo, kobo } from '#money.ts'

type Drawing = {
  clientId: ClientId
  currency: string
  amountKobo: Kobo
  leftKobo?: Kobo // The amount that must remain available: the operator's floor of the reserve.
  now: Date
  into: readonly AccountId[] // Disjoint from the accounts drawn from.
}
export type Draw = { accountId: AccountId; amountKobo: Kobo }

type Row = { id: AccountId; kind: string; balanceKobo: Kobo }
type Held = { sources: Row[]; owedKobo: Kobo }
type Need = { amountKobo: Kobo; leftKobo: Kobo }

const ROWS = `
  select l.id, l.kind, l.credits_kobo - l.debits_kobo as balance_kobo from ledger_accounts l`

// Refuses with `insufficient_balance` unless the balance covers the amount and the debt, and with
// `reserve_floor_reached` unless it also covers `leftKobo`. No other transaction can draw the
// money before this one ends.
export async function drawAvailable(
  tx: Transaction,
  sharedAccounts: SharedAccounts,
  { clientId, currency, amountKobo, leftKobo = kobo(0n), now, into }: Drawing,
): Promise<Draw[]> {
  const need = { amountKobo, leftKobo }
  const owner = clientOwner(clientId)
  const receivable = { kind: 'receivable', owner, currency } as const
  await sharedAccounts.open([receivable]) // A missing row could not be locked.
  const owedId = sharedAccounts.id(receivable)
  const heldIn = (rows: readonly Row[]): Held => ({
    sources: inOrder(rows.filter(({ id }) => id !== owedId && !into.includes(id))),
    owedKobo: into.includes(owedId) ? kobo(0n) : owedBy(rows.find(({ id }) => id === owedId)),
  })
  const read = async ({ sources }: Held): Promise<Held> => {
    const { rows } = await tx.query<Row>({
      name: 'lock-available',
      text: `${ROWS} where l.id = any($1::bigint[]) order by l.id for no key update`,
      values: [[...sources.map(({ id }) => id), owedId, ...into]],
    })
    return heldIn(rows)
  }
  // Fills the client's holds first. Once the source accounts are locked, no more money can arrive on them.
  const lock = async (held: Held): Promise<Held> => {
    const locked = await read(held)
    return (await fillHolds(tx, now, clientId)) ? read(held) : locked
  }

  const found = await tx.query<Row>({
    name: 'find-available',
    text: `${ROWS}
            where l.kind in ('available', 'receivable') and l.owner = $2 and l.currency = $3
           union all
           ${ROWS} join collection_accounts a on a.id = l.id
            where a.client_id = $1 and l.currency = $3 and l.credits_kobo > l.debits_kobo`,
    values: [clientId, owner, currency],
  })
  const seen = heldIn(found.rows)
  // The accounts that sufficed before the lock nearly always still suffice. If not, release their locks, lock
  // all accounts in order, and decide by the locked balances.
  await tx.query('savepoint drawing')
  let locked = await lock(enough(seen, need))
  if (!isEnough(locked, need)) {
    await tx.query('rollback to drawing')
    locked = await lock(seen)
  }
  if (!isEnough(locked, need)) refuse(locked, need)
  return draw(locked, amountKobo)
}

// A debt makes the balance of the receivable negative.
function owedBy(receivable: Row | undefined): Kobo {
  return kobo(-(receivable?.balanceKobo ?? 0n))
}

function isEnough({ sources, owedKobo }: Held, { amountKobo, leftKobo }: Need): boolean {
  const allKobo = sources.reduce((sum, { balanceKobo }) => sum + balanceKobo, 0n)
  return allKobo >= amountKobo + owedKobo + leftKobo
}

// Keeps only as many sources, from the first on, as cover the need.
function enough({ sources, owedKobo }: Held, { amountKobo, leftKobo }: Need): Held {
  let missingKobo: bigint = amountKobo + owedKobo + leftKobo
  const needed = sources.filter(({ balanceKobo }) => {
    const isNeeded = missingKobo > 0n
    missingKobo -= balanceKobo
    return isNeeded
  })
  return { sources: needed, owedKobo }
}

function draw({ sources }: Held, amountKobo: Kobo): Draw[] {
  let leftKobo: bigint = amountKobo
  const draws: Draw[] = []
  for (const { id, balanceKobo } of sources) {
    const drawnKobo = balanceKobo < leftKobo ? balanceKobo : leftKobo
    if (drawnKobo > 0n) draws.push({ accountId: id, amountKobo: kobo(drawnKobo) })
    leftKobo -= drawnKobo
  }
  return draws
}

function inOrder(sources: readonly Row[]): Row[] {
  const isCollection = ({ kind }: Row) => kind === 'collection'
  return [...sources].sort((one, other) =>
    isCollection(one) === isCollection(other)
      ? Number(one.id - other.id)
      : Number(isCollection(one)) - Number(isCollection(other)),
  )
}

function refuse(held: Held, { amountKobo, leftKobo }: Need): never {
  const { owedKobo } = held
  if (isEnough(held, { amountKobo, leftKobo: kobo(0n) })) {
    const message = `The operator keeps ${formatKobo(leftKobo)} back after this payout.`
    throw new Refusal('reserve_floor_reached', [{ field: 'amount', message }])
  }
  const message = `You owe ${formatKobo(owedKobo)}, which stays in the available balance.`
  throw new Refusal('insufficient_balance', owedKobo > 0n ? [{ field: 'amount', message }] : [])
}
