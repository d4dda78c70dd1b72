// Backups of the embedded database: made while money arrives, restored to the end or to a moment, proven by
// `verify`, and refused when they are damaged.

import assert from 'node:assert/strict'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { manifestText, readBackup } from '#backup/stored-backups.ts'
import { systemClock } from '#clock.ts'
import { createPool } from '#db/pool.ts'
import { EmbeddedProblem, startEmbedded } from '#embedded/embedded.ts'
import { createLogger } from '#log.ts'
import { watchArchiveRound } from '#reports/workers.ts'
import {
  currentSegment,
  markMoment,
  readRestored,
  runCommand,
  startArchivedService,
  switchLog,
} from '../support/backup-bench.ts'
import { startChild } from '../support/child-service.ts'
import { closeAfterTests } from '../support/closing.ts'
import { query, until } from '../support/embedded-bench.ts'
import { createAccount, simulate } from '../support/fixtures.ts'
import { createTempFolder } from '../support/temp-folder.ts'

// These tests depend on each other: each continues where the previous one ended, in the order of a disaster
// and its repair.
const folder = closeAfterTests(createTempFolder())
const service = await startArchivedService(folder.path)
const { bench, server, archive, backupDir, env } = service
const pathOf = (name: string) => join(folder.path, name)
const AMOUNTS = 'select array_agg((amount_kobo / 100)::int order by amount_kobo) from credits'

const { accountNumber } = await createAccount(bench)
let acknowledged = 0
let moment = ''
let atMoment = 0

// Simulates a credit. Each has a different amount, so that a missing or doubled one shows.
async function credit(): Promise<void> {
  await simulate(bench, accountNumber, `${acknowledged + 1}.00`)
  acknowledged += 1
}

// Returns the amounts of the first `count` credits, as AMOUNTS reads them.
const amountsUpTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

test('a log file that differs is never replaced, and operators are told until archiving works', async () => {
  const round = watchArchiveRound({
    db: bench.db,
    clock: systemClock,
    log: createLogger({ level: 'silent' }),
  })
  // Runs the worker's round, and returns the kinds of open alerts.
  const openAlertKinds = async () => {
    await round(AbortSignal.timeout(10_000))
    const open = `select kind from alerts where cleared_at is null`
    return (await bench.db.query(open)).rows.map(({ kind }) => kind)
  }
  const planted = await currentSegment(server, archive)
  writeFileSync(planted, gzipSync('not of this server'), { mode: 0o644 })

  await query(server.connectionString, 'select pg_switch_wal()')
  await until('archiving fails', async () => (await openAlertKinds()).includes('archive_failing'))
  const bytes = readFileSync(planted)
  rmSync(planted)
  await until('archiving works', async () => {
    await query(server.connectionString, 'select pg_switch_wal()')
    return (await openAlertKinds()).length === 0
  })

  assert.deepEqual(bytes, gzipSync('not of this server'))
  assert(statSync(planted).size > bytes.length)
})

test('a backup is made while credits are booked, and only its owner can read it', async () => {
  const taking = runCommand(['backup'], env)
  const isTaken = { yet: false }
  void taking.finally(() => {
    isTaken.yet = true
  })
  while (!isTaken.yet) await credit()
  const backup = await taking
  const names = readdirSync(backup.folder)

  assert(acknowledged > 2, 'credits were booked meanwhile')
  assert.deepEqual(names.sort(), ['backup.json', 'backup_manifest', 'base.tar', 'secrets.json'])
  for (const name of ['', ...names]) {
    assert.equal(statSync(join(backup.folder, name)).mode & 0o077, 0, name)
  }
  assert.equal(backup.timeline, 1)
})

