// Records PostgreSQL's plans of all statements of a database, nested ones included. auto_explain sends
// every plan as a notice to its session, and this file listens on every connection of the process.

import { EventEmitter } from 'node:events'
import pg from 'pg'
import type { TestDatabase } from '../support/database.ts'

type PlanNode = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
  'Rows Removed by Join Filter'?: number
  Plans?: PlanNode[]
}
// A plan and its statement. `isOfBatch` means that it was planned with the settings of the batch pools
// (src/db/pool.ts).
export type Plan = { statement: string; plan: PlanNode; isOfBatch: boolean }

// The limits of findWholeRead(): which tables are large, which indexes cover only a part of their table,
// and how many rows a plan may read and discard.
export type Look = {
  isLarge: (table: string) => boolean
  isPartial: (index: string) => boolean
  discardedMax: number
}

const SETTINGS = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_format': 'json',
  'auto_explain.log_level': 'notice',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_settings': 'on',
}

const PLAN = /^duration: \S+ ms +plan:\n/
const plans: Plan[] = []

// Patches every client of the driver, because a service hides its connections.
pg.Client.prototype.emit = function emit(name: string | symbol, ...values: unknown[]): boolean {
  if (name === 'notice') recordPlan((values[0] as { message: string }).message)
  return EventEmitter.prototype.emit.call(this, name, ...values)
}

// Reads a plan from a notice of auto_explain.
function recordPlan(message: string): void {
  if (!PLAN.test(message)) return
  const { 'Query Text': statement, Plan: plan, Settings } = JSON.parse(message.replace(PLAN, ''))
  plans.push({ statement, plan, isOfBatch: Settings?.plan_cache_mode === 'force_generic_plan' })
}

// Makes the database explain every statement of the connections that are opened from now on.
export async function explainAll({ pool }: TestDatabase): Promise<void> {
  const { rows } = await pool.query('select quote_ident(current_database()) as name')
  for (const [name, value] of Object.entries(SETTINGS)) {
    await pool.query(`alter database ${rows[0].name} set ${name} = '${value}'`)
  }
}

// Returns the plans since the last call.
export function takePlans(): Plan[] {
  return plans.splice(0)
}

// Explains why a plan reads most of a table: a sequential scan, every entry of an index that covers
// about every row, or more discarded rows than `discardedMax`. Undefined if it does not.
export function findWholeRead(
  node: PlanNode,
  { isLarge, isPartial, discardedMax }: Look,
  isLimited = false,
): string | undefined {
  const { 'Node Type': type, 'Index Name': index = '', 'Relation Name': table = '' } = node
  if (isLarge(table)) {
    if (type === 'Seq Scan') return `${type} on ${table}`
    const readsWholeIndex = type.startsWith('Index') && node['Index Cond'] === undefined
    if (readsWholeIndex && !isLimited && !isPartial(index)) return `all of ${index}`
  }
  const times = node['Actual Loops'] ?? 1
  const discarded = times * (node['Rows Removed by Filter'] ?? 0)
  const unmatched = times * (node['Rows Removed by Join Filter'] ?? 0)
  if (discarded > discardedMax || unmatched > 5 * discardedMax) {
    return `${discarded + unmatched} rows read for nothing (${type} ${table})`
  }
  for (const child of node.Plans ?? []) {
    const limited = isLimited || type === 'Limit'
    const found = findWholeRead(child, { isLarge, isPartial, discardedMax }, limited)
    if (found) return found
  }
  return undefined
}
