// For tests of lists and balances: reads a list page by page, reports credits and reversals as a
// bank does, and assigns or returns suspense items as the suspense desk does.

import assert from 'node:assert/strict'
import type { LightMyRequestResponse } from 'fastify'
import { type Client, findClient } from '#access/permissions.ts'
import { withTransaction } from '#db/transaction.ts'
import type { SuspenseItemId } from '#ids.ts'
import { SharedAccounts } from '#ledger/accounts.ts'
import { type AssignTo, assignSuspense } from '#suspense/assign.ts'
import { requestReturn } from '#suspense/return.ts'
import { settleReturn } from '#suspense/settle.ts'
import { newSessionId, postRail, reportCredit } from './rail.ts'
import type { Bench } from './running-service.ts'
import { sealingOf } from './sealing.ts'
import { pendingReturnOf } from './suspense-desk.ts'

export const CREDITS = '/api/v1/credits'
export const BALANCES = '/api/v1/balances'
export const MERCHANTS = '/api/v1/balances/merchants'

// biome-ignore lint/suspicious/noExplicitAny: the rows of a response as parsed JSON.
export type Row = any
export type List = { data: Row[]; hasMore: boolean; nextCursor: string | null }

// Asserts that the response is a page of a list with a complete envelope.
export function listOf(answer: LightMyRequestResponse): List {
  assert.equal(answer.statusCode, 200, answer.body)
  const { isSuccessful, message, data, hasMore, nextCursor, ...rest } = answer.json()
  assert.deepEqual(rest, {})
  assert.equal(isSuccessful, true)
  assert.match(message, /retrieved successfully$/)
  assert(Array.isArray(data))
  assert.equal(hasMore, nextCursor !== null)
  return { data, hasMore, nextCursor }
}

export async function readList(bench: Bench, url: string, token?: string): Promise<List> {
  return listOf(await bench.call({ url, ...(token === undefined ? {} : { token }) }))
}

const PAGES_MAX = 500 // A cursor that leads nowhere fails instead of hanging.

// Reads all pages of a list. `between` runs after each page.
export async function walk(
  bench: Bench,
  url: string,
  { limit, between }: { limit: number; between?: () => Promise<unknown> },
): Promise<Row[][]> {
  const pages: Row[][] = []
  const first = `${url}${url.includes('?') ? '&' : '?'}limit=${limit}`
  let cursor: string | null = null
  do {
    const page = await readList(bench, cursor === null ? first : `${first}&cursor=${cursor}`)
    assert(page.data.length <= limit)
    assert(pages.length < PAGES_MAX, 'the list has an end')
    assert(page.data.length === limit || !page.hasMore, 'only the last page is short')
    pages.push(page.data)
    cursor = page.nextCursor
    await between?.()
  } while (cursor !== null)
  return pages
}

// Reports a credit, which the service must accept; returns its session id.
export async function credit(
  bench: Bench,
  accountNumber: string,
  amount: string,
  { bank, ...more }: { bank?: string } & Record<string, unknown> = {},
): Promise<string> {
  const sessionId = newSessionId()
  const answer = await reportCredit(bench, { sessionId, accountNumber, amount, ...more }, bank)
  assert.equal(answer.responseCode, '00', JSON.stringify(answer))
  return sessionId
}

// Reports the reversal of a credit, which the service must accept; returns the reversal's session id.
export async function reverse(bench: Bench, originalSessionId: string, amount: string) {
  const sessionId = newSessionId()
  const body = { sessionId, originalSessionId, amount }
  const answer = (await postRail(bench, '035/reversals', body)).json()
  assert.equal(answer.responseCode, '00', JSON.stringify(answer))
  return sessionId
}

// The actions of the suspense desk on the item of a credit, without HTTP. By default the sandbox's client
// acts.
export async function openDesk(bench: Bench, clientId = 'MAN0000001') {
  const sharedAccounts = new SharedAccounts(bench.db)
  const by = (await findClient(bench.db, clientId)) as Client
  const actionDeps = () => ({
    ...sealingOf(bench),
    sharedAccounts,
    now: bench.clock(),
    by,
    actor: `client:${clientId}`,
    userId: null,
    note: null,
  })
  // The id of the suspense item of a credit, which must not be closed yet.
  const itemOf = async (sessionId: string): Promise<SuspenseItemId> => {
    const { rows } = await bench.db.query(
      `select i.id from suspense_items i join credits c on c.id = i.credit_id
        where c.session_id = $1 and i.state in ('open', 'returning')`,
      [sessionId],
    )
    assert.equal(rows.length, 1, `items of ${sessionId}`)
    return rows[0].id
  }
  return {
    itemOf,
    assign: async (sessionId: string, to: AssignTo) => {
      const item = await itemOf(sessionId)
      await withTransaction(bench.db, (tx) =>
        assignSuspense(tx, actionDeps(), { itemId: item, to }),
      )
    },
    // Requests the return. In live mode, a return to a payer whose account is unknown waits for the operator.
    giveBack: async (sessionId: string, { mode = bench.config.mode } = {}) => {
      const item = await itemOf(sessionId)
      await withTransaction(bench.db, (tx) => requestReturn(tx, { ...actionDeps(), mode }, item))
    },
    confirm: async (sessionId: string, bankReference: string) => {
      const reference = await pendingReturnOf(bench.db, await itemOf(sessionId))
      const settled = { verdict: { status: 'confirmed', bankReference }, by: 'bank:035' } as const
      await withTransaction(bench.db, (tx) =>
        settleReturn(tx, actionDeps(), { reference, ...settled }),
      )
    },
    fail: async (sessionId: string, reason: string | null = null) => {
      const reference = await pendingReturnOf(bench.db, await itemOf(sessionId))
      const settled = { verdict: { status: 'failed', reason }, by: 'bank:035' } as const
      await withTransaction(bench.db, (tx) =>
        settleReturn(tx, actionDeps(), { reference, ...settled }),
      )
    },
  }
}
