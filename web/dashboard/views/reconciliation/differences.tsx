// Differences of all banks, with filters, to resolve one by one or many at once.

import { useState } from 'preact/hooks'
import {
  bankStatementsStrings,
  reconciliationStrings,
  differencesStrings as strings,
} from '../../../copy.ts'
import type { Filter } from '../../parts/filters.tsx'
import { ListView } from '../../parts/list-view.tsx'
import { useSteadyRefresh } from '../../steady-refresh.ts'
import type { ViewProps } from '../../view-props.ts'
import { useBankFilter } from './bank-filter.ts'
import { DifferenceDrawer } from './difference.tsx'
import { choosingOf, DIFFERENCE_COLUMNS, DIFFERENCES } from './difference-list.tsx'
import { ImportStatement } from './import-statement.tsx'
import { ResolveChosen } from './resolve-many.tsx'

const FILTERS: readonly Filter[] = [
  { name: 'state', label: reconciliationStrings.state, choices: strings.states },
  { name: 'kind', label: reconciliationStrings.kind, choices: strings.kinds },
  { name: 'bucket', label: strings.bucket, choices: reconciliationStrings.buckets },
]

export function Differences(props: ViewProps) {
  const [version, setVersion] = useState(0)
  const bump = () => setVersion((before) => before + 1)
  useSteadyRefresh(bump)
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set())
  const resolved = () => {
    choose(new Set())
    bump()
  }
  return (
    <ListView
      {...props}
      view="reconciliation"
      icon="reconciliation"
      path={DIFFERENCES}
      params={{}}
      caption={reconciliationStrings.tabs.differences}
      columns={DIFFERENCE_COLUMNS}
      filters={[...FILTERS, useBankFilter()]}
      keyOf={({ id }) => `${id}`}
      version={version}
      choosing={choosingOf(chosen, choose)}
      none={{
        title: reconciliationStrings.noDifferences,
        text: reconciliationStrings.noDifferencesText,
      }}
      add={
        <>
          <ResolveChosen ids={[...chosen]} done={resolved} />
          <ImportStatement label={bankStatementsStrings.import} isCompact done={bump} />
        </>
      }
      detail={({ open, version: shown, close }) => (
        <DifferenceDrawer
          id={open}
          session={props.session}
          version={shown}
          close={close}
          changed={bump}
        />
      )}
    />
  )
}
