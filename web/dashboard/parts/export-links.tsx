// Links to a list or report as CSV and as a workbook, and the button that schedules it.

import { appStrings } from '../../copy.ts'
import { csvLink, type Query, withQuery } from '../api.ts'
import { Icon } from './icons.tsx'
import { ScheduleButton } from './schedule-report.tsx'

// `path` lacks its extension. What is about one object alone is not scheduled. `columns` are those of the
// file; all by default.
type Props = {
  path: string
  query?: Query
  columns?: readonly string[] | undefined
  isOfOne?: boolean
}

export function ExportLinks({ path, query = {}, columns, isOfOne = false }: Props) {
  const chosen = { ...query, columns: columns?.join(',') }
  return (
    <>
      <a class="button" href={csvLink(`${path}.csv`, chosen)} download>
        <Icon name="download" />
        {appStrings.filters.csv}
      </a>
      <a class="button" href={withQuery(`${path}.xlsx`, chosen)} download>
        <Icon name="download" />
        {appStrings.filters.xlsx}
      </a>
      {!isOfOne && <ScheduleButton path={path} query={query} />}
    </>
  )
}

export function AllColumnsLinks({ path, query = {} }: Pick<Props, 'path' | 'query'>) {
  const { all, csv, xlsx } = appStrings.columns
  return (
    <p class="muted">
      {all}{' '}
      <a href={csvLink(`${path}.csv`, query)} aria-label={csv} download>
        CSV
      </a>{' '}
      <a href={withQuery(`${path}.xlsx`, query)} aria-label={xlsx} download>
        {appStrings.filters.xlsx}
      </a>
    </p>
  )
}
