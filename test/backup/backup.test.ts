// Backups of the embedded database: taken while money arrives, restored to the end and to a moment,
// proven by verify, and refused when they are damaged.

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

// In the order of a disaster: each test continues where the last one ended.
const folder = closeAfterTests(createTempFolder())
const service = await startArchivedService(folder.path)
const { bench, server, archive, backupDir, env } = service
const here = (name: string) => join(folder.path, name)
const AMOUNTS = 'select array_agg((amount_kobo / 100)::int order by amount_kobo) from credits'

const { accountNumber } = await createAccount(bench)
let acknowledged = 0
let moment = ''
let atMoment = 0

// Each credit has another amount, so that a missing or doubled one shows.
async function credit(): Promise<void> {
  await simulate(bench, accountNumber, `${acknowledged + 1}.00`)
  acknowledged += 1
}

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

test('a log file that differs is never replaced, and operators are told until archiving works', async () => {
  const round = watchArchiveRound({
    db: bench.db,
    clock: systemClock,
    log: createLogger({ level: 'silent' }),
  })
  const kinds = async () => {
    await round(AbortSignal.timeout(10_000))
    const open = `select kind from alerts where cleared_at is null`
    return (await bench.db.query(open)).rows.map(({ kind }) => kind)
  }
  const planted = await currentSegment(server, archive)
  writeFileSync(planted, gzipSync('not of this server'), { mode: 0o644 })

  await query(server.connectionString, 'select pg_switch_wal()')
  await until('archiving fails', async () => (await kinds()).includes('archive_failing'))
  const bytes = readFileSync(planted)
  rmSync(planted)
  await until('archiving works', async () => {
    await query(server.connectionString, 'select pg_switch_wal()')
    return (await kinds()).length === 0
  })

  assert.deepEqual(bytes, gzipSync('not of this server'))
  assert(statSync(planted).size > bytes.length)
})

test('a backup is taken while credits are booked, and is for its owner alone', async () => {
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

  const restored = await runCommand(['restore', '--latest', '--data-dir', here('latest')], env)
  const twice = runCommand(['restore', '--latest', '--data-dir', here('latest')], env)

  await assert.rejects(twice, /holds a database/)
  assert.equal(restored.timeline, 2)
  assert(new Date(restored.restoredTo) > new Date(moment))
  const again = await startEmbedded({ dataDir: here('latest'), backupDir })
  const [amounts] = (await query(again.connectionString, AMOUNTS)).flat()
  const holds = await query(again.connectionString, 'select restored_to from payout_holds')
  await switchLog(again, archive)
  await again.stop()
  assert.deepEqual(amounts, upTo(archived))
  assert.equal(holds.length, 1)
  assert.deepEqual(
    readFileSync(here('latest/secrets.json')),
    readFileSync(here('data/secrets.json')),
  )
})

test('a restore to a moment has exactly the credits before it, on a timeline of its own', async () => {
  const at = ['--at', moment, '--timeline', '1', '--data-dir', here('moment')]

  const restored = await runCommand(['restore', ...at], env)
  const [amounts] = await readRestored(here('moment'), AMOUNTS)

  assert.deepEqual(amounts, upTo(atMoment))
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
  const says = (problem: RegExp, more: string[] = []) =>
    assert.rejects(runCommand(['verify', ...more], env), {
      exitCode: 1,
      message: problem,
    })

  await changed(tar, flipByte, () => says(/base\.tar is damaged/))
  await changed(
    tar,
    (path) => truncateSync(path, 1_000_000),
    () => says(/base\.tar has 1000000/),
  )
  await changed(manifest, rmSync, () => says(/backup\.json is missing/))
  await changed(manifest, flipByte, () => says(/backup\.json is damaged/))
  await changed(manifest, pretendOlder, () => says(/PostgreSQL 17, this is/))
  await changed(join(base, 'secrets.json'), rmSync, () => says(/secrets\.json is missing/))
  await changed(
    first,
    (path) => truncateSync(path, 100),
    () => says(/gz is damaged: unexpected end/),
  )
  await changed(first, rmSync, () => says(/The archive lacks 0000000/))
  await says(/No backup was finished by 2026-01-01/, ['--at', '2026-01-01T00:00:00Z'])
  await says(/The log ends with a transaction at .* --latest/, ['--at', '2999-01-01T00:00:00Z'])
  await says(/Timeline 9 does not continue/, ['--timeline', '9'])
  await assert.rejects(runCommand(['verify', '--at', 'yesterday'], env), { exitCode: 2 })
  const nowhere = ['restore', '--latest', '--from', here('data'), '--data-dir', here('none')]
  await assert.rejects(runCommand(nowhere, {}), /There is no backup in/)
  assert(!existsSync(here('none')))
})

