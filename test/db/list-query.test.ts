// Tests how the SQL of lists is assembled: aliases in camelCase, and the conditions of a filtered list.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { composed, joinConditions, listQuery } from '#db/paging.ts'
import { StatementGroup } from '#db/statement-group.ts'
import { createTestDatabase } from '../support/database.ts'

test('columns in snake_case are read in camelCase, alone and in a group of statements', async () => {
  await using database = await createTestDatabase()
  const text = 'select 1 as open_alerts, true as is_day_2, 3 as id, 4 as "alreadyCamel"'
  const row = { openAlerts: 1, isDay2: true, id: 3, alreadyCamel: 4 }
  assert.deepEqual((await database.pool.query(text)).rows, [row])
  const client = await database.pool.connect()
  try {
    const group = new StatementGroup()
    const answer = group.add({ text })
    await group.send(client)
    assert.deepEqual((await answer).rows, [row])
  } finally {
    client.release()
  }
})

test('a condition without a value is left out, and values keep their places', () => {
  const { sql, values } = joinConditions([
    ['a = $', undefined],
    ['b = $', null],
    'c is null',
    false,
    ['d between $ and $ + 1', 0],
    ['e = $', false],
  ])
  assert.equal(sql, 'c is null and d between $1 and $1 + 1 and e = $2')
  assert.deepEqual(values, [0, false])
  assert.deepEqual(joinConditions([['a = $', undefined]]), { sql: 'true', values: [] })
})

test('a condition takes several values, the last one for all its other places', () => {
  const { sql, values } = joinConditions(
    [
      ['(a, b) < ($, $)', 5, 6],
      ['$ = f($, $)', 'x', 7],
      ['(c, d) > ($, $)', 8, undefined],
    ],
    ['own'],
  )
  assert.equal(sql, '(a, b) < ($2, $3) and $4 = f($5, $5)')
  assert.deepEqual(values, ['own', 5, 6, 'x', 7])
})

test('a page goes on after its position, in either order', () => {
  const page = {
    select: 'select id from t',
    where: [['a = $', 'x']],
    id: 't.id',
    limit: 3,
  } as const
  const text = (order: 'newest' | 'oldest', after: bigint | null) =>
    listQuery({ ...page, order, after }).text
  assert.equal(
    text('newest', 7n),
    'select id from t where a = $1 and t.id < $2 order by t.id desc limit 3',
  )
  assert.equal(
    text('oldest', 7n),
    'select id from t where a = $1 and t.id > $2 order by t.id asc limit 3',
  )
  const query = { ...page, select: 'select f($1)', values: [1], after: 7n }
  assert.deepEqual(
    [listQuery(query).text, listQuery(query).values],
    ['select f($1) where a = $2 and t.id < $3 order by t.id desc limit 3', [1, 'x', 7n]],
  )
  assert.equal(text('newest', null), 'select id from t where a = $1 order by t.id desc limit 3')
})

test('a list that is used again is planned once; one of a window of time each time', () => {
  // Returns the name under which a statement is prepared after it was used six times.
  const name = (value: unknown) => {
    const used = Array.from({ length: 6 }, () => composed(`select ${typeof value} $1`, [value]))
    return used.at(-1)?.name
  }
  assert.match(name('x') ?? '', /^composed-/)
  assert.equal(name(new Date(0)), undefined)
})
