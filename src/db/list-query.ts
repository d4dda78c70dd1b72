// The statement of a filtered list, with the conditions that apply and no others:
//
//   listQuery({
//     select: SELECT_PAYOUT,
//     where: [['p.client_id = $', clientId], ['p.status = $', status]],
//     id: 'p.id', order, after, limit,
//   })
//
// `$` stands for the value. A condition whose value is undefined or null is left out; one without a value
// is a text, or false.

import type { QueryConfig } from 'pg'
import { ORDER_SQL, type Order } from './paging.ts'
import { namedByText } from './statement-names.ts'

export type Conditions = readonly (string | false | readonly [sql: string, value: unknown])[]

type ListQuery = {
  select: string
  where: Conditions
  id: string
  order?: Order | undefined
  after: unknown // The id of the last row before the page. Null: from the beginning.
  limit: number
}

export function listQuery({
  select,
  where,
  id,
  order = 'newest',
  ...page
}: ListQuery): QueryConfig {
  const { sort, isAfter } = ORDER_SQL[order]
  const { sql, values } = fits([...where, [`${id} ${isAfter} $`, page.after]])
  return composed(`${select} where ${sql} order by ${id} ${sort} limit ${page.limit}`, values)
}

export function fits(where: Conditions): { sql: string; values: unknown[] } {
  const values: unknown[] = []
  const conditions: string[] = []
  for (const condition of where) {
    if (typeof condition === 'string') conditions.push(condition)
    if (typeof condition !== 'object') continue
    const [sql, value] = condition
    if (value !== undefined && value !== null) {
      conditions.push(sql.replaceAll('$', `$${values.push(value)}`))
    }
  }
  return { sql: conditions.length === 0 ? 'true' : conditions.join(' and '), values }
}

// Planned once per connection and text. A window of time is planned each time: how much of the table it
// holds decides the plan.
export function composed(text: string, values: unknown[]): QueryConfig {
  const hasWindow = values.some((value) => value instanceof Date)
  return hasWindow ? { text, values } : namedByText(text, values)
}
