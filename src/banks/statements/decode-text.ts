// The text of a statement, from its bytes, piece by piece. A byte order mark decides over the
// encoding that was said; bytes that are not of the encoding are refused, never replaced.
//
// Lines are counted on the way: a fault names its line, and no line grows without bound.

import { TextDecoder } from 'node:util'
import { StatementProblem } from './statement.ts'

export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const
export type Encoding = (typeof ENCODINGS)[number]

export const LINE_CHARS_MAX = 65_536

const MARKS: readonly (readonly [bytes: readonly number[], encoding: Encoding])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
]

// XML may be written as one line; its own reader bounds what it keeps.
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

// What comes before the fault, roughly: the chunk may begin within a character.
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
  #chars = 0 // Of the line that is open.
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
