// When a client's secret is rotated, the old one keeps working for a while beside the new one. These tests
// cover the overlap and everything that ends it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { registerOf } from '../support/clients.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startTestService } from '../support/running-service.ts'

const HOUR_MS = 3_600_000

const bench = closeAfterTests(await startTestService())
const { make, act, canLogIn, balances, read } = registerOf(bench)

test('the old secret logs in until the overlap is over, the new one at once', async () => {
  const { clientId, secret: first } = await make()

  const { secret: second, secrets } = await act(clientId, 'rotate-secret')

  assert.deepEqual(
    [await canLogIn(clientId, first), await canLogIn(clientId, second)],
    [true, true],
  )
  assert.deepEqual(
    secrets.map(({ retiresAt }: { retiresAt: string }) => retiresAt !== null),
    [false, true],
  )
  bench.advance(24 * HOUR_MS - 1)
  assert.equal(await canLogIn(clientId, first), true)
  bench.advance(1)
  assert.equal(await canLogIn(clientId, first), false)
  assert.equal(await canLogIn(clientId, second), true)
})

test('an overlap of 0 ends every older secret and every token at once', async () => {
  const { clientId, secret: first } = await make()
  const { secret: second } = await act(clientId, 'rotate-secret', { overlapSeconds: 3_600 })
  const token = await bench.login(clientId, second)
  assert.equal(await balances(token), 200)

  const { secret: third } = await act(clientId, 'rotate-secret', { overlapSeconds: 0 })

  assert.equal(await balances(token), 401)
  for (const [secret, isGood] of [
    [first, false],
    [second, false],
    [third, true],
  ] as const) {
    assert.equal(await canLogIn(clientId, secret), isGood)
  }
  assert.equal(await balances(await bench.login(clientId, third)), 200)
})

test('rotating again and again leaves at most three old secrets', async () => {
  const { clientId, secret } = await make()
  const all = [secret]
  for (let turn = 0; turn < 5; turn++) {
    bench.advance(1)
    all.push((await act(clientId, 'rotate-secret')).secret)
  }

  const good = await Promise.all(all.map((each) => canLogIn(clientId, each)))
  assert.deepEqual(good, [false, false, true, true, true, true])
})

test('two rotations at once both answer, and one secret is current', async () => {
  const { clientId } = await make()

  const rotated = await Promise.all([1, 2, 3].map(() => act(clientId, 'rotate-secret')))

  const good = await Promise.all(rotated.map(({ secret }) => canLogIn(clientId, secret)))
  assert.deepEqual(good, [true, true, true])
  const { secrets } = await read(clientId)
  const current = secrets.filter(({ retiresAt }: { retiresAt: unknown }) => retiresAt === null)
  assert.equal(current.length, 1)
})
