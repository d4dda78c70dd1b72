// A view makes an object's schema, JSON and CSV columns from one line per field.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from '@fastify/type-provider-typebox'
import { csvText } from '#http/csv.ts'
import { type Fields, view } from '#http/view.ts'
import { kobo } from '#money.ts'

type Row = { id: bigint; note: string | null; feeKobo: bigint; at: Date; parts: { code: string }[] }

const PartView = view('Part', (f: Fields<{ code: string }>) => ({ code: f.text('code') }))
const ThingView = view('Thing', (f: Fields<Row, { prefix: string }>) => ({
  id: f.text(({ id }, { prefix }) => `${prefix}${id}`),
  note: f.textOrNull('note', 'Why.'),
  fee: f.naira(({ feeKobo }) => kobo(feeKobo)),
  at: f.time('at'),
  closedAt: f.timeOrNull(() => null),
  parts: f.list(PartView, 'parts', 'In order.'),
}))
const row: Row = { id: 7n, note: null, feeKobo: 150n, at: new Date(0), parts: [{ code: 'A' }] }

test('a view presents a row with the data that its fields need', () => {
  assert.deepEqual(ThingView.present(row, { prefix: 'T' }), {
    id: 'T7',
    note: null,
    fee: 1.5,
    at: '1970-01-01T01:00:00.000000+01:00',
    closedAt: null,
    parts: [{ code: 'A' }],
  })
})

test('a view’s schema has the fields in order, with descriptions and names', () => {
  assert.deepEqual(JSON.parse(JSON.stringify(ThingView.schema)), {
    $id: 'Thing',
    type: 'object',
    required: ['id', 'note', 'fee', 'at', 'closedAt', 'parts'],
    properties: {
      id: { type: 'string' },
      note: { type: ['string', 'null'], description: 'Why.' },
      fee: { type: 'number' },
      at: { type: 'string' },
      closedAt: { type: ['string', 'null'] },
      parts: {
        type: 'array',
        description: 'In order.',
        items: {
          $id: 'Part',
          type: 'object',
          required: ['code'],
          properties: { code: { type: 'string' } },
        },
      },
    },
  })
})

test('a view’s CSV columns write amounts with two decimals', () => {
  const presented = ThingView.present(row, { prefix: 'T' })
  assert.equal(csvText(ThingView.columns('id', 'fee'), [presented]), '\ufeffid,fee\r\nT7,1.50\r\n')
})

test('fields that may hold a list or an object have no column', () => {
  const inner = Type.Object({ code: Type.String() })
  const either = Type.Union([inner, Type.Null()])
  const MixedView = view(undefined, (f: Fields<Row>) => ({
    id: f.integer('id'),
    parts: f.as(Type.Array(inner), () => []),
    part: f.as(either, () => null),
  }))

  assert.deepEqual(
    MixedView.columns().map(([name]) => name),
    ['id'],
  )
})

test('a key that the row lacks, or that holds another type, does not compile', () => {
  view('Wrong', (f: Fields<Row>) => ({
    // @ts-expect-error the row has no such key
    missing: f.text('missing'),
    // @ts-expect-error the row’s value may be null, which this field does not allow
    note: f.text('note'),
    // @ts-expect-error an id is not a time
    id: f.time('id'),
  }))
})
