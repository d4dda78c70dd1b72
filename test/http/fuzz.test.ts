// Sends every kind of hostile request to every operation of the API's description. No operation breaks,
// hangs, or reveals internals or another client's data, every answer is as described, and afterwards the
// books balance. This is the short form of `npm run fuzz`, with a fixed seed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SANDBOX_BANKS } from '#config/bank-settings.ts'
import { checkIntegrity } from '#integrity/checks.ts'
import { doorInto } from '../../fuzz/doors.ts'
import { Episodes } from '../../fuzz/episodes.ts'
import { prepareFuzzer } from '../../fuzz/targets.ts'
import { startWithBanks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { askAtRandom } from '../support/declared-errors.ts'
import { simulate } from '../support/fixtures.ts'

askAtRandom()

const SEED = 20_261_115
const AT_ONCE = 16
const EPISODES_AT_RANDOM = 16
const FAULTS_SHOWN = 30
// The share of operations that must succeed at least once; fewer would mean that the requests test little.
// Some cannot succeed: they need a passkey, a second user, or an object that only two users can make.
const SUCCEEDING_SHARE = 0.64
// Multiplies the service's limits of 20 seconds for calls that move the clock. The fuzzer takes 60 seconds
// for a hang.
const PATIENCE = 2
const UNLIMITED = 'client=0,simulate=0,address=0,initiate=0,login=0,rail=0'

// These banks have an API, but no worker runs to call it.
const askable = { settings: { baseUrl: 'http://127.0.0.1' }, secrets: { apiKey: 'TEST_BANK_KEY' } }
const bench = closeAfterTests(
  await startWithBanks(
    SANDBOX_BANKS.map((bank) => ({ ...bank, ...askable })),
    { MANILLA_RATE_LIMITS: UNLIMITED, TEST_BANK_KEY: 'key' },
    { patience: PATIENCE },
  ),
)
const { app } = bench.service
const address = await app.listen({ host: '127.0.0.1', port: 0 })
const { fuzzer, targets, seeded } = await prepareFuzzer(bench, doorInto(app, address))

test(`every operation survives every kind of hostile request (seed ${SEED})`, async () => {
  const episodes = new Episodes(SEED, targets)
  const numbers = Array.from({ length: episodes.walks + EPISODES_AT_RANDOM }, (_, at) => at)
  const faults: string[] = []

  // Runs one episode after another until none is left. Several of these loops run at once.
  const runEpisodes = async () => {
    for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
      const outcome = await episodes.run(fuzzer, number)
      faults.push(...outcome.faults.map((fault) => `episode ${number}: ${fault}`))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, runEpisodes))

  assert.deepEqual(faults.slice(0, FAULTS_SHOWN), [], `${faults.length} faults`)
  assert.equal(fuzzer.seen.size, targets.length)
  const failing = targets.filter((target) => !fuzzer.seen.get(target)?.has(200))
  const names = failing.map(({ operation }) => operation.operationId).join(', ')
  assert(failing.length < targets.length * (1 - SUCCEEDING_SHARE), `never succeeded: ${names}`)
})

test('afterwards the books balance, nothing failed unforeseen, and the service is well', async () => {
  assert.deepEqual(await checkIntegrity(bench.db), [])
  const errors = bench.logText().match(/^.*"level":"(?:error|fatal)".*$/gm) ?? []
  assert.deepEqual(errors.slice(0, 3), [])
  assert.equal((await bench.call({ url: '/ready', token: null })).statusCode, 200)
  await simulate(bench, seeded.accountNumber?.[0] as string, '5.00')
})
