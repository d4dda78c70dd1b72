// Finds and locks the money that is available to a client, for a payout, refund or recovery. Takes first the
// proceeds of its payments, then its collection accounts, ordered by id. The caller posts the transfers.
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

type DrawingRequest = {
  clientId: ClientId
  currency: string
  amountKobo: Kobo
  mustRemainKobo?: Kobo // The amount that must remain available: the operator's reserve floor.
  now: Date
  into: readonly AccountId[] // Disjoint from the accounts drawn from.
}
export type Draw = { accountId: AccountId; amountKobo: Kobo }

type Row = { id: AccountId; kind: string; balanceKobo: Kobo }
// `sources` are the accounts to draw from, in that order. `owedKobo` is the client's debt to the operator.
type Balances = { sources: Row[]; owedKobo: Kobo }
type Need = { amountKobo: Kobo; mustRemainKobo: Kobo }

const SELECT_BALANCES = `
  select l.id, l.kind, l.credits_kobo - l.debits_kobo as balance_kobo from ledger_accounts l`

// Locks the accounts that a client's money is drawn from, and returns how much to draw from each. Refuses
// with `insufficient_balance` unless the balance covers the amount and the debt, and with
// `reserve_floor_reached` unless it also covers `mustRemainKobo`. No other transaction can draw the money
// before this one ends. `into` has the accounts that the money goes to, which are locked too. If the
// receivable is one of them, the money pays the debt itself, and the debt is not counted.
export async function drawAvailable(
  tx: Transaction,
  sharedAccounts: SharedAccounts,
  { clientId, currency, amountKobo, mustRemainKobo = kobo(0n), now, into }: DrawingRequest,
): Promise<Draw[]> {
  const need = { amountKobo, mustRemainKobo }
  const owner = clientOwner(clientId)
  const receivable = { kind: 'receivable', owner, currency } as const
  await sharedAccounts.open([receivable]) // A missing row could not be locked.
  const owedId = sharedAccounts.id(receivable)
  const toBalances = (rows: readonly Row[]): Balances => ({
    sources: sortForDrawing(rows.filter(({ id }) => id !== owedId && !into.includes(id))),
    owedKobo: into.includes(owedId) ? kobo(0n) : debtOf(rows.find(({ id }) => id === owedId)),
  })
  // Locks the sources, the receivable and the destinations, and reads their balances.
  const lockAccounts = async ({ sources }: Balances): Promise<Balances> => {
    const { rows } = await tx.query<Row>({
      name: 'lock-available',
      text: `${SELECT_BALANCES} where l.id = any($1::bigint[]) order by l.id for no key update`,
      values: [[...sources.map(({ id }) => id), owedId, ...into]],
    })
    return toBalances(rows)
  }
  // Moves money that an operator holds out of the locked accounts before anything is drawn, and then reads
  // the balances again. Once the accounts are locked, no more money can arrive on them.
  const lockAndFillHolds = async (balances: Balances): Promise<Balances> => {
    const locked = await lockAccounts(balances)
    return (await fillHolds(tx, { now, sharedAccounts }, clientId))
      ? lockAccounts(balances)
      : locked
  }

  const unlocked = await tx.query<Row>({
    name: 'find-available',
    text: `${SELECT_BALANCES}
            where l.kind in ('available', 'receivable') and l.owner = $2 and l.currency = $3
           union all
           ${SELECT_BALANCES} join collection_accounts a on a.id = l.id
            where a.client_id = $1 and l.currency = $3 and l.credits_kobo > l.debits_kobo`,
    values: [clientId, owner, currency],
  })
  const unlockedBalances = toBalances(unlocked.rows)
  // Locks only as many accounts as sufficed before the lock: they nearly always still suffice. If not,
  // releases their locks, locks all accounts in id order, and decides by the locked balances.
  await tx.query('savepoint drawing')
  let locked = await lockAndFillHolds(firstSufficientSources(unlockedBalances, need))
  if (!coversNeed(locked, need)) {
    await tx.query('rollback to drawing')
    locked = await lockAndFillHolds(unlockedBalances)
  }
  if (!coversNeed(locked, need)) refuseInsufficient(locked, need)
  return takeInOrder(locked, amountKobo)
}

// Returns the client's debt as a positive amount. In the ledger, a debt makes the receivable's balance
// negative.
function debtOf(receivable: Row | undefined): Kobo {
  return kobo(-(receivable?.balanceKobo ?? 0n))
}

// Returns whether the sources cover the amount, the debt, and the amount that must remain.
function coversNeed(
  { sources, owedKobo }: Balances,
  { amountKobo, mustRemainKobo }: Need,
): boolean {
  const totalKobo = sources.reduce((sum, { balanceKobo }) => sum + balanceKobo, 0n)
  return totalKobo >= amountKobo + owedKobo + mustRemainKobo
}

// Keeps only as many sources, from the first on, as cover the need, so that fewer accounts are locked.
function firstSufficientSources(
  { sources, owedKobo }: Balances,
  { amountKobo, mustRemainKobo }: Need,
): Balances {
  let missingKobo: bigint = amountKobo + owedKobo + mustRemainKobo
  // Keeps a source if the sources before it do not cover the need.
  const needed = sources.filter(({ balanceKobo }) => {
    const isNeeded = missingKobo > 0n
    missingKobo -= balanceKobo
    return isNeeded
  })
  return { sources: needed, owedKobo }
}

// Splits the amount among the sources: each gives its whole balance until the amount is covered.
function takeInOrder({ sources }: Balances, amountKobo: Kobo): Draw[] {
  let undrawnKobo: bigint = amountKobo
  const draws: Draw[] = []
  for (const { id, balanceKobo } of sources) {
    const drawnKobo = balanceKobo < undrawnKobo ? balanceKobo : undrawnKobo
    if (drawnKobo > 0n) draws.push({ accountId: id, amountKobo: kobo(drawnKobo) })
    undrawnKobo -= drawnKobo
  }
  return draws
}

// Sorts the available account before collection accounts, and those by id.
function sortForDrawing(sources: readonly Row[]): Row[] {
  const isCollection = ({ kind }: Row) => kind === 'collection'
  return [...sources].sort((one, other) =>
    isCollection(one) === isCollection(other)
      ? Number(one.id - other.id)
      : Number(isCollection(one)) - Number(isCollection(other)),
  )
}

// Says in the refusal whether the reserve floor, a debt or the balance itself is the reason.
function refuseInsufficient(balances: Balances, { amountKobo, mustRemainKobo }: Need): never {
  const { owedKobo } = balances
  if (coversNeed(balances, { amountKobo, mustRemainKobo: kobo(0n) })) {
    const message = `The operator keeps ${formatKobo(mustRemainKobo)} back after this payout.`
    throw new Refusal('reserve_floor_reached', [{ field: 'amount', message }])
  }
  const message = `You owe ${formatKobo(owedKobo)}, which stays in the available balance.`
  throw new Refusal('insufficient_balance', owedKobo > 0n ? [{ field: 'amount', message }] : [])
}
