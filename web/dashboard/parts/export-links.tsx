// Links to a list or report as CSV and as a workbook, and the button that schedules it.

import { appStrings } from '../../copy.ts'
import { csvLink, type Query, withQuery } from '../api.ts'
import { Icon } from './icons.tsx'
import { ScheduleButton } from './schedule-report.tsx'

type Props = {
  path: string // Without an extension.
  query?: Query
  columns?: readonly string[] | undefined // The columns of the file. Defaults to all.
  isOfOne?: boolean // A report on a single object cannot be scheduled.
}

// The CSV and XLSX downloads of a list with its current filters and visible columns. With `isOfOne` they are
// a report on a single object, which cannot be scheduled.
export function ExportLinks({ path, query = {}, columns, isOfOne = false }: Props) {
  const exportQuery = { ...query, columns: columns?.join(',') }
  return (
    <>
      <a class="button" href={csvLink(`${path}.csv`, exportQuery)} download>
        <Icon name="download" />
        {appStrings.filters.csv}
      </a>
      <a class="button" href={withQuery(`${path}.xlsx`, exportQuery)} download>
        <Icon name="download" />
        {appStrings.filters.xlsx}
      </a>
      {!isOfOne && <ScheduleButton path={path} query={query} />}
    </>
  )
}

// Links to exports with all columns. The other links export only the visible columns of the list.
export function AllColumnsLinks({ path, query = {} }: Pick<Props, 'path' | 'query'>) {
  const { all, csv, csvShort, xlsx } = appStrings.columns
  return (
    <p class="muted">
      {all}{' '}
      <a href={csvLink(`${path}.csv`, query)} aria-label={csv} download>
        {csvShort}
      </a>{' '}
      <a href={withQuery(`${path}.xlsx`, query)} aria-label={xlsx} download>
        {appStrings.filters.xlsx}
      </a>
    </p>
  )
}
