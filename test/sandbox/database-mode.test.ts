// A database with money can be used only in its own mode, sandbox or live: simulated money must never count
// as real, nor real money as simulated.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger } from '#log.ts'
import { prepareDatabase } from '#wiring.ts'
import { OWN_RAIL_SECRET, startLiveService } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { createAccount } from '../support/fixtures.ts'
import { fund } from '../support/payouts.ts'
import { newCredit, postRail, reportCredit } from '../support/rail.ts'
import { type Bench, startTestService } from '../support/running-service.ts'

const live = closeAfterTests(await startLiveService())
const plain = closeAfterTests(await startTestService())

const OF_SANDBOX = /The database has money of the sandbox/
const DOCUMENTED_SECRET = /still has the documented sandbox secret/

test('live refuses money that was simulated', async () => {
  await using sandbox = await startTestService()
  await fund(sandbox, '10')

  await assert.rejects(startAs(live, sandbox), OF_SANDBOX)
})

test('live refuses money that a bank reported to the sandbox, alone or beside simulated money', async () => {
  await using sandbox = await startTestService()
  const { accountNumber } = await createAccount(sandbox)
  await reportCredit(sandbox, { accountNumber, amount: '10.00' })
  await closeDoors(sandbox)
  await assert.rejects(startAs(live, sandbox), OF_SANDBOX)

  await fund(sandbox, '10')

  await assert.rejects(startAs(live, sandbox), OF_SANDBOX)
  await startAs(plain, sandbox)
})

test('a sandbox without money goes live once its documented credentials are gone, and stays', async () => {
  await using sandbox = await startTestService()
  const { accountNumber } = await createAccount(sandbox)

  await assert.rejects(startAs(live, sandbox), DOCUMENTED_SECRET)
  await startAs(plain, sandbox)
  await closeDoors(sandbox)
  await startAs(live, sandbox)
  await reportCredit(sandbox, { accountNumber, amount: '10.00' })

  await startAs(live, sandbox)
  await assert.rejects(startAs(plain, sandbox), /The database has real money/)
})

test('a database without a stored mode is judged by its money and its credentials', async () => {
  await using sandbox = await startTestService()
  const forget = () => sandbox.db.query('delete from database_mode')
  await fund(sandbox, '10')
  await forget()
  await assert.rejects(startAs(live, sandbox), OF_SANDBOX)

  // Not all money of the database was simulated. The database still counts as a sandbox, because anybody can
  // log in with the documented secret.
  await sandbox.db.query(`update credits set source = 'notification'`)
  await assert.rejects(startAs(live, sandbox), DOCUMENTED_SECRET)
  await startAs(plain, sandbox)
  await closeDoors(sandbox)
  await assert.rejects(startAs(live, sandbox), OF_SANDBOX)

  // The mode was never stored and the documented secret does not work: the database went live long ago, and
  // does not count as a sandbox.
  await forget()
  await startAs(plain, sandbox)
  await closeDoors(sandbox)
  await startAs(live, sandbox)
  await assert.rejects(startAs(plain, sandbox), /The database has real money/)
})

test('a database that was never a sandbox is none, however the service is started', async () => {
  await using other = await startLiveService()
  const credit = newCredit('0123456789') // To nobody's number: suspended.
  const answer = await postRail(other, '035/credits', credit, { secrets: [OWN_RAIL_SECRET] })
  assert.equal(answer.json().responseCode, '00', answer.body)
  await other.db.query('delete from database_mode')

  await assert.rejects(startAs(plain, other), /The database has real money/)
  await startAs(live, other)
})

// Starts with the first service's configuration on the second one's database.
function startAs({ config, clock }: Bench, { database }: Bench): Promise<void> {
  const { connectionString } = database
  return prepareDatabase({
    ...{ config, connectionString, clock },
    log: createLogger({ level: 'silent' }),
  })
}

// Replaces the hashes of the documented credentials by hashes that no secret has, as an operator must change
// the credentials before a sandbox goes live.
async function closeDoors({ db }: Bench): Promise<void> {
  await db.query(`update client_secrets set secret_hash = 'scrypt$1024$AA==$AA=='`)
  await db.query(`update users set password_hash = 'scrypt$1024$AA==$AA=='`)
}
