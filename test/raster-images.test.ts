// Reads an image's kind and size from any bytes, without ever throwing an error.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readRasterImage } from '#payments/branding.ts'
import { jpeg, png, webp } from './support/logos.ts'

const side = fc.integer({ min: 1, max: 16_383 })

test('the size of every image is what its header says', () => {
  fc.assert(
    fc.property(side, side, (width, height) => {
      const size = { width, height }
      assert.deepEqual(readRasterImage(jpeg(size)), { mediaType: 'image/jpeg', ...size })
      for (const kind of ['VP8 ', 'VP8L', 'VP8X'] as const) {
        assert.deepEqual(readRasterImage(webp(kind, size)), { mediaType: 'image/webp', ...size })
      }
    }),
  )
  const size = { width: 21, height: 34 }
  assert.deepEqual(readRasterImage(png(size)), { mediaType: 'image/png', ...size })
})

test('bytes that are cut off, changed or made up are read without an error', () => {
  const size = { width: 200, height: 100 }
  const images = [
    png(size),
    jpeg(size),
    ...(['VP8 ', 'VP8L', 'VP8X'] as const).map((kind) => webp(kind, size)),
  ]
  const whole = fc.constantFrom(...images)
  // Images in which one of the first 61 bytes has another value.
  const changed = fc.tuple(whole, fc.nat(60), fc.nat(255)).map(([bytes, at, value]) => {
    const other = Buffer.from(bytes)
    other[at % other.length] = value
    return other
  })
  const cut = fc.tuple(whole, fc.nat(60)).map(([bytes, length]) => bytes.subarray(0, length))
  const random = fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes))
  const prefixed = fc.tuple(whole, random).map(([bytes, more]) => {
    return Buffer.concat([bytes.subarray(0, 4), more])
  })
  fc.assert(
    fc.property(fc.oneof(changed, cut, random, prefixed), (bytes) => {
      const image = readRasterImage(bytes)
      assert(image === undefined || (image.width >= 0 && image.height >= 0))
    }),
    { numRuns: 2_000 },
  )
})

test('a JPEG whose segments say that they are empty ends', () => {
  const empty = Buffer.alloc(32_768, Buffer.from([0xff, 0xe0, 0, 0]))
  empty.writeUInt16BE(0xffd8, 0)
  assert.equal(readRasterImage(empty), undefined)
})
