// `manilla admin rotate-keys` beside a running service, also killed with -9 in between; and `manilla admin
// erase`.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { readDataKeys } from '#config/secrets-file.ts'
import { createPool, type Pool } from '#db/pool.ts'
import { checkIntegrity } from '#integrity/checks.ts'
import { countByKey } from '#privacy/key-rotation.ts'
import { databaseOf, dataDirOf, PASSED_ON, startChild } from '../support/child-service.ts'
import { operate } from '../support/cli-terminal.ts'
import { PERSON, TRACES } from '../support/erasing.ts'
import {
  accountBody,
  createAccount,
  createAdvice,
  readAccount,
  readAdvice,
} from '../support/fixtures.ts'
import { SECRETS, startTestService } from '../support/running-service.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const MAIN = join(import.meta.dirname, '../../cli/main.ts')

test('a rotation that is killed twice is finished, while the service goes on answering', async () => {
  using folder = createTempFolder()
  await using service = await startChild({ folder: folder.path })
  const client = await startClient(service.url)
  const numbers = [await client.createAccount(), await client.createAccount()]
  await using running = client.keepWorking()
  const db = createPool({
    connectionString: databaseOf(folder.path),
    max: 2,
    onIdleError: () => {},
  })

  await startAndKillRotation(db, folder.path, /./)
  await startAndKillRotation(db, folder.path, /scanned/)
  const { code, out } = await rotateKeys(folder.path)

  assert.equal(code, 0, out)
  const done = JSON.parse(out)
  assert.deepEqual([done.sealingKey, done.mayBeDropped], [2, [1]])
  const made = await running.stop()
  assert(made.length > 0)
  assert.deepEqual([...(await countByKey(db)).keys()], [2])
  assert.deepEqual(await checkIntegrity(db), [])
  await db.end()
  for (const number of [...numbers, ...made]) {
    assert.equal((await client.readAccount(number)).bvn, PERSON.bvn)
  }
  // Three interrupted commands created only one key, because a rotation is finished before another begins.
  assert.deepEqual(
    readDataKeys(dataDirOf(folder.path)).map(({ id }) => id),
    [2, 1],
  )
  const file = readFileSync(join(dataDirOf(folder.path), 'secrets.json'), 'utf8')
  for (const { key } of readDataKeys(dataDirOf(folder.path))) {
    assert(file.includes(key.toString('base64')))
    assert(
      !service.output.out.includes(key.toString('base64')) && !out.includes(key.toString('base64')),
    )
  }
})

test('with keys set by hand, the first key seals everything', async () => {
  await using bench = await startTestService()
  await createAccount(bench, PERSON)

  // Two values are sealed: the account's BVN, and the bank account of the sandbox.
  const same = await admin(bench, 'rotate-keys')
  const counts = await admin(bench, 'rotate-keys', '--check')

  assert.deepEqual(same.data, { sealingKey: 1, resealed: 0, mayBeDropped: [] })
  assert.deepEqual(counts.data, { keys: [{ id: 1, isSealing: true, values: 2 }] })
  assert.equal(counts.text, '1\t2\tcurrent')
})

test('of two rotations at once, the second is refused', async () => {
  await using bench = await startTestService()
  const holder = await bench.db.connect()
  await holder.query(`select pg_advisory_lock(hashtext('rotate-keys'))`)

  try {
    await assert.rejects(admin(bench, 'rotate-keys'), /already in progress/)
  } finally {
    holder.release(true)
  }
})

test('an operator erases a customer of any client, and the audit log names the operator', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench, PERSON)
  const other = await createAccount(bench, PERSON)
  const { adviceReference } = await createAdvice(bench)
  const reason = ['--reason', 'Letter of 3 May']

  const { text: output } = await admin(
    bench,
    'account',
    'erase',
    accountNumber,
    '--same-bvn',
    ...reason,
  )
  await admin(bench, 'advice', 'erase', adviceReference, ...reason)

  assert(output.includes(accountNumber) && output.includes(other.accountNumber))
  for (const trace of TRACES) assert(!output.includes(trace))
  assert.equal((await readAccount(bench, other.accountNumber)).accountName, 'Erased')
  assert.equal((await readAdvice(bench, adviceReference)).customerFullName, 'Erased')
  const { rows } = await bench.db.query('select actor, action, detail from audit_log order by id')
  const detail = { reason: 'Letter of 3 May' }
  assert.deepEqual(rows, [
    { actor: 'cli:ada', action: 'account.erase', detail },
    { actor: 'cli:ada', action: 'account.erase', detail },
    { actor: 'cli:ada', action: 'advice.erase', detail },
  ])
  for (const bad of [[], ['--reason', ' '], ['--reason', 'x'.repeat(201)]]) {
    await assert.rejects(admin(bench, 'account', 'erase', accountNumber, ...bad), { exitCode: 2 })
  }
  await assert.rejects(admin(bench, 'account', 'erase', '0000000000', ...reason), /No such/)
  await assert.rejects(admin(bench, 'advice', 'erase', 'x', ...reason), /No such/)
})

