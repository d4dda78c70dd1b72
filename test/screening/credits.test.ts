// A credit that breaks a screening rule is booked and acknowledged, and then held (I146). Each kind of rule
// is tested with credits that break it and credits that do not.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import { watchScreening } from '#screening/credits.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { createAccount } from '../support/fixtures.ts'
import { credit, recordMovements, reverse } from '../support/movements.ts'
import {
  activate,
  approve,
  CREDIT_RULE,
  decisions,
  MINUTE_MS,
  putList,
  request,
  startScreening,
} from '../support/screening.ts'

const desk = closeAfterTests(await startScreening())

const payer = (serial: number, name = 'ADA OBI') => ({
  sourceAccountNumber: `01234567${String(serial).padStart(2, '0')}`,
  sourceAccountName: name,
  sourceBankCode: '058',
})

async function account() {
  return (await createAccount(desk)).accountNumber as string
}

// Reports a credit, which must be booked; returns its session id.
async function pay(number: string, amount: string, from = payer(0)) {
  const { sessionId, says } = await credit(desk, number, amount, from)
  assert.equal(says, '00 booked')
  return sessionId
}

// Screens all credits; returns the indexes of those among these credits that are held.
async function heldOf(sessionIds: readonly string[]): Promise<number[]> {
  await desk.screen()
  const holding = (await decisions(desk)).filter(({ hold }) => hold)
  const heldIds = new Set(holding.map(({ sessionId }) => sessionId as string))
  return sessionIds.flatMap((id, index) => (heldIds.has(id) ? [index] : []))
}

// Runs `work` while this rule is in force.
async function during(rule: object, work: () => Promise<void>) {
  const { reference } = await activate(desk, { ...CREDIT_RULE, name: `Rule ${++rules}`, ...rule })
  await work()
  await desk.screen()
  await approve(desk, await request(desk, `/rules/${reference}/end`))
  desk.advance(2 * MINUTE_MS)
}
let rules = 0

test('without a rule in force nothing is written for a credit, and nothing held', async () => {
  const number = await account()
  assert.deepEqual(await heldOf([await pay(number, '100')]), [])
  const tables = ['screening_progress', 'screening_days', 'screening_decisions', 'holds']
  for (const table of tables) {
    assert.equal((await desk.db.query(`select from ${table}`)).rowCount, 0, table)
  }
})

test('velocity: the third credit within an hour is held, and one an hour later is not', async () => {
  await during({ kind: 'velocity', count: 3, minutes: 60 }, async () => {
    const number = await account()
    const other = await account()
    const ids = [await pay(number, '100'), await pay(number, '100'), await pay(other, '100')]
    await desk.screen()
    const { moves } = await recordMovements(desk)
    ids.push(await pay(number, '100'))
    assert.deepEqual(await heldOf(ids), [3])
    assert.deepEqual((await moves()).at(-1), 'hold: collection → held 100.00')
    desk.advance(61 * MINUTE_MS)
    assert.deepEqual(await heldOf([await pay(number, '100')]), [])
  })
})

test('velocity: credits that reach an amount within the window are held', async () => {
  await during({ kind: 'velocity', amount: '250', minutes: 60 }, async () => {
    const number = await account()
    assert.deepEqual(
      await heldOf([
        await pay(number, '100'),
        await pay(number, '149.99'),
        await pay(number, '0.01'),
      ]),
      [2],
    )
  })
})

test('structuring: only credits just below the threshold count', async () => {
  const rule = { kind: 'structuring', amount: '1000', percent: 10, count: 3, minutes: 60 }
  await during(rule, async () => {
    const number = await account()
    const ids: string[] = []
    for (const amount of ['950', '1000', '899.99', '900', '10', '999.99']) {
      ids.push(await pay(number, amount))
    }
    assert.deepEqual(await heldOf(ids), [5])
  })
})

test('new_payer: a large amount from a payer who has not paid this account before', async () => {
  await during({ kind: 'new_payer', amount: '500', days: 30 }, async () => {
    const number = await account()
    const ids = [
      await pay(number, '499.99', payer(1)),
      await pay(number, '500', payer(1)),
      await pay(number, '500', payer(2)),
    ]
    assert.deepEqual(await heldOf(ids), [2])
    desk.advance(31 * 1_440 * MINUTE_MS)
    assert.deepEqual(await heldOf([await pay(number, '500', payer(1))]), [0])
  })
})

test('many_payers: the third payer within an hour, however often the others paid', async () => {
  await during({ kind: 'many_payers', count: 3, minutes: 60 }, async () => {
    const number = await account()
    const ids: string[] = []
    for (const serial of [1, 2, 1, 2, 1, 3]) ids.push(await pay(number, '100', payer(serial)))
    assert.deepEqual(await heldOf(ids), [5])
  })
})

