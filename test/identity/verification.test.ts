// BVN and NIN are verified after the account was opened. The tests let the identity service be down, slow or
// wrong, and change or erase the account meanwhile.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IdentityAnswer, IdentityQuestion, IdentityService } from '#identity/identity-api.ts'
import { actionsOf, eventsOf, patchAccount } from '../support/account-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { erase, PERSON } from '../support/erasing.ts'
import {
  ACCOUNTS,
  assertRefused,
  createAccount,
  databaseText,
  dataOf,
} from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'
import { identityOf, verifyAll, verifyRound } from '../support/verified.ts'

const bench = closeAfterTests(await startTestService())
const NIN = '33398765432'
const HOUR_MS = 3_600_000
const DOWN: IdentityAnswer = { status: 'no_answer', reason: 'ECONNREFUSED' }

const found = ({ name }: IdentityQuestion): IdentityAnswer => ({ status: 'found', name })
const answering =
  (answer: (question: IdentityQuestion) => IdentityAnswer): IdentityService =>
  async (question) =>
    answer(question)

// Completes all identity checks of earlier tests, and ends any pause of the identity service.
async function completeChecks() {
  bench.advance(HOUR_MS)
  await verifyAll(bench, { identityService: answering(found) })
}

const verify = (accountNumber: string) =>
  bench.call({ url: `${ACCOUNTS}/${accountNumber}/verify`, method: 'POST' })

test('a verified BVN and NIN give the tier that was set, and one of them alone does not', async () => {
  const { accountNumber } = await createAccount(bench, { kycTier: 3 })
  assert.deepEqual(await identityOf(bench, accountNumber), [1, 'queued', 'not_checked'])
  await verifyAll(bench)
  assert.deepEqual(await identityOf(bench, accountNumber), [1, 'verified', 'not_checked'])

  await patchAccount(bench, accountNumber, { nin: NIN })
  assert.deepEqual(await identityOf(bench, accountNumber), [1, 'queued', 'queued'])
  await verifyAll(bench)
  assert.deepEqual(await identityOf(bench, accountNumber), [3, 'verified', 'verified'])
})

test('a mismatch and an unknown number verify nothing; the audit log and events say so', async () => {
  const { accountNumber } = await createAccount(bench, { bvn: '99902000001', nin: '99901000001' })
  await verifyAll(bench)

  assert.deepEqual(await identityOf(bench, accountNumber), [1, 'name_mismatch', 'not_found'])
  const details = (await actionsOf(bench, accountNumber)).map(({ detail }) => detail)
  const byIdentifier = (one: { identifier: string }, other: { identifier: string }) =>
    one.identifier < other.identifier ? -1 : 1
  assert.deepEqual(details.toSorted(byIdentifier), [
    { identifier: 'bvn', status: 'name_mismatch', nameScore: 0, kycTier: 1 },
    { identifier: 'nin', status: 'not_found', nameScore: null, kycTier: 1 },
  ])
  const [, ...events] = await eventsOf(bench, accountNumber)
  assert.deepEqual(
    events.map((event: { data: { changes: string[] } }) => event.data.changes),
    [['identity'], ['identity']],
  )
})

test('updatedAt moves with every account.updated: also when an identity is verified', async () => {
  const { accountNumber, updatedAt } = await createAccount(bench)
  bench.advance(HOUR_MS)
  await verifyAll(bench)
  const [, ...updates] = await eventsOf(bench, accountNumber)
  assert.equal(updates.length, 1)
  const after = dataOf(await bench.call({ url: `${ACCOUNTS}/${accountNumber}` }))
  assert.equal(Date.parse(after.updatedAt) - Date.parse(updatedAt), HOUR_MS)
})

test('an account opens while the service is down, and is verified once it is up', async () => {
  await completeChecks()
  const { accountNumber } = await createAccount(bench, { nin: NIN })
  const round = verifyRound(bench, { identityService: answering(() => DOWN) })

  await round()
  await round() // Not due yet.
  assert.deepEqual(await identityOf(bench, accountNumber), [1, 'queued', 'queued'])
  const { rows } = await bench.db.query<{ attempts: number; failure: string }>(
    `select attempts, failure from identity_checks where status = 'queued'`,
  )
  assert.deepEqual(rows, [
    { attempts: 1, failure: 'ECONNREFUSED' },
    { attempts: 1, failure: 'ECONNREFUSED' },
  ])
  bench.advance(30_000)
  await verifyAll(bench)
  assert.deepEqual(await identityOf(bench, accountNumber), [3, 'verified', 'verified'])
})