type Bench = Awaited<ReturnType<typeof startTestService>>

// Runs an admin command in this process.
function admin(bench: Bench, ...words: string[]) {
  const env = { ...SECRETS, DATABASE_URL: bench.database.connectionString }
  return operate({ db: bench.db, env, clock: bench.clock }, ['admin', ...words])
}

// Starts `manilla admin rotate-keys` as its own process, on the data directory in this folder.
function spawnRotation(folder: string) {
  const env = { ...PASSED_ON, MANILLA_DATA_DIR: dataDirOf(folder) }
  return spawn(process.execPath, [MAIN, 'admin', 'rotate-keys', '--json'], { cwd: folder, env })
}

// Runs a rotation in its own process, to its end.
async function rotateKeys(folder: string) {
  const child = spawnRotation(folder)
  const [out, , [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { code, out }
}

// Starts a rotation and kills it with -9 as soon as it prints these words. A locked table keeps the
// rotation from finishing earlier. Then waits for the rotation lock, which is free once the database has
// noticed the dead process.
async function startAndKillRotation(db: Pool, folder: string, words: RegExp): Promise<void> {
  const holder = await db.connect()
  try {
    await holder.query('begin')
    await holder.query('set local idle_in_transaction_session_timeout = 0')
    await holder.query('lock table signing_secrets in share mode')
    const child = spawnRotation(folder)
    let output = ''
    child.stderr.setEncoding('utf8').on('data', (more) => {
      output += more
      if (words.test(output)) child.kill('SIGKILL')
    })
    const [, signal] = await once(child, 'close')
    assert.equal(signal, 'SIGKILL', output)
    await holder.query('rollback')
    await holder.query(`select pg_advisory_lock(hashtext('rotate-keys'))`)
  } finally {
    holder.release(true)
  }
}

// Logs in over HTTP as the sandbox's client, and returns functions that create and read accounts.
async function startClient(url: string) {
  // Sends a request, a POST if it has a body. Returns the JSON of the answer, whose status must be 200.
  const call = async (path: string, body?: object, token?: string) => {
    const answer = await fetch(`${url}${path}`, {
      headers: {
        'content-type': 'application/json',
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    })
    // biome-ignore lint/suspicious/noExplicitAny: JSON answers.
    const json: any = await answer.json()
    if (answer.status !== 200) throw new Error(JSON.stringify(json))
    return json
  }
  const login = { clientId: 'MAN0000001', clientSecret: 'sandbox-secret' }
  const { access_token: token } = await call('/api/Account/login', login)
  const client = {
    async createAccount(): Promise<string> {
      const made = await call('/api/v1/accounts/static', accountBody({ bvn: PERSON.bvn }), token)
      return made.data.accountNumber
    },
    async readAccount(number: string) {
      return (await call(`/api/v1/accounts/static/${number}`, undefined, token)).data
    },
    // Creates accounts and reads each one, until the test stops it or a request fails.
    keepWorking() {
      let isStopped = false
      const made: string[] = []
      // Runs until `stop` sets `isStopped`, or until a request fails.
      const work = async () => {
        while (!isStopped) {
          made.push(await client.createAccount())
          await client.readAccount(made.at(-1) as string)
        }
      }
      const working = work()
      working.catch(() => {}) // `stop` awaits the same promise and reports the error.
      // Lets the loop finish its current account, and returns the numbers of all accounts that it created.
      const stop = async () => {
        isStopped = true
        await working
        return made
      }
      return {
        stop,
        [Symbol.asyncDispose]: async () => {
          isStopped = true
          await working.catch(() => {})
        },
      }
    },
  }
  return client
}
