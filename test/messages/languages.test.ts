// The service starts only if its messages exist in the chosen language.

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import type { Logger } from '#log.ts'
import { findCopy, LANGUAGE_NAMES } from '#messages/render.ts'
import { createService, StartProblem } from '#wiring.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const COPIES = join(import.meta.dirname, '../../src/messages/copy')

test('a service whose messages lack its language does not start, and says which they have', async () => {
  const { clock, database, service } = bench
  const config = { ...bench.config, language: 'tlh' }
  const log = service.app.log as Logger
  await assert.rejects(
    createService({ config, connectionString: database.connectionString, clock, log }),
    (error) => {
      assert(error instanceof StartProblem)
      assert.match(error.message, /MANILLA_LANGUAGE must be .*: en$/)
      return true
    },
  )
})

test('every file of words is a language that can be chosen, under its own tag', () => {
  const files = readdirSync(COPIES).map((name) => basename(name, '.ts'))
  assert.deepEqual(files.toSorted(), LANGUAGE_NAMES.toSorted())
  for (const name of files) assert.equal(findCopy(name)?.language, name)
  assert.equal(findCopy('constructor'), undefined)
})
