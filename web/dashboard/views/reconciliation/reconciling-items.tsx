// Reconciling items: noted differences of all banks that have not cleared yet, oldest first.

import { reconciliationStrings, differencesStrings as strings } from '../../../copy.ts'
import type { Filter } from '../../parts/filters.tsx'
import { ListView } from '../../parts/list-view.tsx'
import type { Column } from '../../parts/table.tsx'
import { useSteadyRefreshKey } from '../../steady-refresh.ts'
import type { ViewProps } from '../../view-props.ts'
import { DifferenceDrawer } from './difference.tsx'
import { DIFFERENCE_COLUMNS, type Difference, useBankFilter } from './movement.tsx'

const FILTERS: readonly Filter[] = [
  { name: 'bucket', label: strings.bucket, choices: reconciliationStrings.buckets },
]

const COLUMNS: readonly Column<Difference>[] = [
  ...DIFFERENCE_COLUMNS.filter(({ name }) => name !== strings.owner),
  { name: strings.reason, place: 'line', show: ({ reason }) => reason, fields: ['reason'] },
]

const ITEMS = '/api/v1/operator/reconciliation/reconciling-items'

// The differences that somebody explained with a note.
export function ReconcilingItems(props: ViewProps) {
  const [refreshKey, refresh] = useSteadyRefreshKey()
  return (
    <ListView
      {...props}
      view="reconciliation"
      icon="reconciliation"
      path={ITEMS}
      file={ITEMS}
      caption={reconciliationStrings.tabs.reconciling}
      columns={COLUMNS}
      filters={[...FILTERS, useBankFilter()]}
      keyOf={({ id }) => `${id}`}
      refreshKey={refreshKey}
      emptyState={{
        title: reconciliationStrings.noReconciling,
        text: reconciliationStrings.noReconcilingText,
      }}
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
