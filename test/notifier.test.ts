// Waking whoever waits for work.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Wake } from '#notifier.ts'

const NEVER_MS = 2 ** 31 - 1

test('a call ends the wait', async () => {
  const wake = new Wake()
  const waiting = wake.wait(NEVER_MS)
  wake.call()
  await waiting
})

test('a call that comes before the wait is not lost, and counts once', async () => {
  const wake = new Wake()
  wake.call()
  wake.call()
  await wake.wait(NEVER_MS)
  let isOver = false
  const waiting = wake.wait(NEVER_MS).then(() => {
    isOver = true
  })
  await new Promise(setImmediate)
  assert.equal(isOver, false)
  wake.call()
  await waiting
})

test('without a call the wait ends by itself, or with the signal', async () => {
  const wake = new Wake()
  await wake.wait(1)
  const stopping = new AbortController()
  const waiting = wake.wait(NEVER_MS, stopping.signal)
  stopping.abort()
  await waiting
  await wake.wait(NEVER_MS, stopping.signal)
})
