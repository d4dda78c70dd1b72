// Runs `npm run new-connector acme`. The new connector is registered, shares no code with the template, and
// passes the tests of the connector suite that need no database.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { newConnector } from '../scripts/new-connector.ts'
import { PASSED_ON } from './support/child-service.ts'
import { createTempFolder } from './support/temp-folder.ts'

const ROOT = join(import.meta.dirname, '..')
const COPIED = ['package.json', 'src', 'fake-bank', 'test/banks', 'test/support', 'scripts']

// Creates a checkout in a temporary folder: copies the folders that the script changes, and links all other
// folders.
function createCheckout() {
  const folder = createTempFolder()
  for (const path of COPIED) {
    cpSync(join(ROOT, path), join(folder.path, path), { recursive: true })
  }
  for (const path of ['node_modules', 'db', 'sdk', 'web', 'statement-profiles']) {
    symlinkSync(join(ROOT, path), join(folder.path, path))
  }
  return folder
}

test('a new connector is a copy of the template that the suite runs and finds right', () => {
  using checkout = createCheckout()
  const paths = newConnector(checkout.path, 'acme')

  assert.deepEqual(paths, [
    'src/banks/acme/connector.ts',
    'src/banks/acme/notifications.ts',
    'test/banks/acme/conformance-case.ts',
    'test/banks/samples/acme/transfer.json',
    'fake-bank/dialects/acme.ts',
    'fake-bank/contracts/acme.json',
  ])
  for (const path of paths) {
    assert.doesNotMatch(readFileSync(join(checkout.path, path), 'utf8'), /template/i, path)
  }
  const tests = ['contracts', 'outgoing-calls', 'signed-fields'].map(
    (name) => `test/banks/${name}.test.ts`,
  )
  const output = execFileSync(
    process.execPath,
    ['--test', '--test-reporter=tap', '--test-name-pattern=^acme[:,]', ...tests],
    { cwd: checkout.path, env: PASSED_ON, encoding: 'utf8' },
  )
  assert.match(output, /^# fail 0$/m)
  const [, passed = '0'] = /^# pass (\d+)$/m.exec(output) ?? []
  assert(Number(passed) > 20, `${passed} tests passed`)
})

test('nothing is overwritten, and a name that cannot be one is refused', () => {
  using checkout = createCheckout()
  const registry = join(checkout.path, 'src/banks/connectors.ts')
  const before = readFileSync(registry, 'utf8')
  assert.throws(
    () => newConnector(checkout.path, 'squad'),
    /^Error: src\/banks\/squad\/connector\.ts exists: choose another name, or remove it\.$/,
  )
  for (const name of ['', 'a', 'Acme', 'acme-bank', '../acme', '1st', 'ä'.repeat(3)]) {
    assert.throws(() => newConnector(checkout.path, name), /^Error: The name must be 2 to 30/, name)
  }
  assert.equal(readFileSync(registry, 'utf8'), before)
})
