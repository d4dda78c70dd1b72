// Runs `manilla admin client …` beside a running service, and checks its output and its effects on the
// database.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { CLIENT_SCOPES } from '#access/permissions.ts'
import { migrate } from '#db/migrate.ts'
import { startEmbedded } from '#embedded/embedded.ts'
import { PASSED_ON } from '../support/child-service.ts'
import { operate } from '../support/cli-terminal.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startTestService } from '../support/running-service.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const LAUNCHER = join(import.meta.dirname, '../../scripts/manilla.mjs')
const BALANCES = '/api/v1/balances'

const bench = closeAfterTests(await startTestService())

type Shown = { clientId: string; secret: string; isActive: boolean; scopes: string[] }
type Data = Shown & { secrets: { retiresAt: Date | null }[] } & Record<string, unknown>

// Runs `manilla admin client` with these words, in this process.
function admin(...words: string[]): Promise<{ data: Data; text: string }> {
  return operate({ db: bench.db, clock: bench.clock }, ['admin', 'client', ...words])
}

// Runs `manilla admin …` as its own process, through the launcher that operators run.
function spawnAdmin(words: string[], env: Record<string, string>) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [LAUNCHER, 'admin', ...words], {
    encoding: 'utf8',
    env: { ...PASSED_ON, ...env },
  })
  return { status, stdout, stderr }
}

test('a client that was made can log in with the secret shown, which is kept hashed', async () => {
  const { data, text } = await admin('create', '--name', 'Ada’s Shop')

  assert.match(data.clientId, /^MAN[0-9]{7}$/)
  assert.match(data.secret, /^[a-z0-9]{8}\.[\w-]{43}$/)
  assert(text.includes(data.secret) && text.includes('Ada’s Shop'))
  const token = await bench.login(data.clientId, data.secret)
  assert.equal((await bench.call({ url: BALANCES, token })).statusCode, 200)
  const { rows } = await bench.db.query(
    `select c::text || s::text || a::text as kept
       from clients c join client_secrets s on s.client_id = c.id
       join audit_log a on a.client_id = c.id where c.client_id = $1`,
    [data.clientId],
  )
  assert.equal(rows.length, 1)
  assert(!rows[0].kept.includes(data.secret.slice(9)))
})

test('actions of the operator are in the audit log, with the actor', async () => {
  const { data } = await admin('create', '--name', 'Recorded', '--id', 'REC-1')
  await admin('suspend', 'REC-1', '--reason', 'Did not answer')
  await admin('suspend', 'REC-1')
  await admin('resume', 'REC-1')
  await admin('restrict', 'REC-1', '--scope', 'credits:read,accounts:read')
  await admin('rotate-secret', 'REC-1', '--overlap', '0')

  const { rows } = await bench.db.query(
    `select actor, action, detail from audit_log where subject = 'client/REC-1' order by id`,
  )
  assert.deepEqual(
    rows.map(({ actor, action }) => `${actor} ${action}`),
    ['create', 'suspend', 'resume', 'update', 'rotate_secret'].map(
      (did) => `cli:ada client.${did}`,
    ),
  )
  assert.deepEqual(rows[1].detail, { note: 'Did not answer' })
  assert.deepEqual(rows[3].detail, { scopes: ['credits:read', 'accounts:read'] })
  assert(!JSON.stringify(rows).includes(data.secret))
})

test('the list and the entry of a client never show a secret', async () => {
  const { data: made } = await admin('create', '--name', 'Quiet', '--id', 'QUIET')

  const list = await admin('list')
  const entry = await admin('show', 'QUIET')

  assert.match(list.text, /^QUIET\tactive\tQuiet$/m)
  const output = JSON.stringify(list.data) + list.text + JSON.stringify(entry.data) + entry.text
  assert(!output.includes(made.secret.slice(9)))
  assert.equal(entry.data.secrets.length, 1)
})

test('the named restrictions change, the others stay, and each can be lifted', async () => {
  await admin('create', '--name', 'R', '--id', 'RESTRICTED', '--from', '10.0.0.1,2001:db8::/32')
  await admin('restrict', 'RESTRICTED', '--merchant-code', 'Nai1', '--merchant-code', 'Nai2')

  const { data } = await admin('show', 'RESTRICTED')
  assert.deepEqual(data.allowedAddresses, ['10.0.0.1/32', '2001:db8::/32'])
  assert.deepEqual(data.merchantCodes, ['Nai1', 'Nai2'])
  const lifted = await admin('restrict', 'RESTRICTED', '--any-merchant', '--from-anywhere')
  assert.deepEqual([lifted.data.merchantCodes, lifted.data.allowedAddresses], [null, null])
  assert.deepEqual(lifted.data.scopes, [...CLIENT_SCOPES])
})

