// Differences of all banks, with filters. Users assign or resolve them one by one or many at once.

import {
  bankStatementsStrings,
  reconciliationStrings,
  differencesStrings as strings,
} from '../../../copy.ts'
import { type Filter, filterQuery } from '../../parts/filters.tsx'
import { ListView } from '../../parts/list-view.tsx'
import { useChosenAmong } from '../../parts/table.tsx'
import { mayAccount } from '../../session.ts'
import { useSteadyRefreshKey } from '../../steady-refresh.ts'
import type { ViewProps } from '../../view-props.ts'
import { AssignChosen, useOwnerFilter } from './assign-difference.tsx'
import { DifferenceDrawer } from './difference.tsx'
import { ImportStatement } from './import-statement.tsx'
import { DIFFERENCE_COLUMNS, DIFFERENCES, differenceSelection, useBankFilter } from './movement.tsx'
import { ResolveChosen } from './resolve-difference.tsx'

const FILTERS: readonly Filter[] = [
  { name: 'state', label: reconciliationStrings.state, choices: strings.states },
  { name: 'kind', label: reconciliationStrings.kind, choices: strings.kinds },
  { name: 'bucket', label: strings.bucket, choices: reconciliationStrings.buckets },
]

const NONE: ReadonlySet<string> = new Set()

// The differences of all banks. A selection ends when the filters change.
export function Differences(props: ViewProps) {
  const [refreshKey, refresh] = useSteadyRefreshKey()
  const filters = [...FILTERS, useBankFilter(), useOwnerFilter(props.session)]
  const filterKey = JSON.stringify(filterQuery(filters, props.place.query))
  const [chosen, choose] = useChosenAmong(filterKey, NONE)
  const mayChange = mayAccount(props.session)
  // Called after an action on the selected differences, which ends the selection.
  const onDone = () => {
    choose(NONE)
    refresh()
  }
  return (
    <ListView
      {...props}
      view="reconciliation"
      icon="reconciliation"
      path={DIFFERENCES}
      file={DIFFERENCES}
      caption={reconciliationStrings.tabs.differences}
      columns={DIFFERENCE_COLUMNS}
      filters={filters}
      keyOf={({ id }) => `${id}`}
      refreshKey={refreshKey}
      {...(mayChange ? { choosing: differenceSelection(chosen, choose) } : {})}
      emptyState={{
        title: reconciliationStrings.noDifferences,
        text: reconciliationStrings.noDifferencesText,
      }}
      add={
        mayChange && (
          <>
            <AssignChosen ids={[...chosen]} session={props.session} onDone={onDone} />
            <ResolveChosen ids={[...chosen]} onDone={onDone} />
            <ImportStatement label={bankStatementsStrings.import} isCompact onDone={refresh} />
          </>
        )
      }
      detail={({ open, refreshKey: listRefreshKey, close }) => (
        <DifferenceDrawer
          id={open}
          session={props.session}
          refreshKey={listRefreshKey}
          close={close}
          changed={refresh}
        />
      )}
    />
  )
}
