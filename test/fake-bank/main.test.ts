// Tests the options of `npm run fake-bank`, and runs it as a process, as an evaluator does.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { SANDBOX_CONNECTORS } from '#banks/connectors.ts'
import { readBanks } from '#config/bank-settings.ts'
import { DIALECTS } from '../../fake-bank/dialects.ts'
import { HELP, readOptions } from '../../fake-bank/options.ts'
import { spawnChild } from '../support/child-service.ts'
import { until } from '../support/embedded-bench.ts'
import { control, naira, startLoneBank, startWithFakeBank } from '../support/fake-bank.ts'
import { createAccount } from '../support/fixtures.ts'
import { createTempFolder } from '../support/temp-folder.ts'

test('the options become the bank that they describe', () => {
  const args =
    '--connector manilla --bank-code 035 --loss 0.1 --delay 0.2 --delay-ms 5 --duplicate 0.3 ' +
    '--reorder --fee 10.50 --fee-bps 25 --seed 9 --port 0 --batch 50 --credential apiKey=secret'
  const options = readOptions(args.split(' '))
  assert(!options.help)
  assert.deepEqual(options.bank, {
    connector: 'manilla',
    bankCode: '035',
    notify: 'http://localhost:8080',
    faults: { loss: 0.1, delay: 0.2, duplicate: 0.3, delayMs: 5, reorder: true },
    port: 0,
    seed: 9,
    batch: 50,
    fees: { flatKobo: 1_050n, basisPoints: 25n },
    openingKobo: 0n,
    credentials: { apiKey: 'secret' },
  })
})

test('a wrong option is explained in a sentence', async () => {
  const wrong: [args: string, reason: RegExp][] = [
    ['', /--connector is required/],
    ['--connector manilla --bank-code 1', /--bank-code/],
    ['--connector manilla --loss 2', /loss/],
    ['--connector manilla --loss x', /loss/],
    ['--connector manilla --port 70000', /--port/],
    ['--connector manilla --fee 1.234', /--fee/],
    ['--connector manilla --credential apiKey', /NAME=VALUE/],
    ['--connector manilla --lose 1', /--lose/],
  ]
  for (const [args, reason] of wrong) {
    assert.throws(() => readOptions(args.split(' ').filter(Boolean)), reason, args)
  }
  await assert.rejects(
    startLoneBank({ connector: 'acme' }),
    /^Error: --connector "acme" is unknown; allowed: (?:\w+, )*iso20022, /,
  )
  await assert.rejects(
    startLoneBank({ connector: 'manilla', notify: 'https://pay.example' }),
    /^Error: --notify must be an http URL on this machine/,
  )
  const unknown = { connector: 'manilla', credentials: { clientId: 'x' } }
  await assert.rejects(startLoneBank(unknown), /no credential clientId; it has: railSecret, apiKey/)
})

test('the simulated bank speaks every connector', () => {
  const spoken = DIALECTS.map(({ connector }) => connector)
  assert.deepEqual(spoken.toSorted(), SANDBOX_CONNECTORS.map(({ name }) => name).toSorted())
})

test('the help names every option and every connector', () => {
  assert.deepEqual(readOptions(['--help']), { help: true })
  assert.match(HELP, /--connector NAME +required; one of: (?:\w+, )*iso20022, /)
  for (const { connector } of DIALECTS) assert(HELP.includes(connector), connector)
  for (const option of ['notify', 'loss', 'delay-ms', 'duplicate', 'reorder', 'seed', 'fee-bps']) {
    assert(HELP.includes(`--${option}`), option)
  }
})

for (const { connector } of DIALECTS) {
  test(`${connector}: the banks file that it prints is one that Manilla takes`, async () => {
    await using bank = await startLoneBank({ connector })
    const { entry, others, env } = bank.banksFile
    const problems: string[] = []
    const read = (text: string) =>
      readBanks(text, { mode: 'sandbox', env }, (p) => problems.push(p))
    const banks = read(JSON.stringify([entry, ...others]))
    assert.deepEqual(problems, [])
    assert.equal(banks?.[0]?.connector, connector)
  })
}

test('the process writes the banks file, answers, and stops on SIGTERM', async () => {
  using folder = createTempFolder()
  const path = join(folder.path, 'banks.json')
  const args = ['--connector', 'providus', '--port', '0', '--banks-file', path]
  await using process_ = spawnChild({
    folder: folder.path,
    command: [process.execPath, 'fake-bank/main.ts', ...args],
  })
  await process_.says('Stop with Ctrl-C.')
  const [entry] = JSON.parse(readFileSync(path, 'utf8'))
  assert.equal(entry.connector, 'providus')
  const health = await fetch(`${entry.settings.baseUrl}/control/health`)
  assert.equal(health.status, 200)
  process_.child.kill('SIGTERM')
  assert.equal(await process_.closed, 0)
})

test('a wrong option ends the process with a sentence and a pointer to the help', async () => {
  using folder = createTempFolder()
  await using process_ = spawnChild({
    folder: folder.path,
    command: [process.execPath, 'fake-bank/main.ts', '--connector', 'manilla', '--loss', '7'],
  })
  assert.equal(await process_.closed, 1)
  assert.match(process_.output.err, /loss, delay and duplicate must be numbers from 0 to 1/)
  assert.match(process_.output.err, /--help/)
})

// This test uses Providus, whose signature has no time, because the clocks of bank and service differ here.
test('on the machine’s clock it sends by itself, late ones when they are brought forward', async () => {
  await using world = await startWithFakeBank({ connector: 'providus', clock: undefined })
  const { bank, bench } = world
  const { accountNumber } = await createAccount(bench)
  const soon = bank.transfer({ accountNumber, amountKobo: naira(10) })
  assert(soon)
  await until('it is sent', () => bank.notifier.deliveryOf(soon)?.status === 'acknowledged')

  const late = bank.transfer({ accountNumber, amountKobo: naira(10) }, 'delayed')
  assert(late)
  assert.equal(bank.notifier.deliveryOf(late)?.status, 'queued')
  await control(bank, 'clock', { advanceMs: 60_000 })
  assert.equal(bank.notifier.deliveryOf(late)?.status, 'acknowledged')
})