test('use is reported by day', async () => {
  const { data, text } = await admin('use', 'MAN0000001', '--days', '2')

  assert.equal((data.days as unknown[]).length, 2)
  assert.match(text, /^2026-11-14\t0\t.*\n2026-11-15\t0\t/)
})

for (const words of [
  ['create'],
  ['create', '--name', ' '],
  ['create', '--name', 'x'.repeat(101)],
  ['create', '--name', 'X', '--id', 'no spaces'],
  ['create', '--name', 'X', '--id', 'MAN0000001'],
  ['create', '--name', 'X', '--scope', 'all'],
  ['create', '--name', 'X', '--scope', ','],
  ['create', '--name', 'X', '--scope', 'operator'],
  ['create', '--name', 'X', '--from', '10.1.2.3/8'],
  ['create', '--name', 'X', '--from', 'example.com'],
  ['show', 'NOBODY'],
  ['use', 'NOBODY'],
  ['use', 'MAN0000001', '--days', '32'],
  ['suspend', 'NOBODY'],
  ['resume', 'NOBODY'],
  ['rotate-secret', 'NOBODY'],
  ['rotate-secret', 'MAN0000001', '--overlap', '-1'],
  ['rotate-secret', 'MAN0000001', '--overlap', '721'],
  ['restrict', 'NOBODY', '--from-anywhere'],
  ['restrict', 'MAN0000001'],
]) {
  test(`client ${words.join(' ').slice(0, 60)} is refused and changes nothing`, async () => {
    const count = 'select count(*), sum(token_generation) from clients'
    const before = (await bench.db.query(count)).rows

    await assert.rejects(admin(...words), (error: Error & { exitCode: number }) => {
      return (error.exitCode === 1 || error.exitCode === 2) && /\S\.$/.test(error.message)
    })
    assert.deepEqual((await bench.db.query(count)).rows, before)
  })
}

test('the program answers JSON for programs, plain words for people, and exit codes', () => {
  const env = { DATABASE_URL: bench.database.connectionString }

  const made = spawnAdmin(['client', 'create', '--name', 'Typed', '--json'], env)
  assert.deepEqual([made.status, made.stderr], [0, ''])
  const { clientId } = JSON.parse(made.stdout)
  const missing = spawnAdmin(['client', 'show', `${clientId}x`], env)
  assert.deepEqual(missing, { status: 1, stdout: '', stderr: 'No such client.\n' })
  const misused = spawnAdmin(['client', 'shw'], env)
  assert.equal(misused.status, 2)
  assert.match(
    misused.stderr,
    /^Unknown command 'shw'.*\(Did you mean show\?\)\. See manilla admin client --help\.\n$/,
  )
  const lost = spawnAdmin(['client', 'list'], { DATABASE_URL: 'postgres://me:hush@127.0.0.1:1/x' })
  assert.equal(lost.status, 3)
  assert.match(lost.stderr, /Cannot use the database \(ECONNREFUSED\)\. Check DATABASE_URL/)
  assert.doesNotMatch(lost.stderr, /hush|\n\s+at /)
})

test('the embedded database is reached while it runs, and started when it does not', async () => {
  using folder = createTempFolder()
  const env = { MANILLA_DATA_DIR: join(folder.path, 'data') }
  const server = await startEmbedded({ dataDir: env.MANILLA_DATA_DIR })
  try {
    const early = spawnAdmin(['client', 'list'], env)
    assert.equal(early.status, 1)
    assert.match(
      early.stderr,
      /schema does not match this version: it is empty; run `npx manilla migrate`\./,
    )
    await migrate(server.connectionString)
    assert.equal(spawnAdmin(['client', 'create', '--name', 'Up', '--id', 'UP-1'], env).status, 0)
  } finally {
    await server.stop()
  }

  const later = spawnAdmin(['client', 'list'], env)
  assert.deepEqual([later.status, later.stderr], [0, ''])
  assert.match(later.stdout, /UP-1/)
})
