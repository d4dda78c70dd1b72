// The states of a difference, and the only code that changes them.

import {
  type Move,
  moveRow,
  moveRows,
  type States,
  statusesBefore,
  statusesOf,
} from '#db/states.ts'
import type { Transaction } from '#db/transaction.ts'
import type { DifferenceId } from '#ids.ts'

const TRANSITIONS = {
  open: ['asked', 'resolved', 'cleared'],
  asked: ['open', 'resolved', 'cleared'],
  resolved: ['cleared'],
  cleared: [],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type DifferenceState = keyof typeof TRANSITIONS

export const DIFFERENCES: States<DifferenceState> = {
  table: 'differences',
  column: 'state',
  initial: 'open',
  transitions: TRANSITIONS,
}

export const DIFFERENCE_STATES = statusesOf(TRANSITIONS)

type DifferenceMove = Omit<Move<DifferenceState>, 'rows' | 'returning'> & { id: DifferenceId }

// Moves a difference to another state. The caller has locked the difference.
export async function transition(tx: Transaction, move: DifferenceMove): Promise<void> {
  await moveRow(tx, DIFFERENCES, move)
}

const CLEARABLE = statusesBefore(DIFFERENCES, 'cleared')

// Clears the difference of an item that a line now explains, in whatever state the difference is. Does
// nothing if the item has no difference.
export function clearDifferenceOfItem(
  tx: Transaction,
  item: { kind: string; id: bigint },
): Promise<{ id: DifferenceId }[]> {
  return moveRows(tx, DIFFERENCES, {
    name: 'clear-difference-of-item',
    rows: `select id from differences
            where item_kind = $1 and item_id = $2 and state <> 'cleared'`,
    from: CLEARABLE,
    to: 'cleared',
    values: [item.kind, item.id],
  })
}

// SQL statement: clears differences and writes their history. `ids` is a query; $1 is now.
export const clearDifferences = (ids: string) => `
  with cleared as (
    update differences set state = 'cleared'
     where id in (${ids}) and state in (${CLEARABLE.map((state) => `'${state}'`).join(', ')})
    returning id
  )
  insert into difference_changes (difference_id, change, detail, changed_at)
  select id, 'cleared', '{}', $1 from cleared order by id`
