// Whichever process is killed, and at whatever moment: no database server outlives its owner, nothing
// committed is lost, and the next start works.

import assert from 'node:assert/strict'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { EmbeddedProblem, startEmbedded } from '#embedded/embedded.ts'
import { closeAfterTests } from '../support/closing.ts'
import { isRunning, processesWith, query, spawnHolder, until } from '../support/embedded-bench.ts'
import { createTempFolder } from '../support/temp-folder.ts'

// A data folder for tests that do not need their own, because making a cluster takes most of a second.
const shared = closeAfterTests(createTempFolder())
const sharedDir = join(shared.path, 'data')
const TRIES_MAX = 5

test('exactly one of several simultaneous first starts wins', async () => {
  using folder = createTempFolder()
  const dataDir = join(folder.path, 'data')
  await using first = await spawnHolder(dataDir)
  await using second = await spawnHolder(dataDir)
  const holders = [first, second]

  for (const holder of holders) holder.go()
  const here = startEmbedded({ dataDir }).catch((error: Error) => error)
  const messages = await Promise.all(holders.map((holder) => holder.next()))
  const own = await here

  const winners = messages.filter((message) => message.ready)
  const problems = messages.flatMap((message) => message.problem ?? [])
  if (own instanceof EmbeddedProblem) problems.push(own.message)
  else if (!(own instanceof Error)) winners.push({ ready: true, ...own })
  assert.equal(winners.length, 1)
  assert.equal(winners[0]?.firstStart, true)
  assert.equal(problems.length, 2)
  for (const problem of problems) {
    assert.match(
      problem,
      new RegExp(`already in use \\(process \\d+, server ${winners[0]?.pid}\\)`),
    )
  }
  const rows = await query(winners[0]?.connectionString ?? '', 'select 1')
  assert.deepEqual(rows, [[1]])
  assert.deepEqual(readdirSync(dataDir), ['postgres'])
  if (!(own instanceof Error)) await own.stop()
  await Promise.all(holders.map((holder) => holder.kill()))
  await until('no process is left', () => processesWith(dataDir).length === 0)
})

test('exactly one of several simultaneous restarts wins', async () => {
  await (await startEmbedded({ dataDir: sharedDir })).stop()

  const starts = Array.from({ length: 4 }, () => startEmbedded({ dataDir: sharedDir }))
  const outcomes = await Promise.allSettled(starts)

  const servers = outcomes.flatMap((outcome) =>
    outcome.status === 'fulfilled' ? [outcome.value] : [],
  )
  const problems = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [String(outcome.reason)] : [],
  )
  assert.equal(servers.length, 1)
  assert.deepEqual(await query(servers[0]?.connectionString ?? '', 'select 1'), [[1]])
  await servers[0]?.stop()
  for (const problem of problems) {
    assert.match(problem, new RegExp(`EmbeddedProblem: .* in use .* server ${servers[0]?.pid}\\)`))
  }
})

test('a killed owner leaves no orphan, and what was committed is there', async () => {
  await using holder = await spawnHolder(sharedDir)
  holder.go()
  const { pid, connectionString } = await holder.next()
  assert(pid && connectionString)
  await query(connectionString, 'create table committed (n int)')
  await query(connectionString, 'insert into committed values (7)')

  await holder.kill()
  const second = await startEmbedded({ dataDir: sharedDir })
  const rows = await query(second.connectionString, 'select n from committed')
  await second.stop()

  assert.deepEqual(rows, [[7]])
  assert.equal(second.firstStart, false)
  assert.equal(isRunning(pid), false)
})

test('a killed owner stops its server even if nobody starts again', async () => {
  await using holder = await spawnHolder(sharedDir)
  holder.go()
  const { pid } = await holder.next()
  assert(pid)

  await holder.kill()

  await until('server and guard are gone', () => processesWith(sharedDir).length === 0)
  assert.equal(isRunning(pid), false)
})

test('an orphan whose guard was killed too is stopped by the next start', async () => {
  await using holder = await spawnHolder(sharedDir)
  holder.go()
  const { pid, connectionString } = await holder.next()
  assert(pid && connectionString)
  await query(connectionString, 'create table kept as select 7 as n')
  const guards = processesWith(join(sharedDir, 'postgres')).filter((found) => found !== pid)

  for (const guard of guards) process.kill(guard, 'SIGKILL')
  await holder.kill()
  const survived = await query(connectionString, 'select n from kept')
  const second = await startEmbedded({ dataDir: sharedDir })
  const rows = await query(second.connectionString, 'select n from kept')
  await second.stop()

  assert.equal(guards.length, 1)
  assert.deepEqual(survived, [[7]])
  assert.deepEqual(rows, [[7]])
  assert.equal(isRunning(pid), false)
})

