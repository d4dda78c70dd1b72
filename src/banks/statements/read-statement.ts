// Reads a statement of any format, packed or not, as a stream of parts.

import type { CsvProfile } from './csv-profile.ts'
import { unpack } from './decode.ts'
import { readCamt053 } from './read-camt053.ts'
import { readCsv } from './read-csv.ts'
import { readMt940 } from './read-mt940.ts'
import { type StatementFormat, type StatementPart, StatementProblem } from './statement.ts'

// Yields the parts of a file. Throws a StatementProblem if the file cannot be read or does not add up. The
// caller must then discard all parts of the file.
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
  return format === 'mt940' ? readMt940(unpacked) : readCamt053(unpacked)
}
