// The fields of an MT940 file, each with the line that it begins on: ":61:…" and the lines below it
// up to the next tag. SWIFT's block headers, and whatever a bank writes around messages, are left
// out.
//
// Each line is UTF-8 or, where it is not, Windows-1252: the format names no encoding, and one file
// may mix both.

import { isUtf8 } from 'node:buffer'
import { LINE_CHARS_MAX } from './decode-text.ts'
import { StatementProblem } from './statement.ts'

export type Mt940Field = { tag: string; lines: string[]; line: number }

const TAG = /^:([0-9]{2}[A-Z]?|NS):(.*)$/
// "{1:F01…}{2:I940…}{4:" and then the first tag, on the same line or the next.
const BLOCKS = /^\{[1-4]:.*?\{4:|^\{4:/
const END = /^-(?:\}.*|X{3})?$/
const FIELD_LINES_MAX = 200
const LINE_END = /\r\n|\n|\r/
const latin = new TextDecoder('windows-1252')

export async function* readFields(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Mt940Field> {
  let field: Mt940Field | undefined
  for await (const { text, line } of readLines(bytes)) {
    const plain = text.replace(BLOCKS, '')
    const tag = TAG.exec(plain)
    if (tag) {
      if (field) yield field
      field = { tag: tag[1] as string, lines: [(tag[2] as string).trimEnd()], line }
    } else if (END.test(plain) || text.startsWith('{')) {
      if (field) yield field
      field = undefined
    } else if (field) {
      if (field.lines.push(plain.trimEnd()) > FIELD_LINES_MAX) {
        throw new StatementProblem(line, `A field has more than ${FIELD_LINES_MAX} lines.`)
      }
    }
  }
  if (field) yield field
}

async function* readLines(bytes: AsyncIterable<Uint8Array>) {
  let line = 1
  let rest = ''
  for await (const chunk of bytes) {
    const read = rest + Buffer.from(chunk).toString('latin1')
    // A CR at the end of a chunk may be half of a CR LF.
    const end = read.endsWith('\r') ? read.length - 1 : read.length
    const lines = read.slice(0, end).split(LINE_END)
    rest = (lines.pop() as string) + read.slice(end)
    for (const text of lines) yield { text: decoded(text, line), line: line++ }
    refuseLong(rest, line)
  }
  for (const text of rest.split(LINE_END)) yield { text: decoded(text, line), line: line++ }
}

function decoded(text: string, line: number): string {
  refuseLong(text, line)
  if (text.includes('\0')) {
    throw new StatementProblem(line, 'The text holds a NUL character: it must be UTF-8 or Latin-1.')
  }
  if (!/[\x80-\xff]/.test(text)) return text
  const raw = Buffer.from(text, 'latin1')
  return isUtf8(raw) ? raw.toString('utf8').replace(/^\ufeff/, '') : latin.decode(raw)
}

function refuseLong(text: string, line: number): void {
  if (text.length <= LINE_CHARS_MAX) return
  throw new StatementProblem(line, `A line is longer than ${LINE_CHARS_MAX} characters.`)
}
