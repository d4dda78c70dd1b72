// The service serves the built web apps with strict headers, and their assets compressed.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { closeAfterTests } from '../support/closing.ts'
import { startTestService } from '../support/running-service.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const SCRIPT = join(import.meta.dirname, '../../scripts/build-web.ts')

const run = promisify(execFile)

const bench = closeAfterTests(await startTestService())

// Returns the path of the dashboard's script, which contains a hash of its content.
async function scriptPath(): Promise<string> {
  const page = await bench.call({ url: '/dashboard', token: null })
  return /src="([^"]+\.js)"/.exec(page.body)?.[1] as string
}

test('a page forbids everything that is not its own, and is never kept', async () => {
  for (const url of ['/dashboard', '/dashboard/', '/dashboard/payments/42']) {
    const { statusCode, headers } = await bench.call({ url, token: null })
    assert.equal(statusCode, 200, url)
    assert.equal(headers['content-type'], 'text/html; charset=utf-8')
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    const policy = String(headers['content-security-policy'])
    for (const rule of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"]) {
      assert(policy.split('; ').includes(rule), rule)
    }
    assert.doesNotMatch(policy, /unsafe|\*|https?:/)
  }
})

test('the address alone leads to the dashboard, and a sandbox’s page names its demo user', async () => {
  const root = await bench.call({ url: '/', token: null })
  const page = await bench.call({ url: '/dashboard', token: null })

  assert.deepEqual([root.statusCode, root.headers.location], [302, '/dashboard'])
  assert.match(page.body, /data-email="demo@sandbox\.example" data-password="sandbox-password"/)
})

test('assets come compressed as the browser likes, and may be kept for ever', async () => {
  const url = await scriptPath()
  const plain = await bench.call({ url, token: null })
  const brotli = await bench.call({ url, token: null, headers: { 'accept-encoding': 'gzip, br' } })
  const gzip = await bench.call({ url, token: null, headers: { 'accept-encoding': 'gzip' } })

  assert.equal(plain.headers['content-encoding'], undefined)
  assert.equal(brotli.headers['content-encoding'], 'br')
  assert.equal(gzip.headers['content-encoding'], 'gzip')
  assert.equal(brotliDecompressSync(brotli.rawPayload).toString(), plain.body)
  assert.equal(gunzipSync(gzip.rawPayload).toString(), plain.body)
  for (const { headers } of [plain, brotli, gzip]) {
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.match(String(headers['content-type']), /javascript/)
    assert.equal(headers['x-content-type-options'], 'nosniff')
  }
})

test('an asset of an earlier build, or outside the folder, is not found, and is no page', async () => {
  const paths = ['gone-1234.js', '..%2fmanifest.json', '..%2f..%2f..%2f..%2fpackage.json']
  for (const path of paths) {
    const answer = await bench.call({ url: `/dashboard/assets/${path}`, token: null })
    assert.doesNotMatch(answer.body, /<html|isEntry|manilla"/, path)
    assert([400, 403, 404].includes(answer.statusCode), `${path} ${answer.statusCode}`)
  }
})

test('several builds at once end with one whole build, and the next has nothing to do', async () => {
  using folder = createTempFolder()
  const build = () => run(process.execPath, [SCRIPT, folder.path])
  await Promise.all([1, 2, 3].map(build))

  const [made = '', ...others] = readdirSync(folder.path).filter((name) => name !== 'web')
  assert.deepEqual(others, [])
  assert.equal(realpathSync(join(folder.path, 'web')), join(folder.path, made))
  const parts = readdirSync(join(folder.path, made))
  assert.deepEqual(parts.sort(), ['checkout', 'checkout-server', 'dashboard', 'reference'])
  const { mtimeMs } = statSync(join(folder.path, made))
  await build()
  assert.equal(statSync(join(folder.path, made)).mtimeMs, mtimeMs)
})
