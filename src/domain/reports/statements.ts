// The statement of ledger accounts over a period: opening balance, every transfer with the balance after
// it, in the order of posting, and closing balance. For one account, or for all available accounts of a
// client.
//
// Opening + movements = closing (I61): the opening balance is the current balance less the movements
// since, read in one statement. The statement of a past period never changes until the period is
// archived. Without a start, it goes back to the start of the ledger.

import { keptWindow, requireKept } from '#db/archived-period.ts'
import { numberArray } from '#db/arrays.ts'
import type { Queryable } from '#db/pool.ts'
import { idBounds, type Window } from '#db/time-bounds.ts'
import type { Viewer } from '#domain/credits/credit-list.ts'
import type { AccountId } from '#ids.ts'
import { type Kobo, kobo } from '#money.ts'
import { growsByDebits } from './chart-of-accounts.ts'
import { firstTransferSince, movesSince } from './client-ledger.ts'
import { type Move, readBankMoves, readMoves } from './statement-moves.ts'

export type StatementSubject = {
  accountIds: readonly AccountId[] // One, or several that grow by credits.
  kind: string
  currency: string
}

export type StatementRow = Move & { balanceKobo: Kobo } // After the move.

// A bank's debits by credits have no index, so they are found through the credits.
const BANK_CREDITS = `
  select -amount_kobo, credit_id, reason from transfers
   where credit_id >= $4 and debit_account_id = a.id and reason = 'credit' and posted_at >= $3`

// Transfers posted before the moment count.
export async function readBalanceAt(
  db: Queryable,
  { accountIds, kind }: StatementSubject,
  at: Date,
): Promise<Kobo> {
  const isBank = kind === 'bank'
  const firstId = await firstTransferSince(db, at)
  const { rows } = await db.query<{ kobo: bigint }>({
    name: isBank ? 'balance-of-bank-at' : 'balance-at',
    text: `select coalesce(sum(l.credits_kobo - l.debits_kobo - moved.kobo), 0)::bigint as kobo
             from unnest($1::bigint[]) as a (id)
             join ledger_accounts l on l.id = a.id
            cross join lateral (
              select coalesce(sum(change), 0) as kobo from (
                ${movesSince({ account: 'a.id', firstId: '$2', at: '$3' })}
                ${isBank ? `union all ${BANK_CREDITS}` : ''}) as t) as moved`,
    values: [
      numberArray(accountIds),
      firstId,
      at,
      ...(isBank ? [(await idBounds(db, 'credits', { from: at })).firstId] : []),
    ],
  })
  return inOwnSign(kind, (rows[0] as { kobo: bigint }).kobo)
}

// Some accounts grow by debits.
function inOwnSign(kind: string, creditsLessDebits: bigint): Kobo {
  return kobo(growsByDebits(kind) ? -creditsLessDebits : creditsLessDebits)
}

type StatementPeriod = { window: Window; openingKobo: Kobo }

// The start of a statement, and its opening balance.
export async function openStatement(
  db: Queryable,
  subject: StatementSubject,
  requested: Window,
): Promise<StatementPeriod> {
  const window = await keptWindow(db, requested)
  const openingKobo = window.from ? await readBalanceAt(db, subject, window.from) : kobo(0n)
  return { window, openingKobo }
}

type Statement = StatementPeriod & { viewer: Viewer; subject: StatementSubject }

// Reads each batch on its own, so that a long statement holds no connection while it is sent. Fails if
// its period is archived meanwhile.
export async function* readStatement(
  db: Queryable,
  { subject, window, viewer, openingKobo }: Statement,
): AsyncGenerator<StatementRow[], void> {
  const { kind } = subject
  const query = { viewer, accountIds: subject.accountIds, window }
  const moves = kind === 'bank' ? readBankMoves(db, query) : readMoves(db, query)
  let balanceKobo: bigint = openingKobo
  for await (const batch of moves) {
    yield batch.map((move) => {
      const changeKobo = inOwnSign(kind, move.changeKobo)
      balanceKobo += changeKobo
      return { ...move, changeKobo, balanceKobo: kobo(balanceKobo) }
    })
  }
  await requireKept(db, window.from ?? new Date(0), 'from')
}
