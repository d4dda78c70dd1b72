// The operator's commands on the command line: how they are parsed, refused and printed; and that no other
// command loads the code for the database.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Answer, OperatorCommand } from '#admin/operator-command.ts'
import { createCli } from '../support/cli-terminal.ts'
import { closeAfterTests } from '../support/closing.ts'

const ROOT = join(import.meta.dirname, '../..')
const cli = closeAfterTests(createCli())

// Runs the command line with a fake in place of the database, and returns the output and the parsed command.
async function runParsed(
  words: readonly string[],
  answer: Partial<Answer> = {},
  isTerminal = false,
) {
  const commands: OperatorCommand[] = []
  // Records the command in place of executing it, and returns the answer that the test chose.
  const operate = async (command: OperatorCommand) => {
    commands.push(command)
    return { data: {}, view: 'Done.', ...answer }
  }
  return { ...(await cli.runOn({ operate, isTerminal }, ...words)), command: commands[0] }
}

test('a command gets its argument and its options, parsed', async () => {
  const restrict = ['admin', 'client', 'restrict', 'SHOP', '--from', '10.0.0.1, 10.0.0.2,']
  const { command, out } = await runParsed([...restrict, '--from=::1', '--any-merchant'])
  const restored = await runParsed(['restore', '--at', '2026-11-16T10:00:00+01:00'])

  const from = ['10.0.0.1', '10.0.0.2', '::1']
  assert.deepEqual([command?.subject, command?.options], ['SHOP', { from, anyMerchant: true }])
  assert.equal(out, 'Done.\n')
  assert.deepEqual(restored.command?.options, { at: new Date('2026-11-16T09:00:00Z') })
})

test('a view is a table on a terminal, tabs in a pipe, and data with --json', async () => {
  const rows = [
    ['a', 5],
    ['bb', 12],
  ]
  const fields = [['size', '1 MB'] as const]
  const answer = {
    data: { total: 17n },
    view: ['Head', { columns: ['name', 'n'], rows }, { fields }],
  }

  const list = ['admin', 'client', 'list']
  assert.equal((await runParsed(list, answer)).out, 'Head\na\t5\nbb\t12\nsize\t1 MB\n')
  const seen = (await runParsed(list, answer, true)).out
  assert.equal(seen, 'Head\nNAME   N\na      5\nbb    12\nsize  1 MB\n')
  assert.equal((await runParsed([...list, '--json'], answer)).out, '{\n  "total": 17\n}\n')
})

for (const [words, says] of [
  [['admin'], /^A command is missing\. See manilla admin --help\.$/],
  [['admin', 'client', 'mend'], /^Unknown command 'mend'/],
  [['admin', 'client', 'show'], /^Missing required argument 'client-id'\./],
  [['admin', 'client', 'show', 'A', 'B'], /^Too many arguments for 'show'/],
  [['admin', 'client', 'list', '--colour'], /^Unknown option '--colour'\./],
  [['admin', 'client', 'create', '--name'], /--name <text>' argument missing\./],
  [['admin', 'client', 'create'], /^Required option '--name <text>' not specified\./],
  [['admin', 'client', 'list', '--url', 'http://x'], /^--url is for the API; this command uses/],
  [['backup', '--keep', '0'], /whole number from 1 to 99999\./],
  [['verify', '--at', '2026-11-16T10:00:00'], /a time with its zone, such as/],
] as const) {
  test(`manilla ${words.join(' ')} is refused`, async () => {
    const { exitCode, err, command } = await runParsed(words)

    assert.deepEqual([exitCode, command], [2, undefined])
    assert.match(err.trimEnd(), says)
    assert.match(err, /See manilla .*--help\.\n$/)
  })
}

test('the former names work: manilla admin backup, and src/admin/main.ts', async () => {
  assert.deepEqual((await runParsed(['admin', 'backup', '--keep', '7'])).command?.options, {
    keep: 7,
  })
  const words = [join(ROOT, 'src/admin/main.ts'), 'payouts', 'hold', '--help']
  const { stdout } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  assert.match(stdout, /^Usage: manilla admin payouts hold \[options\]\n/)
  assert.doesNotMatch(stdout, /--url/)
})

test('neither help nor completion loads the database', () => {
  const script = `
    const { runCli } = await import('./cli/program.ts')
    const { processTerminal } = await import('./cli/process-terminal.ts')
    const { createRequire } = await import('node:module')
    const terminal = { ...processTerminal(new AbortController().signal), out() {} }
    const loaded = () => Object.keys(createRequire(import.meta.url).cache)
    for (const words of [['--help'], ['completion', 'bash'], ['admin', 'client', 'list', '--help']]) {
      await runCli(words, terminal)
    }
    const before = loaded().filter((path) => path.includes('/node_modules/pg/')).length
    await import('#admin/client-commands.ts')
    await import('#admin/run-command.ts')
    const after = loaded().filter((path) => path.includes('/node_modules/pg/')).length
    console.log(before, after > 0)`
  const words = ['--input-type=module-typescript', '-e', script]
  const { stdout, stderr } = spawnSync(process.execPath, words, { cwd: ROOT, encoding: 'utf8' })

  assert.deepEqual([stdout, stderr], ['0 true\n', ''])
})