const isSegment = (name: string) => /^[0-9A-F]{24}\.gz$/.test(name)

// Restores the original file afterwards.
async function changed(path: string, change: (path: string) => void, look: () => Promise<void>) {
  const original = `${folder.path}/kept`
  renameSync(path, original)
  copyFileSync(original, path)
  try {
    change(path)
    await look()
  } finally {
    rmSync(path, { force: true })
    renameSync(original, path)
  }
}

function flipByte(path: string): void {
  const content = readFileSync(path)
  const middle = content.length >> 1
  content[middle] = (content[middle] as number) ^ 1
  writeFileSync(path, content)
}

function pretendOlder(path: string): void {
  const { name: _, folder: __, ...facts } = readBackup(join(path, '..'), '')
  writeFileSync(path, manifestText({ ...facts, postgres: '17.1' }))
}

test('a backup taken after a restore is verified and restored like the first', async () => {
  const restoredEnv = { ...env, MANILLA_DATA_DIR: here('latest') }
  const served = await startEmbedded({ dataDir: here('latest'), backupDir })
  const backup = await runCommand(['backup'], restoredEnv)
  await query(served.connectionString, `update clients set name = 'After the backup'`)
  await switchLog(served, archive)
  await served.stop()

  const verified = await runCommand(['verify'], restoredEnv)
  const restored = await runCommand(['restore', '--latest', '--data-dir', here('third')], env)
  const both = `select (${AMOUNTS}), (select min(name) from clients)`
  const [amounts, name] = await readRestored(here('third'), both)

  assert.equal(backup.timeline, 2)
  assert.deepEqual([verified.backup, verified.timeline], [backup.name, 2])
  assert.deepEqual([restored.backup, restored.timeline], [backup.name, 3])
  assert.deepEqual(amounts, upTo(acknowledged - 1))
  assert.equal(name, 'After the backup')
})

test('archiving that hangs is reported, and that it was turned off is said at the start', async () => {
  const archive_command = `until test -e ${here('mounted')}; do sleep 0.05; done`
  const settings = { archive_mode: 'on', archive_command }
  const hung = await startEmbedded({ dataDir: here('moment'), settings })
  const { connectionString } = hung
  const db = createPool({ connectionString, max: 1, onIdleError: () => {} })
  const openAfter = async (minutes: number) => {
    const clock = () => new Date(systemClock().getTime() + minutes * 60_000)
    const round = watchArchiveRound({ db, clock, log: createLogger({ level: 'silent' }) })
    await round(AbortSignal.timeout(10_000))
    const open = `select detail ->> 'failedFile' as file from alerts
                   where kind = 'archive_failing' and cleared_at is null`
    return (await db.query(open)).rows.map(({ file }) => file)
  }

  const [soon, late] = [await openAfter(9), await openAfter(11)]
  writeFileSync(here('mounted'), '')
  await until('archiving goes on', async () => (await openAfter(11)).length === 0)
  await db.end()
  await hung.stop()
  const data = { MANILLA_DATA_DIR: here('latest') }
  await using unset = await startChild({ folder: folder.path, env: data })
  await unset.stop()

  assert.deepEqual(soon, [])
  assert.match(late.join(), /^[0-9A-F]+\.(history|partial)$/, 'left by the restore')
  assert.match(unset.said.out, /"before":".*backups".*MANILLA_BACKUP_DIR is no longer set/)
})

test('a backup that cannot be written, and a folder that the server cannot reach, is refused', async () => {
  writeFileSync(here('occupied'), '')
  mkdirSync(here('closed'), { mode: 0o700 })
  const dataDir = here('moment')

  const unwritable = runCommand(['backup', '--to', here('occupied')], { MANILLA_DATA_DIR: dataDir })
  await assert.rejects(unwritable, /Cannot write to .*occupied \(ENOTDIR\)/)
  const nobodys = runCommand(['backup', '--to', here('b')], { MANILLA_DATA_DIR: here('nothing') })
  await assert.rejects(nobodys, /There is no database in/)
  if (process.getuid?.() === 0) {
    const unreachable = startEmbedded({ dataDir, backupDir: here('closed/backups') })
    await assert.rejects(unreachable, EmbeddedProblem)
  }
})
