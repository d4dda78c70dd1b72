// Wakes workers that wait for new work.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Notifier } from '#notifier.ts'

const NEVER_MS = 2 ** 31 - 1

test('a call ends the wait', async () => {
  const notifier = new Notifier()
  const waiting = notifier.wait(NEVER_MS)
  notifier.call()
  await waiting
})

test('a call that comes before the wait is not lost, and counts once', async () => {
  const notifier = new Notifier()
  notifier.call()
  notifier.call()
  await notifier.wait(NEVER_MS)
  let isOver = false
  const waiting = notifier.wait(NEVER_MS).then(() => {
    isOver = true
  })
  await new Promise(setImmediate)
  assert.equal(isOver, false)
  notifier.call()
  await waiting
})

test('without a call the wait ends by itself, or with the signal', async () => {
  const notifier = new Notifier()
  await notifier.wait(1)
  const stopping = new AbortController()
  const waiting = notifier.wait(NEVER_MS, stopping.signal)
  stopping.abort()
  await waiting
  await notifier.wait(NEVER_MS, stopping.signal)
})
