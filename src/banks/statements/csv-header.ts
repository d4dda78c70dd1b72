// Where each column of a profile stands, and what the rows around the lines say: labelled values
// such as "Account Number: 0123456789", with the value in the same cell or in the next one.

import type { Column, CsvProfile, Label } from './csv-profile.ts'
import type { CsvRow } from './csv-rows.ts'
import { StatementProblem } from './statement.ts'

export type Places = Readonly<Partial<Record<Column, number>>> // From 0.

// Banks print addresses and summaries above the table.
export const HEADER_ROWS_MAX = 100

// Undefined when the row is not the header: a header has every column that the profile names.
export function placesIn(row: CsvRow, profile: CsvProfile): Places | undefined {
  const headers = row.cells.map(plainHeader)
  const places: Partial<Record<Column, number>> = {}
  for (const [column, wanted] of Object.entries(profile.columns) as [Column, string | number][]) {
    if (typeof wanted === 'number') {
      places[column] = wanted - 1
      continue
    }
    const name = plainHeader(wanted)
    const place = headers.indexOf(name)
    if (place === -1) return undefined
    if (headers.lastIndexOf(name) !== place) {
      throw new StatementProblem(row.line, `The header ${JSON.stringify(wanted)} occurs twice.`)
    }
    places[column] = place
  }
  return places
}

export function missingHeader(profile: CsvProfile): StatementProblem {
  const names = Object.values(profile.columns).filter((column) => typeof column === 'string')
  const message =
    `None of the first ${HEADER_ROWS_MAX} rows has every column that the profile ` +
    `${profile.name} names: ${names.join(', ')}.`
  return new StatementProblem(null, message)
}

export function plainHeader(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase()
}

// The first value of each label, with the line where it stands.
export class LabelledValues {
  readonly #labels: readonly (readonly [Label, RegExp])[]
  readonly #found = new Map<Label, { text: string; line: number }>()

  constructor(labels: CsvProfile['labels']) {
    this.#labels = Object.entries(labels) as [Label, RegExp][]
  }

  // Whether the row has a label.
  take({ cells, line }: CsvRow): boolean {
    let isLabelled = false
    for (const [label, pattern] of this.#labels) {
      const at = cells.findIndex((cell) => pattern.test(cell.trim()))
      if (at === -1) continue
      isLabelled = true
      const inside = pattern.exec((cells[at] as string).trim())?.groups?.value?.trim()
      const text = inside || cells.slice(at + 1).find((cell) => cell.trim() !== '')
      if (text && !this.#found.has(label)) this.#found.set(label, { text: text.trim(), line })
    }
    return isLabelled
  }

  find(label: Label): { text: string; line: number } | undefined {
    return this.#found.get(label)
  }
}
