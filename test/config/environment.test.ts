// The environment, and the file .env in the working folder.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ConfigProblem, readEnvironment } from '#config/config.ts'
import { createTempFolder } from '../support/temp-folder.ts'

test('a .env file is read, and the real environment wins over it', () => {
  using folder = createTempFolder()
  writeFileSync(join(folder.path, '.env'), 'PORT=1\nHOST="::1" # here\n')

  const env = readEnvironment(folder.path, { PORT: '2' })

  assert.deepEqual(env, { PORT: '2', HOST: '::1' })
})

test('no .env file is fine, one that cannot be read is a problem', () => {
  using folder = createTempFolder()

  assert.deepEqual(readEnvironment(folder.path, { PORT: '2' }), { PORT: '2' })
  assert.throws(() => readEnvironment('/dev/null', {}), ConfigProblem)
})
