// Long timelines: however many changes an account has, pages have a limited size, and together they show each
// entry once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { ACCOUNTS, createAccount, MINUTE_MS } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'
import { assign, NOBODYS_NUMBER, suspend } from '../support/suspense-desk.ts'
import { credit, type Row, readList } from '../support/tracing.ts'

const bench = closeAfterTests(await startTestService())

// All pages of an account's timeline, the newest first.
async function pagesOf(accountNumber: string, limit: number): Promise<Row[][]> {
  const url = `${ACCOUNTS}/${accountNumber}/timeline?limit=${limit}`
  const pages: Row[][] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await readList(bench, `${url}${cursor && `&cursor=${cursor}`}`)
    assert(pages.push(page.data) < 1_000, 'it has an end')
    cursor = page.nextCursor
  }
  return pages
}

const wholeOf = (pages: readonly Row[][]) => pages.toReversed().flat()
const textOf = (entry: Row) => JSON.stringify(entry)

test('the timeline of an account that was changed a thousand times has several pages', async () => {
  const { accountNumber } = await createAccount(bench)
  bench.advance(MINUTE_MS)
  // Seven entries have the same time, so that some pages end between entries of the same time.
  await bench.db.query(
    `insert into audit_log (client_id, actor, action, subject, detail, taken_at)
     select id, 'client:x', 'account.change', 'account/' || $1::text,
            json_build_object('note', n::text), $2::timestamptz + n / 7 * interval '1 second'
       from clients, generate_series(0, 999) as n where client_id = 'MAN0000001'`,
    [accountNumber, bench.clock()],
  )
  bench.advance(5 * MINUTE_MS)
  await credit(bench, accountNumber, '10.00')

  const pages = await pagesOf(accountNumber, 100)

  assert(pages.length >= 10)
  for (const page of pages) assert(page.length <= 110, `${page.length} on one page`)
  const notes = wholeOf(pages).flatMap(({ kind, detail }) => (kind === 'action' ? detail.note : []))
  assert.deepEqual(
    notes,
    Array.from({ length: 1_000 }, (_, at) => String(at)),
  )
  assert.equal(wholeOf(pages).filter(({ kind }) => kind === 'credit').length, 1)
})

test('an assignment of dozens, with credits and changes between, is shown once', async () => {
  const { accountNumber } = await createAccount(bench)
  const collected: string[] = []
  for (let at = 0; at < 12; at++) {
    if (at % 3 === 0) bench.advance(MINUTE_MS)
    const { id, sessionId } = await suspend(bench, NOBODYS_NUMBER, `${at + 1}.00`)
    assert.equal((await assign(bench, id, { accountNumber })).statusCode, 200)
    collected.push(sessionId)
    if (at % 4 === 0) await credit(bench, accountNumber, `${at + 100}.00`)
    if (at % 5 === 0) {
      const url = `${ACCOUNTS}/${accountNumber}`
      const body = { accountName: `Name ${at}` }
      const changed = await bench.call({ method: 'PATCH', url, body })
      assert.equal(changed.statusCode, 200, changed.body)
    }
  }

  const [whole, ...more] = await pagesOf(accountNumber, 100)

  assert.deepEqual(more, [])
  const assigned = (whole as Row[]).filter(({ detail }) => detail.type === 'credit.assigned')
  assert.equal(assigned.length, collected.length)
  for (const limit of [1, 2, 3, 5]) {
    const pages = await pagesOf(accountNumber, limit)
    assert.deepEqual(wholeOf(pages).map(textOf).sort(), (whole as Row[]).map(textOf).sort())
    const times = wholeOf(pages).map(({ at }) => at)
    assert.deepEqual(times, times.toSorted())
  }
})
