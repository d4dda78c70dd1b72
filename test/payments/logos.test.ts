// A client's logo: the service accepts only small raster images and serves them only as images.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, createAdvice, dataOf } from '../support/fixtures.ts'
import { jpeg, png, RINGS, webp } from '../support/logos.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const BRANDING = '/api/v1/branding'
const BYTES_MAX = 32_768

// Sets the logo, which is base64.
const put = (logo: unknown, token?: string) => {
  const body = { name: null, colour: null, logo }
  return bench.call({ method: 'PUT', url: BRANDING, body, ...(token ? { token } : {}) })
}
const putBytes = (bytes: Buffer, token?: string) => put(bytes.toString('base64'), token)
const read = async () => dataOf(await bench.call({ url: BRANDING })).logo
const get = (path: string) => bench.call({ url: path, token: null })

const IMAGES: readonly (readonly [string, Buffer])[] = [
  ['image/png', RINGS],
  ['image/jpeg', jpeg({ width: 200, height: 100 })],
  ['image/webp', webp('VP8 ', { width: 200, height: 100 })],
  ['image/webp', webp('VP8L', { width: 200, height: 100 })],
  ['image/webp', webp('VP8X', { width: 200, height: 100 })],
]

for (const [mediaType, bytes] of IMAGES) {
  test(`${mediaType} of ${bytes.length} bytes is kept as it is and served as that`, async () => {
    const { logo } = dataOf(await putBytes(bytes))

    assert.deepEqual(await read(), logo)
    assert.deepEqual([logo.width / logo.height], [mediaType === 'image/png' ? 3 : 2])
    const { statusCode, headers, rawPayload } = await get(logo.path)
    assert.equal(statusCode, 200)
    assert.deepEqual(rawPayload, bytes)
    assert.equal(headers['content-type'], mediaType)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['content-security-policy'], "default-src 'none'; sandbox")
    assert.match(String(headers['cache-control']), /immutable/)
  })
}

test('the page shows the logo instead of the first letter, and nothing once it is removed', async () => {
  const { logo } = dataOf(await putBytes(RINGS))
  const { adviceReference } = await createAdvice(bench)
  const url = `/pay?adviceReference=${adviceReference}`
  const status = `/pay/api/status?adviceReference=${adviceReference}`

  const tag = `<img class="logo" src="${logo.path}" width="240" height="80" alt="">`
  assert((await get(url)).body.includes(tag))
  assert.deepEqual(dataOf(await get(status)).logo, logo)
  await put(null)
  assert.doesNotMatch((await get(url)).body, /class="logo"/)
  assert.match((await get(url)).body, /class="mark"/)
  assertRefused(await get(logo.path), { status: 404, code: 'route_not_found' })
})

test('an omitted logo stays; the audit log names logos by their hash', async () => {
  const { logo } = dataOf(await putBytes(RINGS))
  await putBytes(RINGS)
  const body = { name: 'Ada’s Shoes', colour: null }
  await bench.call({ method: 'PUT', url: BRANDING, body })

  assert.deepEqual(await read(), logo)
  const { rows } = await bench.db.query(
    `select detail from audit_log where action = 'branding.set' order by id desc limit 2`,
  )
  const logoSha256 = logo.path.split('/').at(-1)
  const [named, stored] = [body, { name: null, colour: null, logoSha256 }]
  assert.deepEqual(rows, [{ detail: named }, { detail: stored }])
})

test('two clients may have the same logo, and each removes its own', async () => {
  const token = await bench.newClient('OTHER1')
  const { logo } = dataOf(await putBytes(RINGS))
  await putBytes(RINGS, token)

  await put(null)
  assert.equal((await get(logo.path)).statusCode, 200)
  await put(null, token)
  assert.equal((await get(logo.path)).statusCode, 404)
})

const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
const padded = (bytes: Buffer, length: number) =>
  Buffer.concat([bytes, Buffer.alloc(length - bytes.length)])

const REFUSED: readonly (readonly [string, unknown])[] = [
  ['nothing', ''],
  ['a number', 1],
  ['not base64', 'https://shop.example/logo.png'],
  ['base64 with a line break', `${RINGS.toString('base64').slice(0, 76)}\n`],
  ['an SVG', SVG.toString('base64')],
  ['a page that says it is a PNG', Buffer.from('\x89PNG <html>', 'latin1').toString('base64')],
  ['a PNG cut off', RINGS.subarray(0, 20).toString('base64')],
  ['a JPEG cut off', jpeg({ width: 200, height: 100 }).subarray(0, 24).toString('base64')],
  ['a PNG too wide', png({ width: 1_025, height: 16 }).toString('base64')],
  ['a JPEG that unpacks to a gigabyte', jpeg({ width: 65_535, height: 16 }).toString('base64')],
  ['a WebP too high', webp('VP8X', { width: 16, height: 16_000 }).toString('base64')],
  ['a dot', png({ width: 1, height: 1 }).toString('base64')],
  ['a byte too many', padded(RINGS, BYTES_MAX + 1).toString('base64')],
]

for (const [what, logo] of REFUSED) {
  test(`${what} is refused and changes nothing`, async () => {
    const before = await read()
    const answer = await put(logo)
    assertRefused(answer, { status: 400, code: 'invalid_request' })
    assert.deepEqual(
      answer.json().errors.map(({ field }: { field: string }) => field),
      ['logo'],
    )
    assert.deepEqual(await read(), before)
  })
}

test('the largest logo is taken; a body larger than any is refused as such', async () => {
  dataOf(await putBytes(padded(RINGS, BYTES_MAX)))
  const answer = await put('A'.repeat(70_000))
  assertRefused(answer, { status: 413, code: 'body_too_large' })
})

test('a URL without a logo is answered like any unknown URL', async () => {
  for (const path of ['a', '0'.repeat(64), '0'.repeat(65), `${'0'.repeat(63)}G`]) {
    const answer = await get(`/pay/logos/${path}`)
    assertRefused(answer, { status: 404, code: 'route_not_found' })
  }
})
