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

// Decodes a statement piece by piece. XML may be a single line, so its reader sets no limit here and bounds
// its memory itself.
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
  const lastText = decoder && decode(decoder, undefined, lines)
  if (lastText) yield lastText
}

// Decodes one piece. An invalid byte throws a problem that names its line.
function decode(decoder: TextDecoder, chunk: Uint8Array | undefined, lines: LineCount): string {
  try {
    return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode()
  } catch {
    const line = lines.lineAfter(chunk ? textBeforeFault(decoder.encoding, chunk) : '')
    throw new StatementProblem(line, `The text is not valid ${decoder.encoding.toUpperCase()}.`)
  }
}

// Returns the text of the chunk before the invalid byte, which decodes to the replacement character U+FFFD.
// Skips the rest of a character that began in the previous chunk: in UTF-8, bytes from 0x80 to 0xbf.
function textBeforeFault(encoding: string, chunk: Uint8Array): string {
  const start = chunk.findIndex((byte) => (byte & 0xc0) !== 0x80)
  const text = new TextDecoder(encoding).decode(chunk.subarray(Math.max(start, 0)))
  return text.slice(0, Math.max(text.indexOf('\ufffd'), 0))
}

// Makes sure that the first chunk has at least three bytes, enough for a byte order mark.
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

// Returns the encoding that a byte order mark shows, if there is one.
function markedAs(chunk: Uint8Array): Encoding | undefined {
  return MARKS.find(([mark]) => mark.every((byte, index) => chunk[index] === byte))?.[1]
}

// Counts the lines of a text, and refuses lines that are too long and NUL characters.
class LineCount {
  #line = 1
  #chars = 0 // The length of the current line so far.
  readonly #charsMax: number

  constructor(charsMax: number) {
    this.#charsMax = charsMax
  }

  // Returns the number of the line that follows this text. The text itself is not counted yet.
  lineAfter(text: string): number {
    return this.#line + text.split('\n').length - 1
  }

  // Counts the line ends of the next piece of the text.
  add(text: string): void {
    const nul = text.indexOf('\0')
    if (nul >= 0) {
      const line = this.lineAfter(text.slice(0, nul))
      throw new StatementProblem(line, 'The text holds a NUL character: is its encoding right?')
    }
    let start = 0
    for (let index = text.indexOf('\n'); index >= 0; index = text.indexOf('\n', start)) {
      this.#refuseLong(index - start)
      this.#line++
      this.#chars = 0
      start = index + 1
    }
    this.#refuseLong(text.length - start)
    this.#chars += text.length - start
  }

  #refuseLong(addedChars: number): void {
    if (this.#chars + addedChars <= this.#charsMax) return
    const message = `A line is longer than ${this.#charsMax} characters.`
    throw new StatementProblem(this.#line, message)
  }
}

// unpack() looks at the first bytes of a statement to see whether it is gzip, because names of files are
// unreliable. While unpacking, a small file that grows enormous is refused. Gzip within gzip is refused too,
// because the ratios multiply.

// A million entries of camt.053 are 1 to 2 GB.
const FILE_BYTES_MAX = 4 * 1024 ** 3
// gzip makes statements ten times smaller, and repetitive XML fifty times. The format allows at most 1,032
// times.
const UNPACKED_RATIO_MAX = 200
const RATIO_CHECKED_FROM = 1024 ** 2

const MAGIC_LENGTH = 4
const WRONG_FORMATS: readonly (readonly [bytes: readonly number[], message: string])[] = [
  [
    [0x50, 0x4b, 0x03, 0x04],
    'The file is a ZIP archive or an Excel workbook. Send the statement itself, as text or gzip.',
  ],
  [[0xd0, 0xcf, 0x11, 0xe0], 'The file is an Excel workbook. Export the statement as CSV.'],
  [[0x25, 0x50, 0x44, 0x46], 'The file is a PDF. Export the statement as CSV, MT940 or camt.053.'],
]

type Count = { bytes: number }

// Unpacks a file if it is gzip. Refuses an empty file and other formats, with advice for the operator.
export async function* unpack(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const packed: Count = { bytes: 0 }
  const source = counted(bytes, packed)
  const first = await firstBytes(source)
  if (first.length === 0) throw new StatementProblem(null, 'The file is empty.')
  const wrongFormat = WRONG_FORMATS.find(([start]) =>
    start.every((byte, index) => first[index] === byte),
  )
  if (wrongFormat) throw new StatementProblem(null, wrongFormat[1])
  const wholeFile = rejoin(first, source)
  yield* isGzip(first) ? refuseNestedGzip(gunzip(wholeFile, packed)) : wholeFile
}

function isGzip([first, second]: Uint8Array): boolean {
  return first === 0x1f && second === 0x8b
}

// Yields the unpacked file, and refuses gzip within gzip.
async function* refuseNestedGzip(unpacked: AsyncGenerator<Uint8Array>) {
  const first = await firstBytes(unpacked)
  if (isGzip(first)) {
    throw new StatementProblem(
      null,
      'The gzip file holds another gzip file. Pack the statement once.',
    )
  }
  yield* rejoin(first, unpacked)
}

// Counts the bytes that pass, and refuses a file that is too large.
async function* counted(bytes: AsyncIterable<Uint8Array>, count: Count) {
  for await (const chunk of bytes) {
    count.bytes += chunk.length
    refuseLarge(count)
    yield chunk
  }
}

// Reads until there are enough bytes to tell the format, because the first chunk may be too short.
async function firstBytes(source: AsyncGenerator<Uint8Array>): Promise<Uint8Array> {
  let first: Uint8Array = new Uint8Array(0)
  while (first.length < MAGIC_LENGTH) {
    const { value, done } = await source.next()
    if (done) return first
    first = Buffer.concat([first, value])
  }
  return first
}

// Yields bytes that were already read, and then the remaining ones.
async function* rejoin(first: Uint8Array, remaining: AsyncGenerator<Uint8Array>) {
  yield first
  yield* remaining
}

// Unpacks, and refuses a file that grows too much.
async function* gunzip(bytes: AsyncIterable<Uint8Array>, packed: Count) {
  const unpacked: Count = { bytes: 0 }
  let sourceError: Error | undefined // An error while reading the file, not of the gzip data.
  const source = Readable.from(bytes, { objectMode: false })
  source.on('error', (error) => {
    sourceError = error
  })
  const unpackedChunks = pipeline(source, createGunzip({ chunkSize: 65_536 }), () => {})
  try {
    for await (const chunk of unpackedChunks as AsyncIterable<Uint8Array>) {
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
    if (sourceError || error instanceof StatementProblem) throw sourceError ?? error
    const isZlib = (error as NodeJS.ErrnoException).code?.startsWith('Z_')
    throw isZlib ? new StatementProblem(null, 'The gzip file is damaged or cut off.') : error
  }
}

function refuseLarge({ bytes }: Count): void {
  if (bytes <= FILE_BYTES_MAX) return
  const gigabytes = FILE_BYTES_MAX / 1024 ** 3
  throw new StatementProblem(null, `The file is larger than ${gigabytes} GiB unpacked.`)
}
