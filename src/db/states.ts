// Moves rows along the transitions of their table (I109). Each folder of src declares its transitions in its
// own states.ts, and only that file writes the column. Triggers enforce the same transitions
// (db/functions/check_*_transition.sql), and docs/states.md draws them. `npm run generate` writes the
// triggers and the drawing.

import assert from 'node:assert/strict'
import type pg from 'pg'
import { numberArray, plainArray } from './sql.ts'
import type { Transaction } from './transaction.ts'

// Maps each status to the statuses that may follow it. The keys are all statuses, ordered as in the API.
export type Transitions<Status extends string = string> = Readonly<
  Record<Status, readonly NoInfer<Status>[]>
>

// A table with the column that holds its status.
export type States<Status extends string = string> = {
  table: string
  column: 'status' | 'state'
  initial: Status // The status of a new row.
  transitions: Transitions<Status>
}

export const FORBIDDEN_TRANSITION = 'MN002' // Raised by the triggers.

export function statusesOf<Status extends string>(transitions: Transitions<Status>): Status[] {
  return Object.keys(transitions) as Status[]
}

// Returns whether a row may move from one status to the other.
export function isAllowed<Status extends string>(
  { transitions }: Pick<States<Status>, 'transitions'>,
  from: Status,
  to: Status,
): boolean {
  return transitions[from].includes(to)
}

// Throws if the move is forbidden: that is a bug in our code, not an error of the caller.
export function assertAllowed<Status extends string>(
  states: States<Status>,
  from: Status,
  to: Status,
): void {
  assert(isAllowed(states, from, to), `${states.table}: ${from} does not become ${to}`)
}

// Returns the statuses from which a row may move to `to`.
export function statusesBefore<Status extends string>(
  states: States<Status>,
  to: Status,
): Status[] {
  return statusesOf(states.transitions).filter((from) => isAllowed(states, from, to))
}

export type Move<Status extends string> = {
  name: string // The name of the prepared statement.
  // The ids, as $1; or a query that selects the ids and locks the rows, with parameters from $1.
  rows: readonly bigint[] | string
  from: Status | readonly Status[]
  to: Status
  set?: string // Further assignments. Their parameters follow those of `rows`.
  values?: readonly unknown[]
  returning?: string // Columns of the table `r` to return besides `id`.
}

// Moves rows to another status. Returns the rows that moved. A row whose status is no longer one of `from`
// stays as it is. `rows` are ids, or a query whose columns `set` can use as those of `target`.
export async function moveRows<Status extends string, Row extends pg.QueryResultRow>(
  tx: Transaction,
  states: States<Status>,
  { name, rows: target, from, to, set, values = [], returning }: Move<Status>,
): Promise<Row[]> {
  const { table, column } = states
  const allowedFrom: readonly Status[] = typeof from === 'string' ? [from] : from
  for (const status of allowedFrom) assertAllowed(states, status, to)
  const isQuery = typeof target === 'string'
  const parameters = isQuery ? [...values] : [numberArray(target), ...values]
  const [toPlace, fromPlace] = [`$${parameters.length + 1}`, `$${parameters.length + 2}`]
  const otherAssignments = set ? `, ${set}` : ''
  const { rows } = await tx.query<Row>({
    name,
    text: `${isQuery ? `with target as materialized (${target})` : ''}
           update ${table} r set ${column} = ${toPlace}${otherAssignments} ${isQuery ? 'from target' : ''}
            where ${isQuery ? 'r.id = target.id' : 'r.id = any($1::bigint[])'}
              and r.${column} = any(${fromPlace}::text[])
           returning r.id${returning ? `, ${returning}` : ''}`,
    values: [...parameters, to, plainArray(allowedFrom)],
  })
  return rows
}

// Moves one row. The caller has locked it and has read that its status is one of `from`.
export async function moveRow<Status extends string>(
  tx: Transaction,
  states: States<Status>,
  { id, ...move }: Omit<Move<Status>, 'rows' | 'returning'> & { id: bigint },
): Promise<void> {
  const moved = await moveRows(tx, states, { ...move, rows: [id] })
  assert(moved.length === 1, `${states.table}: ${id} was not ${move.from}`)
}
