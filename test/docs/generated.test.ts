// The tables in docs/ that `npm run generate` makes from the code match the code.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  EXPORTS,
  withColumns,
  withEvents,
  withRoutes,
  withSection,
} from '../../scripts/documents.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const description = JSON.parse(read('openapi.json'))
const operations = Object.values<object>(description.paths).flatMap(Object.values)

test('docs/routes.md lists the routes with their scopes (npm run generate)', () => {
  const document = read('docs/routes.md')
  assert.equal(document, withRoutes(document, description))
  for (const { operationId } of operations) assert(document.includes(`| ${operationId} |`))
})

// These exports have no table of their own. Every statement has the same columns, whatever it is a
// statement of. docs/settlement.md has the columns of a settlement, and docs/payout-files.md those of
// payout files.
const ELSEWHERE = [
  'exportBalanceStatement',
  'exportSubaccountStatement',
  'exportLedgerStatement',
].concat(['exportSettlement', 'downloadPayoutFile'])

// The file of a list has the same fields as the list, so it needs no table of its own.
const isOfList = (id: string) =>
  id.startsWith('export') &&
  operations.some(({ operationId }) => operationId === id.replace(/^export/, 'list'))

test('docs/exports.md lists the columns of every file in their order (npm run generate)', () => {
  const document = read('docs/exports.md')
  assert.equal(document, withColumns(document))
  const files = operations.filter(({ responses }) => 'text/csv' in (responses[200].content ?? {}))
  const names = files
    .map(({ operationId }) => operationId)
    .filter((id) => id in EXPORTS || !isOfList(id))
  assert.deepEqual([...Object.keys(EXPORTS), ...ELSEWHERE].sort(), names.sort())
})

test('a column that nobody described is refused, and one that is gone loses its row', () => {
  const document = read('docs/exports.md')
  const without = document.replace('| `movementId` |', '| `formerColumn` |')
  assert.throws(() => withColumns(without), /describe the column movementId of exportCredits/)
  const gone = document.replace('| `movementId` |', '| `movementId`, `formerColumn` |')
  assert.equal(withColumns(gone), document)
})

test('docs/webhooks.md lists the events and their fields (npm run generate)', () => {
  const document = read('docs/webhooks.md')
  assert.equal(document, withEvents(document))
})

test('a document without its markers is refused', () => {
  assert.throws(() => withSection('# Title', 'routes', ''), /routes: .* is missing/)
})
