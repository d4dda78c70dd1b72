// The commands of README.md and docs/integrating.md are run in a shell, beside a service that runs as their
// reader's does.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startChild } from '../support/child-service.ts'
import { closeAfterTests } from '../support/closing.ts'
import { createPartitionedDatabase } from '../support/database.ts'
import { blocksOf } from '../support/guide-runner.ts'

const ROOT = join(import.meta.dirname, '../..')
const CALLS = 4
const run = promisify(execFile)
const folder = mkdtempSync(join(process.env.TEST_FOLDER as string, 'readme-'))
const database = closeAfterTests(await createPartitionedDatabase())
const service = closeAfterTests(
  await startChild({ folder, env: { DATABASE_URL: database.connectionString } }),
)

// Returns the code blocks of the document that contain these words.
function blocksWith(words: string, document: string): string[] {
  const blocks = blocksOf(readFileSync(join(ROOT, document), 'utf8'))
  return blocks.map(({ content }) => content).filter((content) => content.includes(words))
}

// Runs the blocks in a shell, with the address of this test's service.
async function paste(...blocks: string[]): Promise<string> {
  const script = blocks.join('\n').replaceAll('localhost:8080', new URL(service.url).host)
  return (await run('sh', ['-euc', script])).stdout
}

const [calls = '', ...otherCalls] = blocksWith('curl', 'README.md')

test('the four calls of the README lead to a payment', async () => {
  assert.equal(otherCalls.length, 0)
  assert.equal(calls.match(/\bcurl /g)?.length, CALLS)
  const output = await paste(calls)
  assert.match(output, /"status":"Successful"/)
  assert.match(output, /"amountPaid":6000\b/)
})

test('a smaller amount is a part payment, and the excess of a larger one is in suspense', async () => {
  const pay = (amount: string) => calls.replace(/(\\"amount\\":\\")6000\.00/, `$1${amount}`)
  assert.match(await paste(pay('2000.00')), /"status":"PartPayment"/)
  const suspense = 'curl -s localhost:8080/api/v1/suspense -H "authorization: Bearer $TOKEN"'
  assert.match(await paste(pay('7000.00'), suspense), /"reason":"\w+"/)
})

test('docs/integrating.md continues with the token of the README', async () => {
  const output = await paste(calls, ...blocksWith('curl', 'docs/integrating.md'))
  assert.match(output, /"accountNumber":"\d{10}"/)
})

test('the README says how to start the service and how to test it', () => {
  assert.equal(blocksWith('npm ci && npm start', 'README.md').length, 1)
  assert.equal(blocksWith('npm ci && npm test', 'README.md').length, 1)
})
