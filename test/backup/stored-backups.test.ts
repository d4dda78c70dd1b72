// Choosing the backup, timeline and log of a restore, and pruning old backups: on files alone, without a
// server.

import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { planRecovery } from '#backup/recover.ts'
import { manifestText } from '#backup/stored-backups.ts'
import { pruneBackups } from '#backup/take.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const SYSTEM = '7708705644988552474'
// Returns the name of a file of the database’s log in the archive.
const segment = (timeline: number, number: number) =>
  `0000000${timeline}00000000${number.toString(16).toUpperCase().padStart(8, '0')}.gz`

// Writes a backup that was finished on day `number` of November, and whose log is in the file with that
// number. Without `isWhole`, the backup's file has another size than the manifest says. `stopAt` is the
// offset in the log file at which the backup ends.
function addBackup(
  backupDir: string,
  number: number,
  { timeline = 1, isWhole = true, stopAt = '000120' } = {},
) {
  const finishedAt = `2026-11-${String(number).padStart(2, '0')}T00:00:00.000Z`
  const folder = join(backupDir, 'base', finishedAt.replaceAll(':', ''))
  mkdirSync(folder, { recursive: true })
  const hex = number.toString(16).toUpperCase()
  const files = [{ name: 'base.tar', bytes: isWhole ? 0 : 9, sha256: '' }]
  const facts = { timeline, startLsn: `0/${hex}000028`, stopLsn: `0/${hex}${stopAt}`, files }
  const times = { startedAt: finishedAt, finishedAt, hasSecrets: false }
  const made = { product: 'manilla', postgres: '18.4', systemIdentifier: SYSTEM }
  writeFileSync(join(folder, 'base.tar'), '')
  writeFileSync(join(folder, 'backup.json'), manifestText({ ...made, ...facts, ...times }))
}

// Writes files of the log with these names, as the archive has them. `history` is the text of each file
// before compression.
function addLog(backupDir: string, names: readonly string[], history = '') {
  const folder = join(backupDir, 'wal', SYSTEM)
  mkdirSync(folder, { recursive: true })
  for (const name of names) writeFileSync(join(folder, name), gzipSync(history))
  return folder
}

test('a restore begins with the last backup before the moment, and names a missing file', () => {
  using folder = createTempFolder()
  for (const number of [2, 4]) addBackup(folder.path, number)
  addLog(
    folder.path,
    [3, 4, 5, 7].map((number) => segment(1, number)),
  )

  const early = planRecovery(folder.path, { at: new Date('2026-11-03T12:00:00Z') })
  const latest = planRecovery(folder.path, {})

  assert.equal(early.backup.startLsn, '0/2000028')
  assert.equal(latest.backup.startLsn, '0/4000028')
  assert.deepEqual(latest.segments, [{ timeline: 1, number: 5 }])
  assert.equal(latest.missing, '000000010000000000000006')
})

test('a backup that stops where a log file begins needs that file too', () => {
  using folder = createTempFolder()
  addBackup(folder.path, 2, { stopAt: '000000' })
  addLog(folder.path, [segment(1, 3)])

  assert.equal(planRecovery(folder.path, {}).missing, '000000010000000000000002')
  addLog(folder.path, [segment(1, 2)])
  assert.deepEqual(
    planRecovery(folder.path, {}).segments.map(({ number }) => number),
    [2, 3],
  )
})

test('a timeline is followed to where it left its parent, and the newest is the default', () => {
  using folder = createTempFolder()
  addBackup(folder.path, 2)
  addLog(
    folder.path,
    [3, 4, 5, 6].map((number) => segment(1, number)),
  )
  addLog(
    folder.path,
    [4, 5].map((number) => segment(2, number)),
  )
  addLog(folder.path, ['00000002.history.gz'], '1\t0/4000180\tbefore 2026-11-04 00:00:00+00\n')

  const newest = planRecovery(folder.path, {})
  const first = planRecovery(folder.path, { timeline: 1 })

  const segmentNames = ({ segments }: typeof newest) =>
    segments.map((each) => Object.values(each).join('/'))
  assert.deepEqual(segmentNames(newest), ['1/3', '2/4', '2/5'])
  assert.deepEqual(segmentNames(first), ['1/3', '1/4', '1/5', '1/6'])
  assert.deepEqual([newest.missing, newest.timeline, first.timeline], [undefined, 2, 1])
  assert.throws(() => planRecovery(folder.path, { timeline: 5 }), /Known: 1, 2/)
})

test('pruning keeps the last whole backups and the log from the oldest of them on', () => {
  using folder = createTempFolder()
  for (const number of [1, 2, 4]) addBackup(folder.path, number)
  addBackup(folder.path, 5, { isWhole: false })
  const wal = addLog(
    folder.path,
    [1, 2, 3, 4, 5].map((number) => segment(1, number)),
  )

  const pruned = pruneBackups(folder.path, 2)
  const again = pruneBackups(folder.path, 0)

  assert.deepEqual(pruned, { backups: ['2026-11-01T000000.000Z'], segments: 1 })
  assert.deepEqual(again, { backups: ['2026-11-02T000000.000Z'], segments: 2 })
  assert.deepEqual(
    readdirSync(wal).sort(),
    [4, 5].map((number) => segment(1, number)),
  )
  const left = ['2026-11-04T000000.000Z', '2026-11-05T000000.000Z']
  assert.deepEqual(readdirSync(join(folder.path, 'base')).sort(), left)
})
