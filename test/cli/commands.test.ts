// Runs the commands of `manilla` in normal use, in this process, against a running service.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { codeOfId } from '#short-codes.ts'
import { checkClock, checkNode } from '../../cli/doctor-command.ts'
import { insertCommands } from '../../cli/reference.ts'
import { details, table } from '../../cli/table.ts'
import { SCENARIOS } from '../../cli/trigger-scenarios.ts'
import { startLiveService } from '../support/bank-calls.ts'
import { createCli } from '../support/cli-terminal.ts'
import { closeAfterTests } from '../support/closing.ts'
import { until } from '../support/embedded-bench.ts'
import { listenLocally } from '../support/event-source.ts'
import { accountBody } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
bench.service.startWorkers()
const url = await listenLocally(bench.service.app)
const cli = closeAfterTests(createCli({ MANILLA_URL: url }))

// Runs a command that must succeed, and returns its output.
async function run(...words: string[]): Promise<string> {
  const { exitCode, out, err } = await cli.run(...words)
  assert.deepEqual([exitCode, err], [0, ''])
  return out
}

const json = async (...words: string[]) => JSON.parse(await run(...words, '--json'))

const CREATE = ['payments', 'create', '6000', '--customer', 'Ada Obi']
const RETURN = ['--callback-url', 'https://shop.example/thanks']

