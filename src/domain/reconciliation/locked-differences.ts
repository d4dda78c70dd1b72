// A difference and its line, for resolving. Locks, in this order: the bank's account as matching does,
// then the difference.

import type { LineKind } from '#banks/statements/statement.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { DifferenceId, StatementLineId, UserId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import type { DifferenceAction, Resolvable } from './allowed-actions.ts'
import { JOIN_PAYOUT, type NamedPayout, PAYOUT_COLUMNS } from './payout-differences.ts'
import { lockBank } from './reconciled-banks.ts'
import { JOIN_REVERSED, REVERSED_COLUMNS, type ReversedCredit } from './reversed-credits.ts'

export type DifferenceState = 'open' | 'asked' | 'resolved' | 'cleared'

export type Difference = Resolvable &
  NamedPayout &
  ReversedCredit & {
    id: DifferenceId
    bankCode: string
    currency: string
    day: string
    lineId: StatementLineId | null
    suggestedKind: string | null
    suggestedId: bigint | null
    state: DifferenceState
    action: DifferenceAction | null // Set on an open difference: decided, and being booked.
    reason: string | null
    askedBy: string | null
    askedByUser: UserId | null
    makerPeople: readonly UserId[] | null // The people behind the requester.
    askedAt: Date | null
    decidedBy: string | null
    decidedAt: Date | null
    ownerId: UserId | null // The user may be gone.
  }

export type StatementRow = {
  id: StatementLineId
  bankCode: string
  currency: string
  bookedOn: string
  amountKobo: Kobo
  kind: LineKind
  sessionId: string | null
  bankReference: string | null
  endToEndId: string | null
  accountNumber: string | null
  counterpartyName: string | null
  counterpartySealed: Buffer | null
  counterpartyBank: string | null
  narration: string | null
  hash: Buffer
}

const SELECT_DIFFERENCE = `
  select d.id, d.bank_code as "bankCode", d.currency, d.day::text as day, d.kind,
         d.amount_kobo as "amountKobo", d.line_id as "lineId", l.kind as "lineKind",
         d.suggested_kind as "suggestedKind", d.suggested_id as "suggestedId",
         d.suggested_id is not null as "hasSuggestion", d.state, d.action, d.reason,
         d.asked_by as "askedBy", d.asked_by_user as "askedByUser",
         d.maker_people as "makerPeople", d.asked_at as "askedAt",
         d.decided_by as "decidedBy", d.decided_at as "decidedAt", d.owner_id as "ownerId",
         ${PAYOUT_COLUMNS}, ${REVERSED_COLUMNS}
    from differences d
    left join statement_lines l on l.id = d.line_id ${JOIN_PAYOUT} ${JOIN_REVERSED}
   where d.id = $1`

export async function getDifference(db: Queryable, id: DifferenceId): Promise<Difference> {
  const { rows } = await db.query<Difference>({
    name: 'read-difference',
    text: SELECT_DIFFERENCE,
    values: [id],
  })
  if (!rows[0]) throw new Refusal('difference_not_found')
  return rows[0]
}

// Matching of this bank waits until the transaction ends.
export async function lockDifference(tx: Transaction, id: DifferenceId): Promise<Difference> {
  await lockBank(tx, await getDifference(tx, id))
  const { rows } = await tx.query<Difference>({
    name: 'lock-difference',
    text: `${SELECT_DIFFERENCE} for no key update of d`,
    values: [id],
  })
  return rows[0] as Difference
}

// Decided, but its credit is not in the books yet.
export function isBeingBooked({ state, action }: Pick<Difference, 'state' | 'action'>): boolean {
  return state === 'open' && action !== null
}

export async function readLine(db: Queryable, id: StatementLineId): Promise<StatementRow> {
  const { rows } = await db.query<StatementRow>({
    name: 'read-statement-line',
    text: `select id, bank_code as "bankCode", currency, booked_on::text as "bookedOn",
                  amount_kobo as "amountKobo", kind, session_id as "sessionId",
                  bank_reference as "bankReference", end_to_end_id as "endToEndId",
                  account_number as "accountNumber", counterparty_name as "counterpartyName",
                  counterparty_sealed as "counterpartySealed",
                  counterparty_bank as "counterpartyBank", narration, hash
             from statement_lines where id = $1`,
    values: [id],
  })
  if (!rows[0]) throw new Error(`statement line ${id} is gone`)
  return rows[0]
}
