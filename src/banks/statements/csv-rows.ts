// The rows of a CSV file (RFC 4180, any delimiter), each with the line that it begins on.
//
// Measured: csv-parse takes 6 µs a row of 140 characters as plain arrays; its casts, its objects and
// its own line info would double that. So lines are counted here: a row is one, and those within
// its quoted cells.

import { finished } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import { LINE_CHARS_MAX } from './decode-text.ts'
import { StatementProblem } from './statement.ts'

export type CsvRow = { cells: readonly string[]; line: number }

// In batches, one for each piece of the text: what is awaited for each row costs as much as reading it.
export async function* readRows(
  text: AsyncIterable<string>,
  { delimiter, quote }: { delimiter: string; quote: string | null },
): AsyncGenerator<readonly CsvRow[]> {
  const parser = parse({
    delimiter,
    quote,
    escape: quote ?? '"',
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    max_record_size: LINE_CHARS_MAX,
  })
  const ended = finished(parser, { readable: false })
  ended.catch(() => {}) // Heard below, or by nobody when the rest is not wanted.
  let line = 1
  const take = () => {
    const rows: CsvRow[] = []
    for (let cells = parser.read(); cells !== null; cells = parser.read()) {
      rows.push({ cells, line })
      line += 1 + lineEnds(cells)
    }
    return rows
  }
  try {
    for await (const piece of text) {
      // Parsed at once: the parser has no work of its own that would have to be waited for.
      parser.write(piece)
      yield take()
      if (parser.errored) throw parser.errored
    }
    parser.end()
    await ended
    yield take()
  } catch (error) {
    throw error instanceof CsvError ? problem(error, line) : error
  } finally {
    parser.destroy()
  }
}

function lineEnds(cells: readonly string[]): number {
  let count = 0
  for (const cell of cells) {
    for (let at = cell.indexOf('\n'); at >= 0; at = cell.indexOf('\n', at + 1)) count++
  }
  return count
}

// The parser is ahead of the rows that were taken from it, and says where it stands itself.
function problem(error: CsvError, line: number): StatementProblem {
  const at = typeof error.lines === 'number' ? error.lines : line
  if (error.code === 'CSV_MAX_RECORD_SIZE') {
    return new StatementProblem(at, `A row is longer than ${LINE_CHARS_MAX} characters.`)
  }
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') {
    return new StatementProblem(at, 'A quote is opened and not closed.')
  }
  return new StatementProblem(at, 'A quote stands within a cell, or text after a closing quote.')
}