test('kill -9 loses nothing archived: a restore has every credit once, and holds payouts', async () => {
  moment = await markMoment(server)
  atMoment = acknowledged
  for (let more = 0; more < 3; more++) await credit()
  await service.switchLog()
  const archived = acknowledged
  await credit()
  process.kill(server.pid, 'SIGKILL')
  await server.exited
  await bench[Symbol.asyncDispose]().catch(() => {}) // The service has lost its database.

  const restored = await runCommand(['restore', '--latest', '--data-dir', pathOf('latest')], env)
  const twice = runCommand(['restore', '--latest', '--data-dir', pathOf('latest')], env)

  await assert.rejects(twice, /holds a database/)
  assert.equal(restored.timeline, 2)
  assert(new Date(restored.restoredTo) > new Date(moment))
  const again = await startEmbedded({ dataDir: pathOf('latest'), backupDir })
  const [amounts] = (await query(again.connectionString, AMOUNTS)).flat()
  const holds = await query(again.connectionString, 'select restored_to from payout_holds')
  await switchLog(again, archive)
  await again.stop()
  assert.deepEqual(amounts, amountsUpTo(archived))
  assert.equal(holds.length, 1)
  assert.deepEqual(
    readFileSync(pathOf('latest/secrets.json')),
    readFileSync(pathOf('data/secrets.json')),
  )
})

test('a restore to a moment has exactly the credits before it, on a timeline of its own', async () => {
  const at = ['--at', moment, '--timeline', '1', '--data-dir', pathOf('moment')]

  const restored = await runCommand(['restore', ...at], env)
  const [amounts] = await readRestored(pathOf('moment'), AMOUNTS)

  assert.deepEqual(amounts, amountsUpTo(atMoment))
  assert.equal(restored.timeline, 3, 'two is taken by the first restore')
  assert.equal(new Date(restored.restoredTo).toISOString(), moment)
})

test('verify restores, checks the books and says what they hold, leaving nothing behind', async () => {
  const before = temporaryFolders()

  const verified = await runCommand(['verify'], env)

  assert.equal(verified.timeline, 2, 'the newest')
  assert.equal(verified.books.credits, BigInt(acknowledged - 1))
  assert.deepEqual(temporaryFolders(), before)
})

function temporaryFolders(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('manilla-verify-'))
}

test('every fault of a backup is named, and nothing is restored', async () => {
  const base = join(backupDir, 'base', readdirSync(join(backupDir, 'base'))[0] as string)
  const first = join(archive, readdirSync(archive).filter(isSegment).sort().at(-2) as string)
  const tar = join(base, 'base.tar')
  const manifest = join(base, 'backup.json')
  const assertVerifyFails = (problem: RegExp, more: string[] = []) =>
    assert.rejects(runCommand(['verify', ...more], env), {
      exitCode: 1,
      message: problem,
    })

  await whileChanged(tar, flipByte, () => assertVerifyFails(/base\.tar is damaged/))
  await whileChanged(
    tar,
    (path) => truncateSync(path, 1_000_000),
    () => assertVerifyFails(/base\.tar has 1000000/),
  )
  await whileChanged(manifest, rmSync, () => assertVerifyFails(/backup\.json is missing/))
  await whileChanged(manifest, flipByte, () => assertVerifyFails(/backup\.json is damaged/))
  await whileChanged(manifest, pretendOlderPostgres, () =>
    assertVerifyFails(/PostgreSQL 17, this is/),
  )
  await whileChanged(join(base, 'secrets.json'), rmSync, () =>
    assertVerifyFails(/secrets\.json is missing/),
  )
  await whileChanged(
    first,
    (path) => truncateSync(path, 100),
    () => assertVerifyFails(/gz is damaged: unexpected end/),
  )
  await whileChanged(first, rmSync, () => assertVerifyFails(/The archive lacks 0000000/))
  await assertVerifyFails(/No backup was finished by 2026-01-01/, ['--at', '2026-01-01T00:00:00Z'])
  await assertVerifyFails(/The log ends with a transaction at .* --latest/, [
    '--at',
    '2999-01-01T00:00:00Z',
  ])
  await assertVerifyFails(/Timeline 9 does not continue/, ['--timeline', '9'])
  await assert.rejects(runCommand(['verify', '--at', 'yesterday'], env), { exitCode: 2 })
  const nowhere = ['restore', '--latest', '--from', pathOf('data'), '--data-dir', pathOf('none')]
  await assert.rejects(runCommand(nowhere, {}), /There is no backup in/)
  assert(!existsSync(pathOf('none')))
})

// Matches the compressed segments of the database’s log in the archive.
const isSegment = (name: string) => /^[0-9A-F]{24}\.gz$/.test(name)

// Changes a file while `check` runs, and restores the original file afterwards.
async function whileChanged(
  path: string,
  change: (path: string) => void,
  check: () => Promise<void>,
) {
  const original = `${folder.path}/kept`
  renameSync(path, original)
  copyFileSync(original, path)
  try {
    change(path)
    await check()
  } finally {
    rmSync(path, { force: true })
    renameSync(original, path)
  }
}

