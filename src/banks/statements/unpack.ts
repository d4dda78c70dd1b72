// The bytes of a statement, unpacked when they are gzip (by their first bytes, whatever the name
// says). A small file that unpacks to an enormous one is refused while it unpacks, and so is gzip within
// gzip, which would have the ratio of both.

import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { StatementProblem } from './statement.ts'

// A million entries of camt.053 are 1 to 2 GB.
export const FILE_BYTES_MAX = 4 * 1024 ** 3
// Statements shrink to a tenth, repetitive XML to a fiftieth. gzip itself can reach 1,032.
export const UNPACKED_RATIO_MAX = 200
const RATIO_CHECKED_FROM = 1024 ** 2

const MAGIC_LENGTH = 4
const OTHERS: readonly (readonly [bytes: readonly number[], message: string])[] = [
  [
    [0x50, 0x4b, 0x03, 0x04],
    'The file is a ZIP archive or an Excel workbook. Send the statement itself, as text or gzip.',
  ],
  [[0xd0, 0xcf, 0x11, 0xe0], 'The file is an Excel workbook. Export the statement as CSV.'],
  [[0x25, 0x50, 0x44, 0x46], 'The file is a PDF. Export the statement as CSV, MT940 or camt.053.'],
]

type Count = { bytes: number }

export async function* unpack(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const packed: Count = { bytes: 0 }
  const source = counted(bytes, packed)
  const first = await firstBytes(source)
  if (first.length === 0) throw new StatementProblem(null, 'The file is empty.')
  const other = OTHERS.find(([start]) => start.every((byte, at) => first[at] === byte))
  if (other) throw new StatementProblem(null, other[1])
  const all = rejoin(first, source)
  yield* isGzip(first) ? once(gunzip(all, packed)) : all
}

function isGzip([first, second]: Uint8Array): boolean {
  return first === 0x1f && second === 0x8b
}

async function* once(unpacked: AsyncGenerator<Uint8Array>) {
  const first = await firstBytes(unpacked)
  if (isGzip(first)) {
    throw new StatementProblem(
      null,
      'The gzip file holds another gzip file. Pack the statement once.',
    )
  }
  yield* rejoin(first, unpacked)
}

async function* counted(bytes: AsyncIterable<Uint8Array>, count: Count) {
  for await (const chunk of bytes) {
    count.bytes += chunk.length
    refuseLarge(count)
    yield chunk
  }
}

// A first chunk may be shorter than what tells the format.
async function firstBytes(source: AsyncGenerator<Uint8Array>): Promise<Uint8Array> {
  let first: Uint8Array = new Uint8Array(0)
  while (first.length < MAGIC_LENGTH) {
    const { value, done } = await source.next()
    if (done) return first
    first = Buffer.concat([first, value])
  }
  return first
}

async function* rejoin(first: Uint8Array, rest: AsyncGenerator<Uint8Array>) {
  yield first
  yield* rest
}

async function* gunzip(bytes: AsyncIterable<Uint8Array>, packed: Count) {
  const unpacked: Count = { bytes: 0 }
  let failure: Error | undefined
  const source = Readable.from(bytes, { objectMode: false })
  source.on('error', (error) => {
    failure = error
  })
  const gunzip = pipeline(source, createGunzip({ chunkSize: 65_536 }), () => {})
  try {
    for await (const chunk of gunzip as AsyncIterable<Uint8Array>) {
      unpacked.bytes += chunk.length
      refuseLarge(unpacked)
      if (
        unpacked.bytes > RATIO_CHECKED_FROM &&
        unpacked.bytes > packed.bytes * UNPACKED_RATIO_MAX
      ) {
        const message = `The gzip file unpacks to more than ${UNPACKED_RATIO_MAX} times its size.`
        throw new StatementProblem(null, message)
      }
      yield chunk
    }
  } catch (error) {
    if (failure || error instanceof StatementProblem) throw failure ?? error
    const isZlib = (error as NodeJS.ErrnoException).code?.startsWith('Z_')
    throw isZlib ? new StatementProblem(null, 'The gzip file is damaged or cut off.') : error
  }
}

function refuseLarge({ bytes }: Count): void {
  if (bytes <= FILE_BYTES_MAX) return
  const gigabytes = FILE_BYTES_MAX / 1024 ** 3
  throw new StatementProblem(null, `The file is larger than ${gigabytes} GiB unpacked.`)
}