test('a service that fails five times is spared, alerts operators, and is probed by one call', async () => {
  await completeChecks()
  await createAccount(bench)
  await createAccount(bench)
  let calls = 0
  let isUp = false
  // The identity service, which answers only while it is up.
  const service = answering((question) => {
    calls++
    return isUp ? found(question) : DOWN
  })
  const round = verifyRound(bench, { identityService: service })
  // Tells whether an alert about the identity service is open.
  const isAlerted = async () => {
    const { rowCount } = await bench.db.query(
      `select from alerts where kind = 'identity_service_down' and cleared_at is null`,
    )
    return rowCount === 1
  }

  for (let count = 0; count < 5; count++) {
    await round()
    bench.advance(HOUR_MS)
  }
  // Three rounds query the service for both accounts. After that the breaker is open, and each of the last
  // two rounds makes one probe.
  assert.deepEqual([calls, await isAlerted()], [8, true])

  isUp = true
  await round()
  assert.deepEqual([calls, await isAlerted()], [9, false])
  await verifyAll(bench, { identityService: service })
  assert.equal(calls, 10)
})

test('a service that never answers is given up after the timeout, and holds nothing meanwhile', async () => {
  await completeChecks()
  const { accountNumber } = await createAccount(bench)
  let isOpen = false
  const service: IdentityService = async () => {
    // Neither the account nor its check is locked while the worker waits for the identity service.
    isOpen =
      (await patchAccount(bench, accountNumber, { phoneNumber: '08011112222' })).statusCode === 200
    return new Promise(() => {})
  }

  await verifyRound(bench, { identityService: service, identityTimeoutMs: 1_000 })()

  assert(isOpen)
  assert.deepEqual(await identityOf(bench, accountNumber), [1, 'queued', 'not_checked'])
})

test('an exception counts as no answer, and a check that always fails ends unanswered', async () => {
  await completeChecks()
  const { accountNumber } = await createAccount(bench, { bvn: '22299900011' })
  const other = await createAccount(bench, { bvn: '22299900012' })
  const service: IdentityService = async (question) => {
    if (question.number === '22299900011') throw new Error(`no such thing as ${question.number}`)
    return found(question)
  }
  for (let count = 0; count < 20; count++) {
    // Closes the circuit breaker, so that the failing check of one account does not pause that of the other.
    await bench.db.query('update identity_service set failures = 0, paused_until = null')
    await verifyRound(bench, { identityService: service })()
    bench.advance(2 * HOUR_MS)
  }

  assert.deepEqual(await identityOf(bench, accountNumber), [1, 'unanswered', 'not_checked'])
  assert.deepEqual(await identityOf(bench, other.accountNumber), [1, 'verified', 'not_checked'])

  dataOf(await verify(accountNumber))
  assert.deepEqual(await identityOf(bench, accountNumber), [1, 'queued', 'not_checked'])
  await completeChecks()
  assert.deepEqual(await identityOf(bench, accountNumber), [1, 'verified', 'not_checked'])
})

test('two workers never ask for the same check at once, and one answer is recorded', async () => {
  await completeChecks()
  const accounts = await Promise.all([1, 2, 3].map(() => createAccount(bench, { nin: NIN })))
  const references: string[] = []
  // An identity service that records each check it is asked for, and finds every person.
  const service = answering((question) => {
    references.push(question.reference)
    return found(question)
  })
  const rounds = [1, 2, 3].map(() => verifyAll(bench, { identityService: service }))
  await Promise.all(rounds)

  assert.equal(references.length, 6)
  assert.equal(new Set(references).size, 6)
  for (const { accountNumber } of accounts) {
    assert.deepEqual(await identityOf(bench, accountNumber), [3, 'verified', 'verified'])
    assert.equal((await actionsOf(bench, accountNumber)).length, 2)
  }
})