test('Ctrl-C reaches the owner alone, which drains before the server goes', async () => {
  await using holder = await spawnHolder(sharedDir)
  holder.go()
  const { pid } = await holder.next()
  assert(pid)

  process.kill(-holder.pid, 'SIGINT')
  const { answer } = await holder.next()
  const [code] = await holder.closed

  assert.equal(answer, 'drained')
  assert.equal(code, 0)
  assert.equal(isRunning(pid), false)
})

// Kills the process while it makes a cluster, as soon as the file `reached` exists. On a busy machine the
// check may come too late, when the cluster is complete; then it tries again in another folder. Returns the
// folder.
async function killWhileMakingCluster(parent: string, reached: string): Promise<string> {
  for (let tries = 1; ; tries++) {
    const dataDir = join(parent, `data-${tries}`)
    const isMade = () => existsSync(join(dataDir, 'postgres'))
    await using holder = await spawnHolder(dataDir)
    holder.go()
    const isReached = (aside: string) => existsSync(join(aside, reached))
    await until(`${reached} is there`, () => isMade() || unfinishedFolders(dataDir).some(isReached))
    await holder.kill()
    if (!isMade()) return dataDir
    assert(tries < TRIES_MAX, 'it was always made before we could look')
  }
}

for (const reached of ['PG_VERSION', 'base/5']) {
  test(`killed while the first database is being made (at ${reached}): made anew`, async () => {
    using folder = createTempFolder()
    const dataDir = await killWhileMakingCluster(folder.path, reached)
    const server = await startEmbedded({ dataDir })
    const rows = await query(server.connectionString, 'select 1')
    await server.stop()

    assert.equal(server.firstStart, true)
    assert.deepEqual(rows, [[1]])
    assert.deepEqual(readdirSync(dataDir), ['postgres'])
    await until('no initdb is left', () => processesWith(dataDir).length === 0)
  })
}

test('a half-made cluster in the place of a whole one is made anew', async () => {
  using folder = createTempFolder()
  const cluster = join(folder.path, 'postgres')
  mkdirSync(join(cluster, 'base', '1'), { recursive: true })
  mkdirSync(join(cluster, 'global'))
  for (const name of ['PG_VERSION', 'postgresql.conf', 'global/pg_control']) {
    writeFileSync(join(cluster, name), '18\n')
  }
  if (process.getuid?.() === 0) chownSync(cluster, 65534, 65534)

  const server = await startEmbedded({ dataDir: folder.path })
  await server.stop()

  assert.equal(server.firstStart, true)
  assert.deepEqual(readdirSync(folder.path), ['postgres'])
})

test('a cluster that held data is never made anew, however damaged', async () => {
  await (await startEmbedded({ dataDir: sharedDir })).stop()
  const away = join(shared.path, 'away')
  // A restore leaves this state: a backup does not contain the folder.
  rmSync(join(sharedDir, 'postgres', 'socket'), { recursive: true })

  for (const name of ['PG_VERSION', 'global/pg_control', 'base/1']) {
    const part = join(sharedDir, 'postgres', name)
    renameSync(part, away)
    const before = readdirSync(sharedDir, { recursive: true }).sort()
    await assert.rejects(startEmbedded({ dataDir: sharedDir }), {
      name: 'EmbeddedProblem',
      message: /not a complete database; nothing in it was changed/,
    })
    assert.deepEqual(readdirSync(sharedDir, { recursive: true }).sort(), before)
    renameSync(away, part)
  }
  await (await startEmbedded({ dataDir: sharedDir })).stop()
})

test("somebody's own files in the place of the cluster are left alone", async () => {
  using folder = createTempFolder()
  const cluster = join(folder.path, 'postgres')
  mkdirSync(cluster)
  writeFileSync(join(cluster, 'notes.txt'), 'mine')

  const refused = startEmbedded({ dataDir: folder.path })

  await assert.rejects(refused, { name: 'EmbeddedProblem', message: /not a complete database/ })
  assert.deepEqual(readdirSync(cluster), ['notes.txt'])
})

// Returns the folders in which a cluster is being made.
function unfinishedFolders(dataDir: string): string[] {
  const names = existsSync(dataDir) ? readdirSync(dataDir) : []
  return names.filter((name) => name !== 'postgres').map((name) => join(dataDir, name))
}