// Flips the lowest bit of the byte in the middle of a file.
function flipByte(path: string): void {
  const content = readFileSync(path)
  const middle = content.length >> 1
  content[middle] = (content[middle] as number) ^ 1
  writeFileSync(path, content)
}

// Rewrites a backup's manifest as if an older version of PostgreSQL had made it.
function pretendOlderPostgres(path: string): void {
  const { name: _, folder: __, ...facts } = readBackup(join(path, '..'), '')
  writeFileSync(path, manifestText({ ...facts, postgres: '17.1' }))
}

test('a backup taken after a restore is verified and restored like the first', async () => {
  const restoredEnv = { ...env, MANILLA_DATA_DIR: pathOf('latest') }
  const served = await startEmbedded({ dataDir: pathOf('latest'), backupDir })
  const backup = await runCommand(['backup'], restoredEnv)
  await query(served.connectionString, `update clients set name = 'After the backup'`)
  await switchLog(served, archive)
  await served.stop()

  const verified = await runCommand(['verify'], restoredEnv)
  const restored = await runCommand(['restore', '--latest', '--data-dir', pathOf('third')], env)
  const both = `select (${AMOUNTS}), (select min(name) from clients)`
  const [amounts, name] = await readRestored(pathOf('third'), both)

  assert.equal(backup.timeline, 2)
  assert.deepEqual([verified.backup, verified.timeline], [backup.name, 2])
  assert.deepEqual([restored.backup, restored.timeline], [backup.name, 3])
  assert.deepEqual(amounts, amountsUpTo(acknowledged - 1))
  assert.equal(name, 'After the backup')
})

test('a hanging archive is reported, and disabled archiving is mentioned at the start', async () => {
  const archive_command = `until test -e ${pathOf('mounted')}; do sleep 0.05; done`
  const settings = { archive_mode: 'on', archive_command }
  const hung = await startEmbedded({ dataDir: pathOf('moment'), settings })
  const { connectionString } = hung
  const db = createPool({ connectionString, max: 1, onIdleError: () => {} })
  // Runs the worker's round some minutes later. Returns the files named by open alerts.
  const failedFilesAfter = async (minutes: number) => {
    const clock = () => new Date(systemClock().getTime() + minutes * 60_000)
    const round = watchArchiveRound({ db, clock, log: createLogger({ level: 'silent' }) })
    await round(AbortSignal.timeout(10_000))
    const open = `select detail ->> 'failedFile' as file from alerts
                   where kind = 'archive_failing' and cleared_at is null`
    return (await db.query(open)).rows.map(({ file }) => file)
  }

  const [soon, late] = [await failedFilesAfter(9), await failedFilesAfter(11)]
  writeFileSync(pathOf('mounted'), '')
  await until('archiving goes on', async () => (await failedFilesAfter(11)).length === 0)
  await db.end()
  await hung.stop()
  const data = { MANILLA_DATA_DIR: pathOf('latest') }
  await using unset = await startChild({ folder: folder.path, env: data })
  await unset.stop()

  assert.deepEqual(soon, [])
  assert.match(late.join(), /^[0-9A-F]+\.(history|partial)$/, 'left by the restore')
  assert.match(unset.output.out, /"before":".*backups".*MANILLA_BACKUP_DIR is no longer set/)
})

test('a backup that cannot be written, and a folder that the server cannot reach, is refused', async () => {
  writeFileSync(pathOf('occupied'), '')
  mkdirSync(pathOf('closed'), { mode: 0o700 })
  const dataDir = pathOf('moment')

  const unwritable = runCommand(['backup', '--to', pathOf('occupied')], {
    MANILLA_DATA_DIR: dataDir,
  })
  await assert.rejects(unwritable, /Cannot write to .*occupied \(ENOTDIR\)/)
  const nobodys = runCommand(['backup', '--to', pathOf('b')], {
    MANILLA_DATA_DIR: pathOf('nothing'),
  })
  await assert.rejects(nobodys, /There is no database in/)
  if (process.getuid?.() === 0) {
    const unreachable = startEmbedded({ dataDir, backupDir: pathOf('closed/backups') })
    await assert.rejects(unreachable, EmbeddedProblem)
  }
})
