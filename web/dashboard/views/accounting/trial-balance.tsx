// The trial balance at the end of a day.

import { accountingStrings as strings } from '../../../copy.ts'
import type { Data } from '../../api.ts'
import { useData } from '../../loading.ts'
import { Empty } from '../../parts/states.tsx'
import type { Column } from '../../parts/table.tsx'
import type { ViewProps } from '../../view-props.ts'
import { sumColumn } from './columns.tsx'
import { dayIn, endOf, PeriodChoice, Report, ReportLinks } from './report.tsx'
import { ReportTable } from './report-table.tsx'

const PATH = '/api/v1/operator/trial-balance'

type Account = Data<typeof PATH>['lines'][number]

const COLUMNS: readonly Column<Account>[] = [
  { name: strings.account, place: 'lead', show: ({ accountName }) => accountName },
  { name: strings.code, place: 'second', show: ({ accountCode }) => <code>{accountCode}</code> },
  sumColumn(strings.debit, 'debit'),
  sumColumn(strings.credit, 'credit'),
]

export function TrialBalance({ place }: ViewProps) {
  const day = dayIn(place)
  const at = endOf(day)
  return (
    <Report
      fields={<PeriodChoice label={strings.at} name="day" value={day} />}
      links={<ReportLinks path={PATH} query={{ at }} />}
      loaded={useData(PATH, {}, { at })}
      show={({ lines, totals }) =>
        lines.length === 0 ? (
          <Empty
            icon="accounting"
            title={strings.noTrialBalance}
            text={strings.noTrialBalanceText}
          />
        ) : (
          <ReportTable
            caption={strings.tabs.trialBalance}
            columns={COLUMNS}
            rows={lines}
            totals={totals.map((sum) => ({ accountCode: '', accountName: strings.total, ...sum }))}
          />
        )
      }
    />
  )
}
