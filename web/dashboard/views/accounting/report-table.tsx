// The rows of a report, with totals. Scrolls by keyboard. Shows only the first of very many rows: 100,000
// would block a browser for half a minute, and the file has them all.

import { accountingStrings as strings } from '../../../copy.ts'
import { count } from '../../format.ts'
import type { Column } from '../../parts/table.tsx'

const SHOWN_MAX = 500

type Props<Row> = {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  totals?: readonly Row[]
}

export function ReportTable<Row>({ caption, columns, rows, totals = [] }: Props<Row>) {
  const line = (row: Row) =>
    columns.map(({ name, place, isAmount, show }) => (
      <td key={name} class={styleOf(place, isAmount)} data-name={name}>
        {show(row)}
      </td>
    ))
  const cut = rows.length > SHOWN_MAX && strings.cut(count(SHOWN_MAX), count(rows.length))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: It scrolls.
    <section class="listing" aria-label={caption} tabIndex={0}>
      {cut && <p class="notice">{cut}</p>}
      <table class="list">
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ name, place, isAmount }) => (
              <th key={name} scope="col" class={styleOf(place, isAmount)}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, SHOWN_MAX).map((row, at) => (
            <tr key={at}>{line(row)}</tr>
          ))}
          {totals.map((row, at) => (
            <tr key={`total ${at}`} class="total">
              {line(row)}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function styleOf(place: string | undefined, isAmount: boolean | undefined): string {
  return `${place ? `at-${place}` : ''}${isAmount ? ' amount' : ''}`
}
