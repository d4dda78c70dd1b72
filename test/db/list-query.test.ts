// Statements that are put together: camelCase aliases, and the conditions of a filtered list.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { columns } from '#db/columns.ts'
import { composed, fits, listQuery } from '#db/list-query.ts'

test('columns in snake_case are read in camelCase, plain ones and expressions', () => {
  const list = 'a.id, a.raised_at, coalesce(b.x_y, 0) as open_kobo,\n  b.status as account_status'
  assert.equal(
    columns(list),
    'a.id, a.raised_at as "raisedAt", coalesce(b.x_y, 0) as "openKobo", b.status as "accountStatus"',
  )
})

test('an expression without a name is refused', () => {
  assert.throws(() => columns('id, count(*)'), /a column without a name: count/)
})

test('a condition without a value is left out, and values keep their places', () => {
  const { sql, values } = fits([
    ['a = $', undefined],
    ['b = $', null],
    'c is null',
    false,
    ['d between $ and $ + 1', 0],
    ['e = $', false],
  ])
  assert.equal(sql, 'c is null and d between $1 and $1 + 1 and e = $2')
  assert.deepEqual(values, [0, false])
  assert.deepEqual(fits([['a = $', undefined]]), { sql: 'true', values: [] })
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
  assert.equal(text('newest', null), 'select id from t where a = $1 order by t.id desc limit 3')
})

test('a list that is used again is planned once; one of a window of time each time', () => {
  const name = (value: unknown) => {
    const used = Array.from({ length: 6 }, () => composed(`select ${typeof value} $1`, [value]))
    return used.at(-1)?.name
  }
  assert.match(name('x') ?? '', /^composed-/)
  assert.equal(name(new Date(0)), undefined)
})
