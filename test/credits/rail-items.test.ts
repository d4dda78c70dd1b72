// I33: every signed report with an amount is booked, in suspense, or in the register of rail items, where
// operators find it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks, holdTable, tally } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { balanceOf, createAccount } from '../support/fixtures.ts'
import { newSessionId, postRail, wordsOf } from '../support/rail.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const ITEMS = '/api/v1/operator/rail-items'

type Item = Record<string, unknown> & { id: string }

// Reads a page of the operator's list of rail items.
async function listRailItems(
  query = '',
): Promise<{ data: Item[]; hasMore: boolean; nextCursor: string }> {
  const answer = await bench.call({ method: 'GET', url: `${ITEMS}${query}` })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json()
}
const newest = async () => (await listRailItems('?limit=1')).data[0] as Item
test('an item that names an amount and cannot be booked is kept once, answered 00, then 01', async () => {
  const sessionId = newSessionId()
  const credit = { sessionId, accountNumber: '12345', amount: '75.50', narration: 'Rent of Ada' }

  const first = (await postRail(bench, '058/credits', credit)).json()
  const again = (await postRail(bench, '058/credits', [credit])).json()

  assert.equal(wordsOf(first), '00 kept invalid_account_number')
  assert.equal(wordsOf(again[0]), '01 duplicate invalid_account_number')
  const { data } = await listRailItems('?outcome=rejected')
  const { id, receivedAt, ...view } = data[0] as Item
  assert.deepEqual(view, {
    bankCode: '058',
    call: 'credits',
    outcome: 'rejected',
    reason: 'invalid_account_number',
    responseCode: '00',
    sessionId,
    amount: '75.50',
    takenAt: null,
  })
  assert.equal(new Date(receivedAt as string).getTime(), bench.clock().getTime())
  assert.equal(data.filter((item) => item.sessionId === sessionId).length, 1)
  const alerts = await bench.db.query(
    `select subject from alerts where kind = 'rail_item_rejected' and subject like '058/%'`,
  )
  assert.deepEqual(alerts.rows, [{ subject: '058/invalid_account_number' }])
})

test('a report that the bank corrects, under the same session id, is booked', async () => {
  const { accountNumber } = await createAccount(bench)
  const credit = { sessionId: newSessionId(), accountNumber, amount: '10.001' }

  const wrong = (await postRail(bench, '035/credits', credit)).json()
  const right = (await postRail(bench, '035/credits', { ...credit, amount: '10.00' })).json()

  assert.deepEqual([wrong, right].map(wordsOf), ['00 kept invalid_amount', '00 booked'])
  assert.equal(await balanceOf(bench, accountNumber), 10)
})

test('two equal reports without a session id are two items; a repeated report adds none', async () => {
  const nameless = { accountNumber: '0123456789', amount: '5' }
  const before = (await listRailItems('?limit=100')).data.length

  const first = (await postRail(bench, '035/credits', [nameless, nameless])).json()
  const again = (await postRail(bench, '035/credits', [nameless, nameless])).json()

  assert.deepEqual(tally(first.map(wordsOf)), { '00 kept invalid_session_id': 2 })
  assert.deepEqual(tally(again.map(wordsOf)), { '01 duplicate invalid_session_id': 2 })
  assert.equal((await listRailItems('?limit=100')).data.length, before + 2)
})

test('a report that certainly has no money is answered 02 and is not stored', async () => {
  const { length } = (await listRailItems('?limit=100')).data
  const none = [{}, { amount: '0' }, { amount: -5 }, { amount: null }, 'text', 7]
  const bodies = none.map((one) =>
    typeof one === 'object' ? { sessionId: newSessionId(), accountNumber: '123', ...one } : one,
  )

  const answers = (await postRail(bench, '035/credits', bodies)).json()

  assert.deepEqual(tally(answers.map((each: Item) => each.responseCode)), { '02': none.length })
  assert.equal((await listRailItems('?limit=100')).data.length, length)
})

test('an unreadable body that mentions an amount is stored as it came', async () => {
  const body = '{"sessionId":"1","amount":"100.00","acc'

  const answer = await postRail(bench, '035/credits', body)

  assert.deepEqual([answer.statusCode, answer.json().code], [400, 'malformed'])
  const { id, outcome, reason } = await newest()
  assert.deepEqual([outcome, reason], ['unreadable', 'malformed'])
  const opened = await bench.call({ method: 'GET', url: `${ITEMS}/${id}` })
  assert.equal(opened.json().data.body, body)
})

test('a stored body is encrypted and opened by operators only, which the audit log notes', async () => {
  const sessionId = newSessionId()
  const secret = 'Chidi Okafor of Aba'
  const sourceAccountName = secret
  await postRail(bench, '035/credits', { sessionId, amount: '1.001', sourceAccountName })
  const { id } = await newest()

  const opened = await bench.call({ method: 'GET', url: `${ITEMS}/${id}` })

  const { body, ...rest } = opened.json().data
  assert.deepEqual(JSON.parse(body), { sessionId, amount: '1.001', sourceAccountName })
  assert.equal(rest.sessionId, sessionId)
  const before = await bench.db.query('select r::text as row from rail_items r where id = $1', [id])
  assert(!before.rows[0].row.includes(Buffer.from(secret).toString('hex')))
  assert(!before.rows[0].row.includes(secret))
  const actions = await bench.call({
    method: 'GET',
    url: `/api/v1/audit-log?action=rail_item.open&subject=rail-item/${id}`,
  })
  assert.equal(actions.json().data.length, 1)
  const token = await bench.newClient('OTHER00001')
  for (const url of [ITEMS, `${ITEMS}/${id}`]) {
    const answer = await bench.call({ method: 'GET', url, token })
    assert.deepEqual([answer.statusCode, answer.json().code], [403, 'scope_missing'])
  }
  for (const wrong of ['0', 'x', '99999999', '1'.repeat(30)]) {
    const answer = await bench.call({ method: 'GET', url: `${ITEMS}/${wrong}` })
    assert.equal(answer.json().code, 'rail_item_not_found')
  }
})

test('the register is read page by page, newest first', async () => {
  const all = (await listRailItems('?limit=100')).data
  const seen: Item[] = []
  let cursor = ''
  do {
    const page = await listRailItems(`?limit=2${cursor}`)
    seen.push(...page.data)
    cursor = page.hasMore ? `&cursor=${page.nextCursor}` : ''
  } while (cursor !== '')

  assert.deepEqual(seen, all)
  assert.deepEqual(
    all.map(({ id }) => Number(id)),
    all.map(({ id }) => Number(id)).toSorted((a, b) => b - a),
  )
})

test('no report is answered before it is stored', async () => {
  const credit = { sessionId: newSessionId(), accountNumber: '123', amount: '9' }
  let answered = false
  let sent: ReturnType<typeof postRail>
  {
    await using held = await holdTable(bench, 'rail_items')
    sent = postRail(bench, '035/credits', credit).then((answer) => {
      answered = true
      return answer
    })
    await held.waiting(1)
    assert.equal(answered, false)
  }

  assert.equal(wordsOf((await sent).json()), '00 kept invalid_account_number')
})

test('after all these tests the books add up', () => assertCleanBooks(bench))