test('list: a payer on the list in force, by the version in force when the credit came', async () => {
  await putList(desk, 'own', 'id,name\n7,Musa Example Bello\n')
  desk.advance(MINUTE_MS)
  await during({ kind: 'list', list: 'own', score: 90 }, async () => {
    const number = await account()
    const before = [
      await pay(number, '100', payer(1, 'BELLO MUSA')),
      await pay(number, '100', payer(2, 'CHIKA EZE')),
    ]
    await putList(desk, 'own', 'id,name\n8,Chika Eze\n')
    desk.advance(MINUTE_MS)
    const after = [
      await pay(number, '100', payer(1, 'BELLO MUSA')),
      await pay(number, '100', payer(2, 'CHIKA EZE')),
    ]
    assert.deepEqual(await heldOf([...before, ...after]), [0, 3])
    const [newest] = await decisions(desk)
    const hits = newest?.hits as unknown as { inputs: object }[]
    assert.deepEqual(hits[0]?.inputs, {
      entry: '8',
      listed: 'Chika Eze',
      listVersion: '2',
      score: 100,
    })
  })
})

test('a credit that was screened is not screened again, however often the round runs', async () => {
  await during({ kind: 'velocity', count: 2, minutes: 60 }, async () => {
    const number = await account()
    const ids = [await pay(number, '100'), await pay(number, '100')]
    await Promise.all([desk.screen(), desk.screen(), desk.screen()])
    await desk.db.query('update screening_progress set credit_id = 0') // As after a lost commit.
    await desk.screen()
    assert.deepEqual(await heldOf(ids), [1])
    const { rows } = await desk.db.query(
      `select count(*)::int as holds from holds h join credits c on c.id = h.credit_id
        where c.session_id = $1`,
      [ids[1]],
    )
    assert.deepEqual(rows, [{ holds: 1 }])
    await assertCleanBooks(desk)
  })
})

test('a credit that commits after one with a higher id is still screened', async () => {
  await during({ kind: 'velocity', count: 2, minutes: 60 }, async () => {
    const number = await account()
    await pay(number, '100')
    const slow = await desk.db.connect()
    await slow.query('begin')
    const { rows } = await slow.query<{ id: bigint }>(`select nextval('credit_ids') as id`)
    const fast = await pay(number, '100')
    await desk.screen() // Waits for the slow one, and gives up.
    await slow.query(
      `insert into credits (id, bank_code, session_id, account_number, client_id, amount_kobo, currency,
                            outcome, reason, suspended_kobo, received_at, identified_by)
       select $1, bank_code, 'slow-' || id, account_number, client_id, amount_kobo, currency, 'suspended',
              'late', amount_kobo, received_at, identified_by from credits where session_id = $2`,
      [rows[0]?.id, fast],
    )
    await slow.query('commit')
    slow.release()
    await desk.screen()
    const found = (await decisions(desk)).map(({ sessionId }) => sessionId)
    assert.deepEqual(found.slice(0, 2), [fast, `slow-${await idOf(fast)}`])
  })
})

async function idOf(sessionId: string): Promise<string> {
  const { rows } = await desk.db.query<{ id: bigint }>(
    'select id from credits where session_id = $1',
    [sessionId],
  )
  return String(rows[0]?.id)
}

test('a credit that the bank took back before it was held is kept as decided, without a hold', async () => {
  await during({ kind: 'velocity', count: 2, minutes: 60 }, async () => {
    const number = await account()
    await pay(number, '100')
    const sessionId = await pay(number, '100')
    await reverse(desk, sessionId, '100')
    await desk.screen()
    const [decision] = await decisions(desk, `&sessionId=${sessionId}`)
    assert.equal(decision?.unheldReason, 'nothing_left')
  })
})

test('a hit on unidentified money is stored, and waits without a hold while it has no owner', async () => {
  await during({ kind: 'velocity', count: 2, minutes: 60 }, async () => {
    const ids = [await credit(desk, '9999999999', '10'), await credit(desk, '9999999999', '10')]
    await desk.screen()
    const [decision] = await decisions(desk, `&sessionId=${ids[1]?.sessionId}`)
    assert.deepEqual([decision?.handling, decision?.clientId], ['waiting', null])
  })
})

test('operators are alerted while the oldest credit is unscreened for too long', async () => {
  await during({ kind: 'velocity', count: 9, minutes: 60 }, async () => {
    await desk.screen()
    await pay(await account(), '100')
    const watch = () =>
      withTransaction(desk.db, (tx) => watchScreening(tx, desk.clock(), { lateMinutes: 5 }))
    // How many alerts about late screening are open.
    const open = async () => {
      const { rows } = await desk.db.query(
        `select subject from alerts where kind = 'screening_late' and cleared_at is null`,
      )
      return rows.length
    }
    desk.advance(4 * MINUTE_MS)
    await watch()
    assert.equal(await open(), 0)
    desk.advance(MINUTE_MS)
    await watch()
    assert.equal(await open(), 1)
    await desk.screen()
    await watch()
    assert.equal(await open(), 0)
  })
})

test('when the last rule has ended, screening stops', async () => {
  desk.advance(61 * MINUTE_MS)
  await desk.screen()
  assert.equal((await desk.db.query('select from screening_progress')).rowCount, 0)
})