test('an answer that comes after the name, the NIN or the BVN changed verifies nothing', async () => {
  await completeChecks()
  const changes: Record<string, (accountNumber: string) => Promise<unknown>> = {
    name: (number) => patchAccount(bench, number, { accountName: 'Bola Ade' }),
    nin: (number) => patchAccount(bench, number, { nin: '33311111111' }),
    bvn: (number) =>
      bench.db.query(
        `update collection_accounts set bvn_hash = '\\x01' where account_number = $1`,
        [number],
      ),
  }
  for (const change of Object.values(changes)) {
    const { accountNumber } = await createAccount(bench, { nin: NIN })
    const service: IdentityService = async (question) => {
      if (question.identifier === 'bvn') await change(accountNumber)
      return found(question)
    }
    await verifyRound(bench, { identityService: service })()

    const [tier, bvn, nin] = await identityOf(bench, accountNumber)
    assert.equal(tier, 1)
    assert.deepEqual(
      [bvn, nin].filter((status) => status === 'verified'),
      [],
      `${bvn} ${nin}`,
    )
    await completeChecks()
  }
})

test('another name or NIN ends a verified tier at once, in the database too', async () => {
  await completeChecks()
  for (const change of [{ accountName: 'Bola Ade' }, { nin: '33311111111' }, { nin: null }]) {
    const { accountNumber } = await createAccount(bench, { nin: NIN })
    await verifyAll(bench)
    assert.deepEqual(await identityOf(bench, accountNumber), [3, 'verified', 'verified'])

    const answer = dataOf(await patchAccountWhole(accountNumber, change))

    assert.equal(answer.kycTier, 1)
    assert.notEqual(answer.identity.bvn.status, 'verified')
  }
  await assert.rejects(
    bench.db.query('update collection_accounts set tier_in_force = 2 where tier_in_force = 1'),
    /takes a verified BVN and a verified NIN/,
  )
})

const patchAccountWhole = (accountNumber: string, body: object) =>
  bench.call({ method: 'PATCH', url: `${ACCOUNTS}/${accountNumber}`, body })

test('an account that is erased while it is verified stays erased, and keeps no check', async () => {
  await completeChecks()
  const { accountNumber } = await createAccount(bench, { ...PERSON, nin: NIN })
  const service: IdentityService = async (question) => {
    if (question.identifier === 'bvn')
      assert.equal((await erase(bench, accountNumber)).statusCode, 200)
    return found(question)
  }

  await verifyRound(bench, { identityService: service })()

  assert.deepEqual(await identityOf(bench, accountNumber), [1, 'not_checked', 'not_checked'])
  assertRefused(await verify(accountNumber), { status: 409, code: 'account_erased' })
})

test('a change of the tier that was set is followed at once, up and down', async () => {
  await completeChecks()
  const { accountNumber } = await createAccount(bench, { nin: NIN, kycTier: 1 })
  await verifyAll(bench)

  for (const tier of [1, 3, 2]) {
    const answer = dataOf(await patchAccountWhole(accountNumber, { kycTier: tier }))
    assert.deepEqual([answer.kycTier, answer.limitTier], [tier, tier])
  }
})

test('a client asks again once a minute, for its own accounts, and not for what is verified', async () => {
  await completeChecks()
  const { accountNumber } = await createAccount(bench, { bvn: '99901000001', nin: NIN })
  await verifyAll(bench)
  assert.deepEqual(await identityOf(bench, accountNumber), [1, 'not_found', 'verified'])

  dataOf(await verify(accountNumber))
  assert.deepEqual(await identityOf(bench, accountNumber), [1, 'not_found', 'verified'])
  bench.advance(60_000)
  dataOf(await verify(accountNumber))
  assert.deepEqual(await identityOf(bench, accountNumber), [1, 'queued', 'verified'])

  const token = await bench.newClient('IDENTITY01')
  const url = `${ACCOUNTS}/${accountNumber}/verify`
  assertRefused(await bench.call({ url, method: 'POST', token }), {
    status: 404,
    code: 'account_not_found',
  })
})

test('no BVN or NIN is in the clear in any column of the database, in the log or in an event', async () => {
  await completeChecks()
  const numbers = ['22288877766', '33355544433']
  const [bvn, nin] = numbers
  const { accountNumber } = await createAccount(bench, { bvn, nin })
  const leaking: IdentityService = async ({ number, identifier }) => {
    if (identifier === 'nin') throw new Error(`the number ${number} broke the service`)
    return { status: 'found', name: `Ada Obi ${number}` }
  }
  await verifyRound(bench, { identityService: leaking })()
  await verify(accountNumber)

  const text = await databaseText(bench)
  for (const number of numbers as string[]) {
    for (const form of [number, Buffer.from(number).toString('hex')]) {
      assert(!text.includes(form), `the database has ${form}`)
      assert(!bench.logText().includes(form), `the log has ${form}`)
    }
  }
  assert(text.includes(accountNumber)) // The text is the database's.
})
