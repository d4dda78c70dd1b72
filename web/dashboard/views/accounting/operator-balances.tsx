// Balances at the end of a day, by client, merchant and bank.

import { accountingStrings as strings } from '../../../copy.ts'
import type { Data } from '../../api.ts'
import { useData } from '../../loading.ts'
import { Empty } from '../../parts/states.tsx'
import type { Column } from '../../parts/table.tsx'
import type { ViewProps } from '../../view-props.ts'
import { bankColumn, clientColumn, sumColumn } from './columns.tsx'
import { dayIn, endOf, PeriodChoice, Report, ReportLinks } from './report.tsx'
import { ReportTable } from './report-table.tsx'

const PATH = '/api/v1/operator/balances'

type Balance = Data<typeof PATH>['rows'][number]
type Part = keyof typeof strings.balanceParts

const PARTS = Object.keys(strings.balanceParts) as Part[]

const OWNERS: readonly Column<Balance>[] = [
  { ...clientColumn(), place: 'lead', show: ({ clientId }) => clientId ?? strings.noClient },
  {
    name: strings.merchant,
    place: 'second',
    show: ({ merchantCode }) => merchantCode,
  },
  bankColumn(),
]

const TOTAL = { clientId: strings.allClients, merchantCode: null, bankCode: null }

// Omits columns without amounts.
function columnsOf(balances: readonly Balance[]): Column<Balance>[] {
  const parts = PARTS.filter((part) => balances.some((balance) => balance[part] !== 0))
  return [...OWNERS, ...parts.map((part) => sumColumn(strings.balanceParts[part], part))]
}

export function OperatorBalances({ place }: ViewProps) {
  const day = dayIn(place)
  const at = endOf(day)
  return (
    <Report
      fields={<PeriodChoice label={strings.at} name="day" value={day} />}
      links={<ReportLinks path={PATH} query={{ at }} isPrinted={false} />}
      loaded={useData(PATH, {}, { at })}
      show={({ rows, totals, hasMore }) =>
        rows.length === 0 ? (
          <Empty icon="accounting" title={strings.noBalances} text={strings.noBalancesText} />
        ) : (
          <>
            <ReportTable
              caption={strings.tabs.balances}
              columns={columnsOf(rows)}
              rows={rows}
              totals={totals.map((total) => ({ ...TOTAL, ...total }))}
            />
            {hasMore && <p class="muted under-list">{strings.moreBalances}</p>}
          </>
        )
      }
    />
  )
}
