// The list of cases, which are reports of fraud, with the first deadline of each.

import { casesStrings as strings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { type Filter, humanized } from '../../parts/filters.tsx'
import { ListView } from '../../parts/list-view.tsx'
import { OpenCase } from '../../parts/open-case.tsx'
import { type Column, orderColumn } from '../../parts/table.tsx'
import { Badge, Time } from '../../parts/values.tsx'
import type { ViewProps } from '../../view-props.ts'
import { CASES, ONE, WholeCase } from './case.tsx'

type Outline = Schemas['CaseOutline']

const FILTERS: readonly Filter[] = [
  {
    name: 'state',
    label: strings.state,
    choices: humanized(['open', 'investigating', 'closed']),
  },
  { name: 'kind', label: strings.kind, choices: strings.kinds },
  { name: 'overdue', label: strings.overdue, choices: { true: strings.overdueOnly } },
  { name: 'clientId', label: strings.client },
  { name: 'sessionId', label: strings.sessionId },
]

const COLUMNS: readonly Column<Outline>[] = [
  { name: strings.summary, place: 'lead', show: ({ summary }) => summary || strings.erased },
  { name: strings.state, place: 'state', show: ({ state }) => <Badge state={state} /> },
  { name: strings.kind, place: 'second', show: ({ kind }) => strings.kinds[kind] },
  { name: strings.client, show: ({ clientId }) => clientId },
  {
    name: strings.due,
    place: 'line',
    show: ({ nextDueAt }) => (nextDueAt ? <Time at={nextDueAt} /> : strings.noDue),
  },
  orderColumn(strings.reported, 'reportedAt'),
]

// The list of fraud cases, read again every ten seconds (`isPolled`).
export default function Cases(props: ViewProps) {
  return (
    <ListView
      {...props}
      view="cases"
      icon="search"
      path={CASES}
      caption={strings.title}
      columns={COLUMNS}
      filters={FILTERS}
      keyOf={({ reference }) => reference}
      isPolled
      emptyState={{ title: strings.none, text: strings.noneText }}
      add={<OpenCase />}
      drawer={{
        title: strings.one,
        path: ONE,
        show: (item, { changed }) => <WholeCase item={item} changed={changed} />,
      }}
    />
  )
}
