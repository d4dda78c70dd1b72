// A sandbox creates its secrets once. If it lost them, or created them twice, encrypted data would become
// unreadable.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ConfigProblem, loadConfig } from '#config/config.ts'
import {
  addDataKey,
  findSecrets,
  makeSecrets,
  readDataKeys,
  secretsPath,
} from '#config/secrets-file.ts'

const PROCESSES = 4

test('the first start creates secrets, and every later start finds the same ones', () => {
  using folder = temporaryFolder()

  const first = loadConfig({ MANILLA_DATA_DIR: folder.dataDir }, 'serve')
  const second = loadConfig({ MANILLA_DATA_DIR: folder.dataDir }, 'serve')

  assert.deepEqual(second.secrets, first.secrets)
  const { token, data, hash } = first.secrets
  assert.equal(new Set([token[0], data[0]?.key, hash].map((key) => key?.toString('hex'))).size, 3)
})

for (const umask of [0o000, 0o077]) {
  test(`the file is for its owner, the folder may be passed, with umask ${umask}`, () => {
    using folder = temporaryFolder()
    const before = process.umask(umask)

    makeSecrets(folder.dataDir)

    process.umask(before)
    assert.equal(statSync(secretsPath(folder.dataDir)).mode & 0o777, 0o600)
    assert.equal(statSync(folder.dataDir).mode & 0o777, 0o755)
    assert.deepEqual(readdirSync(folder.dataDir), ['secrets.json'])
  })
}

test('a folder that was there keeps its mode', () => {
  using folder = temporaryFolder()
  chmodSync(folder.path, 0o700)

  makeSecrets(folder.path)

  assert.equal(statSync(folder.path).mode & 0o777, 0o700)
})

test('the second process uses the secrets of the first', () => {
  using folder = temporaryFolder()

  const first = makeSecrets(folder.dataDir)

  assert.deepEqual(makeSecrets(folder.dataDir), first)
  assert.deepEqual(findSecrets(folder.dataDir), first)
})

test('a new data key comes first, and no other secret changes', () => {
  using folder = temporaryFolder()
  const before = makeSecrets(folder.dataDir)

  const keys = addDataKey(folder.dataDir)

  assert.deepEqual(
    keys.map(({ id }) => id),
    [2, 1],
  )
  const after = findSecrets(folder.dataDir)
  const [, old] = after?.MANILLA_DATA_KEYS.split(',') ?? []
  assert.deepEqual({ ...after, MANILLA_DATA_KEYS: old }, before)
  assert.equal(statSync(secretsPath(folder.dataDir)).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(folder.dataDir), ['secrets.json'])
  assert.deepEqual(readDataKeys(folder.dataDir), keys)
})

test('ids of data keys begin again at 1, skip those in use, and run out', () => {
  using folder = temporaryFolder()
  const secrets = makeSecrets(folder.dataDir)
  // Rewrites the secrets file with data keys of these ids.
  const storeKeys = (ids: number[]) => {
    const key = secrets.MANILLA_DATA_KEYS.split(':')[1]
    const texts = { ...secrets, MANILLA_DATA_KEYS: ids.map((id) => `${id}:${key}`).join() }
    writeFileSync(secretsPath(folder.dataDir), JSON.stringify(texts))
  }

  storeKeys([255, 1, 2])
  assert.equal(addDataKey(folder.dataDir)[0]?.id, 3)

  storeKeys(Array.from({ length: 255 }, (_, at) => at + 1))
  assert.throws(() => addDataKey(folder.dataDir), /remove unused ones/)
})

test('processes that start at once end with the same secrets', async () => {
  using folder = temporaryFolder()
  const children = Array.from({ length: PROCESSES }, () => startMaker(folder.dataDir))
  await Promise.all(children.map(nextMessage))

  for (const child of children) child.send('go')
  const answers = await Promise.all(children.map(nextMessage))
  await Promise.all(children.map((child) => child.exitCode ?? once(child, 'exit')))

  const stored = findSecrets(folder.dataDir)
  assert.deepEqual(answers, Array(PROCESSES).fill(stored))
  assert.deepEqual(readdirSync(folder.dataDir), ['secrets.json'])
})

test('a secret in the environment wins over the stored one', () => {
  using folder = temporaryFolder()
  makeSecrets(folder.dataDir)
  const key = Buffer.alloc(32, 'k')

  const env = { MANILLA_DATA_DIR: folder.dataDir, MANILLA_HASH_KEY: key.toString('base64') }
  const { secrets } = loadConfig(env, 'serve')

  assert.deepEqual(secrets.hash, key)
  assert.equal(`1:${secrets.data[0]?.key.toString('base64')}`, stored(folder).MANILLA_DATA_KEYS)
})

test('no secrets are written while a setting is invalid', () => {
  using folder = temporaryFolder()

  assert.throws(
    () => loadConfig({ MANILLA_DATA_DIR: folder.dataDir, PORT: 'x' }, 'serve'),
    ConfigProblem,
  )

  assert.deepEqual(readdirSync(folder.path), [])
})

for (const [what, content] of [
  ['torn', '{"MANILLA_HASH_KEY": "hunter2'],
  ['empty', ''],
  ['of another kind', 'null'],
  ['short of a secret', '{"MANILLA_HASH_KEY": "hunter2"}'],
] as const) {
  test(`a file of secrets that is ${what} is told along with the rest, and left alone`, () => {
    using folder = temporaryFolder()
    writeFileSync(secretsPath(folder.path), content)

    assert.throws(
      () => loadConfig({ MANILLA_DATA_DIR: folder.path, PORT: 'x' }, 'serve'),
      (error) =>
        error instanceof ConfigProblem &&
        error.problems.length === 2 &&
        error.message.includes('secrets.json') &&
        !error.message.includes('hunter2'),
    )
    assert.equal(statSync(secretsPath(folder.path)).size, content.length)
  })
}

test('a data folder that cannot be created is reported in plain words', () => {
  assert.throws(
    () => loadConfig({ MANILLA_DATA_DIR: '/dev/null/data' }, 'serve'),
    (error) => error instanceof ConfigProblem && error.message.includes('MANILLA_DATA_DIR'),
  )
})

// Starts a process that creates the secrets when it gets a message, and sends them back.
function startMaker(dataDir: string): ChildProcess {
  const module = JSON.stringify(join(import.meta.dirname, '../../src/config/secrets-file.ts'))
  const code = `
    const { makeSecrets } = await import(${module})
    process.once('message', () => {
      process.send(makeSecrets(${JSON.stringify(dataDir)}), () => process.disconnect())
    })
    process.send('ready')
  `
  return spawn(process.execPath, ['--input-type=module', '--eval', code], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
}

// Waits for a message of the process, and fails if it exits before.
async function nextMessage(child: ChildProcess): Promise<unknown> {
  const died = once(child, 'exit').then(() => assert.fail('a process died'))
  const [message] = await Promise.race([once(child, 'message'), died])
  died.catch(() => {})
  return message
}

// Returns the secrets that are stored in the folder, which must exist.
function stored(folder: { dataDir: string }) {
  const secrets = findSecrets(folder.dataDir)
  assert(secrets)
  return secrets
}

// Creates a temporary folder. `dataDir` in it does not exist yet.
function temporaryFolder() {
  const path = mkdtempSync(join(tmpdir(), 'manilla-secrets-'))
  return {
    path,
    dataDir: join(path, 'data'),
    [Symbol.dispose]: () => rmSync(path, { recursive: true }),
  }
}
