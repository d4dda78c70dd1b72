// The calls of the suspense desk.

import assert from 'node:assert/strict'
import { bankOf, newSessionId, postRail } from './rail.ts'
import type { Bench } from './running-service.ts'
import { shownId, storedName } from './shown-ids.ts'

export const SUSPENSE = '/api/v1/suspense'
export const NOBODYS_NUMBER = '0123456789' // Not issued, so money sent to it is unidentified.

// biome-ignore lint/suspicious/noExplicitAny: suspense items as parsed JSON.
export type Item = any

export async function listItems(bench: Bench, query = '', token?: string): Promise<Item[]> {
  const url = `${SUSPENSE}?limit=100${query}`
  const answer = await bench.call({ url, ...(token ? { token } : {}) })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data
}

export async function readItem(bench: Bench, id: number): Promise<Item> {
  const answer = await bench.call({ url: `${SUSPENSE}/${id}` })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data
}

// Reports a credit that the service must suspend as a whole; returns the suspense item's id and the session
// id.
export async function suspend(
  bench: Bench,
  accountNumber: string,
  amount: string,
  more: { bank?: string } & Record<string, unknown> = {},
): Promise<Item> {
  const { bank = await bankOf(bench, accountNumber), ...fields } = more
  const sessionId = newSessionId()
  const body = { sessionId, accountNumber, amount, ...fields }
  const answer = await postRail(bench, `${bank}/credits`, body)
  assert.deepEqual([answer.json().responseCode, answer.json().outcome], ['00', 'suspended'])
  const { rows } = await bench.db.query(
    `select i.id from suspense_items i join credits c on c.id = i.credit_id
      where c.session_id = $1`,
    [sessionId],
  )
  assert.equal(rows.length, 1)
  return { id: shownId('suspense', rows[0].id), sessionId }
}

type By = { token?: string }

export function assign(bench: Bench, id: number | string, body: object, by: By = {}) {
  return bench.call({ url: `${SUSPENSE}/${id}/assign`, body, ...by })
}

export function giveBack(bench: Bench, id: number | string, body: object = {}, by: By = {}) {
  return bench.call({ url: `${SUSPENSE}/${id}/return`, body, ...by })
}

// The reference of an item's pending return.
export async function pendingReturnOf(db: Bench['db'], itemId: bigint | number): Promise<string> {
  const { rows } = await db.query<{ reference: string }>(
    `select reference from returns where item_id = $1 and status = 'pending'`,
    [itemId],
  )
  assert.equal(rows.length, 1, `pending returns of item ${itemId}`)
  return (rows[0] as { reference: string }).reference
}

// The entries of the audit log about a suspense item, oldest first.
export async function auditLogFor(bench: Bench, id: number): Promise<Item[]> {
  const { rows } = await bench.db.query(
    `select c.client_id as by, a.action, a.detail from audit_log a join clients c on c.id = a.client_id
      where a.subject = $1 order by a.id`,
    [storedName(`suspense/${id}`)],
  )
  return rows
}
