// Importing statements from a watched folder and by the command line: one process takes a file when the file
// no longer changes, and moves a refused file away with the reason.

import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { SANDBOX_BANKS } from '#config/bank-settings.ts'
import { openProfiles } from '#config/config.ts'
import { createLogger } from '#log.ts'
import { importStatementsRound, SETTLED_MS } from '#reconciliation/workers.ts'
import { Sealer } from '#seal.ts'
import { operate } from '../support/cli-terminal.ts'
import { closeAfterTests } from '../support/closing.ts'
import { type Bench, SECRETS, startTestService } from '../support/running-service.ts'
import {
  type Data,
  gtbankCsv,
  imported,
  manyLines,
  readStored,
} from '../support/statement-files.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const bench = closeAfterTests(await startTestService())
const running = new AbortController().signal

// The worker's round that watches the folder. All banks use the same CSV format.
function watch({ db, clock, config }: Bench, folder: string) {
  const banks = SANDBOX_BANKS.map((bank) => ({ ...bank, statements: { profile: 'gtbank' } }))
  return importStatementsRound({
    db,
    importPool: db,
    clock,
    sealer: new Sealer(config.secrets.data, config.secrets.hash),
    log: createLogger({ level: 'silent' }),
    banks,
    statementsFolder: folder,
    statementProfiles: openProfiles(config),
  })
}

// Writes a file such as "058/a.csv" into the folder.
function put(folder: string, name: string, content: string): string {
  const [code = ''] = name.split('/')
  mkdirSync(join(folder, code), { recursive: true })
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

test('a file is taken when it was still for a while, and moved to done', async () => {
  using folder = createTempFolder()
  const round = watch(bench, folder.path)
  const content = gtbankCsv({ lines: manyLines(5) })
  const path = put(folder.path, '058/nov.csv', content.slice(0, 300))
  put(folder.path, '058/.hidden.csv', content)
  put(folder.path, '058/later.csv.part', content)
  symlinkSync(path, join(folder.path, '058/link.csv'))
  await round(running)
  bench.advance(SETTLED_MS - 1)
  await round(running)
  writeFileSync(path, content)
  bench.advance(1)
  await round(running)
  assert(existsSync(path), 'it has just changed')

  bench.advance(SETTLED_MS)
  await round(running)

  assert.deepEqual(readdirSync(join(folder.path, '058')).sort(), [
    '.hidden.csv',
    'done',
    'later.csv.part',
    'link.csv',
  ])
  assert.deepEqual(readdirSync(join(folder.path, '058/done')), ['nov.csv'])
  const { statements } = await readStored(bench, '058')
  assert.equal(statements.length, 1)
  const { rows } = await bench.db.query(
    `select actor from audit_log where action = 'statement.import'`,
  )
  assert.deepEqual(rows, [{ actor: 'folder:statements' }])
})

test('a file that is refused is moved to failed, beside the reason', async () => {
  using folder = createTempFolder()
  const round = watch(bench, folder.path)
  const content = gtbankCsv({ lines: manyLines(5) }).replace('1000.02', '1000.x')
  put(folder.path, '011/nov.csv', content)

  await round(running)
  bench.advance(SETTLED_MS)
  await round(running)

  assert.deepEqual(readdirSync(join(folder.path, '011/failed')).sort(), ['nov.csv', 'nov.csv.txt'])
  assert.match(readFileSync(join(folder.path, '011/failed/nov.csv.txt'), 'utf8'), /line 5: /)
  assert.equal((await readStored(bench, '011')).statements.length, 0)
})

test('a file whose move was lost in a crash is moved without being taken again', async () => {
  using folder = createTempFolder()
  const round = watch(bench, folder.path)
  const content = gtbankCsv({ lines: manyLines(5) })
  await imported(bench, content, { query: 'bankCode=033&format=csv&profile=gtbank' })
  const before = await readStored(bench, '033')
  put(folder.path, '033/nov.csv', content)
  mkdirSync(join(folder.path, '033/done'))
  writeFileSync(join(folder.path, '033/done/nov.csv'), 'another of that name')

  await round(running)
  bench.advance(SETTLED_MS)
  await round(running)

  assert.deepEqual(readdirSync(join(folder.path, '033/done')).sort(), ['nov-2.csv', 'nov.csv'])
  assert.deepEqual(await readStored(bench, '033'), before)
})

test('two processes that watch one folder take a file once', async () => {
  using folder = createTempFolder()
  const rounds = [watch(bench, folder.path), watch(bench, folder.path)]
  put(folder.path, '035/nov.csv', gtbankCsv({ lines: manyLines(500) }))
  for (const round of rounds) await round(running)
  bench.advance(SETTLED_MS)

  await Promise.all(rounds.map((round) => round(running)))

  const { rows } = await bench.db.query(
    `select state from statement_imports where bank_code = '035'`,
  )
  assert.deepEqual(rows, [{ state: 'done' }])
})

// Runs an operator command about statements.
function admin(...words: string[]): Promise<{ data: Data; text: string }> {
  const { clock, db } = bench
  const env = { ...SECRETS, DATABASE_URL: bench.database.connectionString }
  return operate({ db, env, clock }, ['statements', ...words])
}

test('the command line imports a file, and lists statements', async () => {
  using folder = createTempFolder()
  const path = put(folder.path, '101/nov.csv', gtbankCsv({ lines: manyLines(5) }))
  const how = ['--bank', '101', '--profile', 'gtbank']

  const { data, text } = await admin('import', path, ...how)
  const again = await admin('import', path, ...how)
  const listed = await admin('list', '--bank', '101')

  assert.equal(data.statements[0].newLines, 5)
  assert.match(text, /\t5\t5\t/)
  assert.equal(again.data.isUnchanged, true)
  assert.equal(listed.data.length, 1)
  assert.equal(listed.data[0].closing, '5000.10')
  await assert.rejects(admin('import', path), { exitCode: 2 })
  await assert.rejects(admin('import', '/nowhere.csv', ...how), { exitCode: 2 })
  await assert.rejects(admin('import', path, '--bank', '101', '--format', 'pdf'), { exitCode: 2 })
  await assert.rejects(admin('import', path, '--bank', '999'), { exitCode: 1 })
})
