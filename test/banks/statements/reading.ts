// Reads statements for tests: from text, bytes or a sample file, at once or in chunks of any size.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CsvProfile, loadProfiles, readProfile } from '#banks/statements/csv-profile.ts'
import { readStatement } from '#banks/statements/read-statement.ts'
import {
  type StatementEnd,
  type StatementFormat,
  type StatementHead,
  type StatementLine,
  StatementProblem,
} from '#banks/statements/statement.ts'

export type Read = { head: StatementHead; lines: StatementLine[]; end: StatementEnd }
export type StatementInput = {
  format: StatementFormat
  profile?: CsvProfile | undefined
  bytes: string | Uint8Array
  chunkBytes?: number
}

// Reads all statements of a file. Fails if the reader's parts are in the wrong order.
export async function readAll(input: StatementInput): Promise<Read[]> {
  const statements: Read[] = []
  let open: Omit<Read, 'end'> | undefined
  for await (const part of readStatement({ ...input, bytes: chunks(input) })) {
    if (part.part === 'opening') {
      if (open) throw new Error('A statement opens within another.')
      open = { head: part.statement, lines: [] }
    } else if (!open) {
      throw new Error('A part stands outside of a statement.')
    } else if (part.part === 'lines') {
      open.lines.push(...part.lines)
    } else {
      statements.push({ ...open, end: part.closing })
      open = undefined
    }
  }
  if (open) throw new Error('A statement does not close.')
  return statements
}

// Reads a file that must have exactly one statement.
export async function readOne(input: StatementInput): Promise<Read> {
  const statements = await readAll(input)
  if (statements.length !== 1) throw new Error(`There are ${statements.length} statements.`)
  return statements[0] as Read
}

// Returns a line as one text: number, day, amount, kind and identifiers.
export function summary(line: StatementLine): string {
  const { lineNo, bookedOn, amountKobo, kind, isReversal } = line
  const ids = [line.sessionId, line.bankReference, line.endToEndId, line.accountNumber]
  const texts = ids.map((id) => id ?? '-')
  const mark = isReversal ? ['reversal'] : []
  return [lineNo, bookedOn, amountKobo, kind, ...mark, ...texts].join(' ')
}

// Returns the problem that refuses the file as "line: message", or "read" if there is none.
export async function problemOf(input: StatementInput): Promise<string> {
  try {
    await readAll(input)
    return 'read'
  } catch (error) {
    if (!(error instanceof StatementProblem)) throw error
    return `${error.line ?? '-'}: ${error.message}`
  }
}

export function sample(name: string): Buffer {
  return readFileSync(join(import.meta.dirname, 'samples', name))
}

// Returns the CSV profile with this name that Manilla ships.
export function shipped(name: string): CsvProfile {
  const loaded = loadProfiles().profiles.get(name)
  if (!loaded) throw new Error(`There is no profile ${name}.`)
  return loaded.profile
}

// Returns a simple CSV profile with these fields changed.
export function profileOf(fields: Record<string, unknown> = {}): CsvProfile {
  const read = readProfile({
    name: 'test',
    title: 'Test',
    columns: { booked: 'date', amount: 'amount', narration: 'text' },
    dateFormats: ['yyyy-MM-dd'],
    balances: 'none',
    ...fields,
  })
  if ('problems' in read) throw new Error(read.problems.join(' '))
  return read.profile
}

// Yields the bytes of a statement in pieces of `chunkBytes`.
async function* chunks({ bytes, chunkBytes = 65_536 }: StatementInput) {
  const all = Buffer.from(bytes as string)
  for (let at = 0; at < all.length; at += chunkBytes) yield all.subarray(at, at + chunkBytes)
}
