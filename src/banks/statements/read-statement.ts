// Reads a statement of any format, packed or not, as a stream of parts. What cannot be read, or does
// not add up, throws a StatementProblem, and then nothing of the file counts.

import type { CsvProfile } from './csv-profile.ts'
import { readCsv } from './read-csv.ts'
import { type StatementFormat, type StatementPart, StatementProblem } from './statement.ts'
import { unpack } from './unpack.ts'

export function readStatement({
  format,
  profile,
  bytes,
}: {
  format: StatementFormat
  profile?: CsvProfile | undefined // Needed for CSV.
  bytes: AsyncIterable<Uint8Array>
}): AsyncIterable<StatementPart> {
  const unpacked = unpack(bytes)
  if (format === 'csv') {
    if (!profile) throw new StatementProblem(null, 'A CSV statement needs a profile.')
    return readCsv(unpacked, profile)
  }
  throw new StatementProblem(null, `Statements in ${format} cannot be read yet.`)
}
