// Links to a list or report as CSV and as a workbook, and the button that schedules it.

import { appStrings } from '../../copy.ts'
import { csvLink, type Query, withQuery } from '../api.ts'
import { Icon } from './icons.tsx'
import { ScheduleButton } from './schedule-report.tsx'

// `path` lacks its extension. What is about one object alone is not scheduled.
type Props = { path: string; query?: Query; isOfOne?: boolean }

export function ExportLinks({ path, query = {}, isOfOne = false }: Props) {
  return (
    <>
      <a class="button" href={csvLink(`${path}.csv`, query)} download>
        <Icon name="download" />
        {appStrings.filters.csv}
      </a>
      <a class="button" href={withQuery(`${path}.xlsx`, query)} download>
        <Icon name="download" />
        {appStrings.filters.xlsx}
      </a>
      {!isOfOne && <ScheduleButton path={path} query={query} />}
    </>
  )
}
