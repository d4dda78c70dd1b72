// Only routes files that need a scope of their own have one, because each costs time at every start.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '../support/running-service.ts'

const MARKED = 9

test('only routes that are marked have a scope of their own', async () => {
  await using bench = await startTestService()

  const plugins = bench.service.app.printPlugins().split('\n')

  assert.equal(plugins.filter((line) => line.includes('(app, deps)')).length, MARKED)
  assert.deepEqual(
    plugins.filter((line) => /Routes/.test(line)),
    [],
  )
})
