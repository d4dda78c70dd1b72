// Imported statements; each opens to its lines.

import { reconciliationStrings, bankStatementsStrings as strings } from '../../../copy.ts'
import { count, money } from '../../format.ts'
import { ListView } from '../../parts/list-view.tsx'
import { amountColumn, type Column } from '../../parts/table.tsx'
import { Time } from '../../parts/values.tsx'
import { mayAccount } from '../../session.ts'
import { useVersion } from '../../steady-refresh.ts'
import type { ViewProps } from '../../view-props.ts'
import { useBankFilter } from './bank-filter.ts'
import { ImportStatement } from './import-statement.tsx'
import { daysOf, type Statement, StatementDetail } from './statement.tsx'

const PATH = '/api/v1/operator/statements'

const COLUMNS: readonly Column<Statement>[] = [
  { name: strings.bank, place: 'lead', show: ({ bankName }) => bankName },
  { name: strings.days, place: 'second', show: daysOf },
  {
    name: strings.lines,
    place: 'state',
    isAmount: true,
    show: ({ lines }) => strings.lineCount(count(lines)),
  },
  {
    name: strings.opening,
    isAmount: true,
    show: ({ opening, currency }) => money(opening, currency),
  },
  amountColumn(strings.closing, 'closing'),
  { name: strings.fileName, show: ({ fileName }) => fileName },
  { name: strings.imported, place: 'time', show: ({ importedAt }) => <Time at={importedAt} /> },
]

export function Statements(props: ViewProps) {
  const [version, bump] = useVersion()
  const bankFilter = useBankFilter()
  return (
    <ListView
      {...props}
      view="reconciliation"
      icon="advice"
      path={PATH}
      caption={reconciliationStrings.tabs.statements}
      columns={COLUMNS}
      filters={[bankFilter]}
      keyOf={({ statementId }) => `${statementId}`}
      version={version}
      none={{ title: strings.none, text: strings.noneText }}
      add={
        mayAccount(props.session) && (
          <ImportStatement label={strings.import} isCompact done={bump} />
        )
      }
      one={{
        title: strings.one,
        path: `${PATH}/{id}`,
        isFixed: true,
        show: (statement) => <StatementDetail statement={statement} />,
      }}
    />
  )
}
