// The mutations of `npm run mutations` quote lines of the code; each quote must exist in the code as it is.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { MUTATIONS } from '../scripts/known-mutations.ts'

const ROOT = join(import.meta.dirname, '..')

test('every known mutation finds its text exactly once', () => {
  const lost = MUTATIONS.filter(({ file, from }) => {
    return readFileSync(join(ROOT, file), 'utf8').split(from).length !== 2
  })
  assert.deepEqual(
    lost.map(({ name }) => name),
    [],
  )
})
