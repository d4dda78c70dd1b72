// Saves the selected rows of a list as a CSV file for spreadsheets, with the columns of its export.

import { cellText } from '../../../src/csv.ts'
import { bulkStrings as strings } from '../../copy.ts'
import { Button } from './button.tsx'
import { Icon } from './icons.tsx'
import type { Column } from './table.tsx'

type Props<Row> = {
  name: string // The name of the file, without its extension.
  rows: readonly Row[]
  fields: readonly string[]
  columns: readonly Column<Row>[]
  cells?: (row: Row) => Record<string, string> // Cells of export columns that are not fields of the row.
}

// The button that saves the selected rows. The browser makes the file itself, without a request.
export function ExportSelected<Row>(props: Props<Row>) {
  // Presses a link to the file that is never on the page.
  const downloadCsv = () => {
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([csvText(props)], { type: 'text/csv' }))
    link.download = `${props.name}-selected.csv`
    link.click()
    URL.revokeObjectURL(link.href)
  }
  return (
    <Button onClick={downloadCsv}>
      <Icon name="download" />
      {strings.export}
    </Button>
  )
}

const BYTE_ORDER_MARK = '\ufeff'
const LINE_END = '\r\n'
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/

// Writes cells as the service does (src/http/csv.ts): amounts with two decimals, times without an offset.
// `cells` gives the values of columns that are not fields of the row.
function csvText<Row>({ rows, fields, columns, cells = () => ({}) }: Props<Row>): string {
  const amountFields = columns.flatMap(({ isAmount, fields: exported = [] }) =>
    isAmount ? exported : [],
  )
  // Writes one row. A value in `cells` replaces the field of the same name.
  const csvLine = (row: Row) => {
    const values: Record<string, unknown> = { ...(row as object), ...cells(row) }
    return fields.map((field) => formatCell(values[field], amountFields.includes(field))).join(',')
  }
  const lines = [fields.join(','), ...rows.map(csvLine)]
  return BYTE_ORDER_MARK + lines.map((line) => line + LINE_END).join('')
}

// `isAmount` writes two decimals. Values that are no text, number or boolean give an empty cell.
function formatCell(value: unknown, isAmount: boolean): string {
  if (typeof value === 'number') return isAmount ? value.toFixed(2) : `${value}`
  if (typeof value === 'boolean') return `${value}`
  if (typeof value !== 'string') return ''
  const [time] = TIME.exec(value) ?? []
  return cellText(time?.replace('T', ' ') ?? value, true) // `true`: spreadsheets keep digits as text.
}
