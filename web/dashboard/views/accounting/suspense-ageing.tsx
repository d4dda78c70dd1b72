// Suspense at the end of a day, by age.

import {
  reconciliationStrings,
  accountingStrings as strings,
  suspenseStrings,
} from '../../../copy.ts'
import type { Data } from '../../api.ts'
import { count, humanize } from '../../format.ts'
import { useData } from '../../loading.ts'
import { Empty } from '../../parts/states.tsx'
import type { Column } from '../../parts/table.tsx'
import type { ViewProps } from '../../view-props.ts'
import { bankColumn, clientColumn, sumColumn } from './columns.tsx'
import { dayIn, endOf, PeriodChoice, Report, ReportLinks } from './report.tsx'
import { ReportTable } from './report-table.tsx'

const PATH = '/api/v1/operator/suspense-ageing'

type Aged = Data<typeof PATH>['rows'][number]

const BUCKETS: Readonly<Record<string, string>> = reconciliationStrings.buckets

const COLUMNS: readonly Column<Aged>[] = [
  { name: strings.bucket, place: 'lead', show: ({ bucket }) => BUCKETS[bucket] ?? bucket },
  {
    name: suspenseStrings.why,
    place: 'second',
    show: ({ reason }) => suspenseStrings.reasons[reason] ?? humanize(reason),
  },
  bankColumn(),
  clientColumn(),
  { name: strings.items, place: 'line', isAmount: true, show: (row) => count(row.count) },
  sumColumn(strings.amount, 'amount'),
]

export function SuspenseAgeing({ place }: ViewProps) {
  const day = dayIn(place)
  const at = endOf(day)
  return (
    <Report
      fields={<PeriodChoice label={strings.at} name="day" value={day} />}
      links={<ReportLinks path={PATH} query={{ at }} />}
      loaded={useData(PATH, {}, { at })}
      show={({ rows }) =>
        rows.length === 0 ? (
          <Empty icon="suspense" title={strings.noSuspense} text={strings.noSuspenseText} />
        ) : (
          <ReportTable caption={strings.tabs.suspense} columns={COLUMNS} rows={rows} />
        )
      }
    />
  )
}
