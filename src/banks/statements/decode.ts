// Unpacks and decodes the bytes of a statement, piece by piece. A byte order mark overrides the configured
// encoding. A file with invalid bytes is refused; invalid bytes are never replaced. Lines are counted, so
// that a problem names its line, and their length is limited.

import { pipeline, Readable } from 'node:stream'
import { TextDecoder } from 'node:util'
import { createGunzip } from 'node:zlib'
import { StatementProblem } from './statement.ts'

export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const
export type Encoding = (typeof ENCODINGS)[number]

export const LINE_CHARS_MAX = 65_536

const MARKS: readonly (readonly [bytes: readonly number[], encoding: Encoding])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
]

// XML may be a single line, so its reader sets no limit here and bounds its memory itself.
export async function* decodeText(
  bytes: AsyncIterable<Uint8Array>,
  { encoding, lineCharsMax = LINE_CHARS_MAX }: { encoding: string; lineCharsMax?: number },
): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined
  const lines = new LineCount(lineCharsMax)
  for await (const chunk of wholeStart(bytes)) {
    decoder ??= new TextDecoder(markedAs(chunk) ?? encoding, { fatal: true })
    const text = decode(decoder, chunk, lines)
    lines.add(text)
    if (text !== '') yield text
  }
  const rest = decoder && decode(decoder, undefined, lines)
  if (rest) yield rest
}

function decode(decoder: TextDecoder, chunk: Uint8Array | undefined, lines: LineCount): string {
  try {
    return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode()
  } catch {
    const line = lines.before(chunk ? sound(decoder.encoding, chunk) : '')
    throw new StatementProblem(line, `The text is not valid ${decoder.encoding.toUpperCase()}.`)
  }
}

// Returns the text before the invalid byte. Skips the rest of a character that began in the previous chunk.
function sound(encoding: string, chunk: Uint8Array): string {
  const start = chunk.findIndex((byte) => (byte & 0xc0) !== 0x80)
  const text = new TextDecoder(encoding).decode(chunk.subarray(Math.max(start, 0)))
  return text.slice(0, Math.max(text.indexOf('\ufffd'), 0))
}

async function* wholeStart(bytes: AsyncIterable<Uint8Array>) {
  let start: Uint8Array | undefined = new Uint8Array(0)
  for await (const chunk of bytes) {
    if (start && start.length + chunk.length < 3) {
      start = Buffer.concat([start, chunk])
      continue
    }
    yield start && start.length > 0 ? Buffer.concat([start, chunk]) : chunk
    start = undefined
  }
  if (start && start.length > 0) yield start
}

function markedAs(chunk: Uint8Array): Encoding | undefined {
  return MARKS.find(([mark]) => mark.every((byte, at) => chunk[at] === byte))?.[1]
}

class LineCount {
  #line = 1
  #chars = 0 // The length of the current line so far.
  readonly #charsMax: number

  constructor(charsMax: number) {
    this.#charsMax = charsMax
  }

  before(text: string): number {
    return this.#line + text.split('\n').length - 1
  }

  add(text: string): void {
    const nul = text.indexOf('\0')
    if (nul >= 0) {
      const line = this.before(text.slice(0, nul))
      throw new StatementProblem(line, 'The text holds a NUL character: is its encoding right?')
    }
    let start = 0
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', start)) {
      this.#refuseLong(at - start)
      this.#line++
      this.#chars = 0
      start = at + 1
    }
    this.#refuseLong(text.length - start)
    this.#chars += text.length - start
  }

  #refuseLong(more: number): void {
    if (this.#chars + more <= this.#charsMax) return
    const message = `A line is longer than ${this.#charsMax} characters.`
    throw new StatementProblem(this.#line, message)
  }
}

// The first bytes of a statement tell whether it is gzip, whatever its name. While unpacking, a small file
// that grows enormous is refused. Gzip within gzip is refused too, because the ratios multiply.

// A million entries of camt.053 are 1 to 2 GB.
const FILE_BYTES_MAX = 4 * 1024 ** 3
// gzip makes statements ten times smaller, and repetitive XML fifty times. The format allows at most 1,032
// times.
const UNPACKED_RATIO_MAX = 200
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

// The first chunk may be too short to tell the format.
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