test('a payment is created, paid, awaited, listed and traced, and its event sent again', async () => {
  const made = await json(...CREATE, ...RETURN, '--bank', '058', '--reference', 'ORDER-1')
  const paid = await run('pay', made.bankAccount, '6000')
  const got = await json('payments', 'get', 'ORDER-1', '--wait')
  const listed = await run('payments', 'list', '--status', 'Successful', '--limit', '1')
  const story = await run('trace', made.paymentReference)
  const byCode = await run('trace', codeOfId('PAY', made.paymentReference).toLowerCase())
  assert.equal(byCode, story)
  const [event] = await json('events', 'list', '--payment', made.paymentReference)
  const resent = await run('events', 'resend', event.id)

  const [credited] = await json('payments', 'list', '--limit', '1')
  const narrow = { isTerminal: true, columns: 80 }
  const seen = await cli.runOn(narrow, 'payments', 'list', '--limit', '1')
  const events = await cli.runOn(narrow, 'events', 'list', '--limit', '1')

  assert.match(
    seen.out,
    new RegExp(`^PAYMENT .* CUSTOMER\n${credited.paymentReference} .* Ada Obi\n$`),
  )
  assert.match(events.out, /^ *# .* ID\n.* [\w-]{36}\n$/)
  assert.match(paid, /^outcome\tbooked\nstatus\tSuccessful\namount\t6,000\.00\n/)
  assert.deepEqual([got.status, got.amountPaid], ['Successful', 6000])
  assert.match(
    listed,
    new RegExp(`^${made.paymentReference}\tSuccessful\t6,000.00\t6,000.00\t.*\n$`),
  )
  assert.match(story, /^payment {2}\S+ {2}Ada Obi {2}NGN 6,000\.00 {2}Successful, ORDER-1\n\n/)
  assert.match(story, /credit +Credit received from .* NGN 6,000\.00 /)
  assert.match(story, /transfer +Ledger transfer from the bank to available funds\./)
  assert.equal(event.type, 'payment.successful')
  assert.match(resent, /^Event \S+ is being delivered again to one destination\.\n$/)
})

test('a payment is cancelled; a refused refund is reported in the service’s words', async () => {
  const made = await json(...CREATE, ...RETURN)
  const cancelled = await json('payments', 'cancel', made.paymentReference)
  const refund = ['payments', 'refund', made.paymentReference, '100', '--reason', 'Wrong size']
  const refused = await cli.run(...refund)

  assert.equal(cancelled.status, 'Cancelled')
  assert.equal(refused.exitCode, 1)
  assert.match(refused.err, /\(payment_not_refundable, request /)
})

test('an account is created from flags or a file, shown and listed, never with its BVN', async () => {
  const { accountName: _, ...body } = accountBody()
  const file = join(cli.folder, 'account.json')
  writeFileSync(file, JSON.stringify(body))
  const refused = await cli.run('accounts', 'create', '--name', 'A', '--data', file, '--bank', '1')
  const created = await json('accounts', 'create', '--name', 'Ada', '--data', file)
  const number = created.accountNumber
  const got = await run('accounts', 'get', number)
  const listed = await run('accounts', 'list', '--merchant-id', String(body.merchantId))

  assert.equal(refused.exitCode, 1)
  assert.match(got, new RegExp(`^number\t${number}\nbank\t`))
  assert(listed.startsWith(`${number}\t`))
  assert(![got, listed].join().includes(String(body.bvn)))
})

// Lets the payment of the expiry scenario expire. It is the only scenario that waits for time to pass. The
// clock moves 61 seconds once the payment is open, which expires within a minute.
async function letExpire(): Promise<void> {
  const open = `select from payments where expires_at <= $1::timestamptz + interval '1 minute'
                   and status = 'Processing'`
  await until('it is initiated', async () => {
    return (await bench.db.query(open, [bench.clock()])).rows.length > 0
  })
  bench.advance(61_000)
}

for (const type of Object.keys(SCENARIOS)) {
  test(`trigger ${type} makes that event happen`, async () => {
    const triggered = json('trigger', type)
    if (type === 'payment.expired') await letExpire()
    const event = await triggered

    assert.equal(event.type, type)
    assert.equal(event.env, 'Test')
  })
}

test('a sandbox is filled, moved in time and emptied', async () => {
  await run('sandbox', 'reset', '--yes') // Also removes everything that earlier tests left to fall due.
  const seeded = await json('sandbox', 'seed', '--accounts', '2', '--days', '1')
  const accounts = await json('accounts', 'list')
  const moved = await run('sandbox', 'clock', 'advance', '2h')
  const stopped = await json('sandbox', 'clock', 'show')
  const released = await json('sandbox', 'clock', 'release')
  const refusal = await cli.run('sandbox', 'reset')
  const emptied = await run('sandbox', 'reset', '--yes')
  const wrong = await cli.run('sandbox', 'clock', 'advance', 'soon')

  assert.deepEqual([seeded.status, seeded.percent], ['finished', 100])
  assert(accounts.length >= 2)
  assert.match(moved, /^now\t\S+\nclock\tstands still\n/)
  assert.equal(Date.parse(stopped.now), bench.clock().getTime() + 7_200_000)
  assert.deepEqual([stopped.isFrozen, released.isFrozen], [true, false])
  assert.equal(refusal.exitCode, 2)
  assert.equal(emptied, 'The sandbox is empty.\n')
  assert.deepEqual(await json('accounts', 'list'), [])
  assert.equal(wrong.exitCode, 2)
})

test('trigger and pay do not change a live service', async () => {
  await using live = await startLiveService()
  await live.newClient('LIVE1')
  const credentials = { MANILLA_CLIENT_ID: 'LIVE1', MANILLA_CLIENT_SECRET: 's3cret' }
  const env = { ...credentials, MANILLA_URL: await listenLocally(live.service.app) }
  const triggered = await cli.runOn({ env }, 'trigger', 'payment.successful')
  const paid = await cli.runOn({ env }, 'pay', '1234567890', '5')
  const { rows } = await live.db.query('select from advices union all select from events')

  for (const { exitCode, err } of [triggered, paid]) {
    assert.equal(exitCode, 1)
    assert.match(err, /^Available in the sandbox only\. \(sandbox_only, request /)
  }
  assert.equal(rows.length, 0)
})

test('a login is checked, stored for its user and URL only, and removed', async () => {
  await bench.newClient('SHOP')
  const file = join(cli.folder, 'manilla/credentials.json')
  // Returns a prompt at which the user types this secret.
  const promptAnswering = (secret: string) => ({ readSecret: async () => secret })
  const wrong = await cli.runOn(promptAnswering('wrong'), 'login', '--client-id', 'SHOP')
  const right = await cli.runOn(promptAnswering('s3cret'), 'login', '--client-id', 'SHOP')
  const home = { XDG_CONFIG_HOME: cli.folder }
  const stored = await cli.runOn({ env: home }, 'doctor')
  const elsewhere = await cli.run('payments', 'list', '--url', 'https://other.example')
  const mode = statSync(file).mode & 0o777
  const before = readFileSync(file, 'utf8')
  await run('logout')

  assert.equal(wrong.exitCode, 4)
  assert.equal(right.exitCode, 0, right.err)
  assert.match(stored.out, /ok {4}Credentials {3}Signed in as SHOP \(from manilla login\)\./)
  assert.equal(elsewhere.exitCode, 4)
  assert.equal(mode, 0o600)
  assert.deepEqual(JSON.parse(before), {
    url,
    services: { [url]: { clientId: 'SHOP', clientSecret: 's3cret' } },
  })
  assert.equal(statSync(file, { throwIfNoEntry: false }), undefined)
})

test('doctor reports every check, and for each failed one the remedy', async () => {
  const now = new Date()
  const { exitCode, out } = await cli.runOn({ now: () => now }, 'doctor', '--json')
  const states = Object.fromEntries(
    JSON.parse(out).checks.map(({ name, state }: { name: string; state: string }) => [name, state]),
  )
  const answer = new Response('', {
    headers: { date: new Date(now.getTime() - 90_000).toUTCString() },
  })

  assert.equal(exitCode, 0, out)
  assert.deepEqual(states, {
    Node: 'ok',
    URL: 'ok',
    Service: 'ok',
    Version: 'ok',
    Clock: 'ok',
    Database: 'ok',
    Credentials: 'ok',
    Webhooks: 'ok',
    Alerts: 'ok',
  })
  const made = await json(...CREATE, '--callback-url', 'http://127.0.0.1:9/nobody', '--bank', '058')
  await run('pay', made.bankAccount, '6000')
  await until('doctor sees that it fails', async () =>
    /Webhooks +1 destination fails\./.test((await cli.run('doctor')).out),
  )
  assert.match(checkNode('v20.1.0').remedy ?? '', /^Install 24\.12/)
  const clock = checkClock(now, answer)
  assert.equal(clock.state, 'warn')
  assert.match(clock.finding, /^(?:90|91) s/)
})

test('tables fit the terminal, and nobody’s name moves its cursor', () => {
  const look = { isTerminal: true, hasColor: false, columns: 24 }
  const columns = [
    { title: 'name', value: (name: string) => name },
    { title: 'sum', value: () => '1.00', isRight: true },
    { title: 'note', value: () => 'a long note' },
  ]

  const text = table(look, columns, ['Ada\u001b[2J', 'Bo'])

  const lines = ['NAME      SUM  NOTE', 'Ada [2J  1.00  a long n…', 'Bo       1.00  a long n…']
  assert.equal(text, lines.join('\n'))
  const extra = { title: 'time', value: () => '2026-11-16 09:00:00', isExtra: true }
  const withExtra = [extra, ...columns]
  assert.equal(table(look, withExtra, ['Ada\u001b[2J', 'Bo']), text)
  assert.match(table({ ...look, columns: 80 }, withExtra, ['Bo']), /^TIME .*\n2026-11-16 09:00:00 /)
  assert.equal(
    details({ ...look, isTerminal: false }, [
      ['a', 1],
      ['b', null],
    ]),
    'a\t1',
  )
})

test('completion knows every command, and is a script that bash takes', async () => {
  const script = await run('completion', 'bash')
  // Returns a script that prints the completions that bash offers after these words.
  const completionOf = (words: string) =>
    `COMP_WORDS=(${words} ''); COMP_CWORD=$((\${#COMP_WORDS[@]}-1)); _manilla; echo "\${COMPREPLY[*]}"`
  const lines = [
    'manilla payments',
    'manilla payments get X',
    'manilla admin client',
    'manilla verify',
  ].map(completionOf)
  const { stdout } = spawnSync('bash', ['-c', [script, ...lines].join('\n')], { encoding: 'utf8' })

  assert.match(
    stdout,
    /^create get list cancel refund .*\n--wait --url --json --help\ncreate list show.*\n--from --at/,
  )
  for (const shell of ['zsh', 'fish'])
    assert.match(await run('completion', shell), /payments create/)
})

test('docs/cli.md shows the commands as they are (npm run generate)', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/cli.md'), 'utf8')

  assert(insertCommands(text) === text, 'run npm run generate')
})
