// Requested and decided adjustments.

import { adjustmentsStrings as strings, suspenseStrings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { Facts } from '../../parts/drawer.tsx'
import { type Filter, humanized } from '../../parts/filters.tsx'
import { ListView } from '../../parts/list-view.tsx'
import { amountColumn, type Column } from '../../parts/table.tsx'
import { Badge, Copyable, Headline, Time } from '../../parts/values.tsx'
import { useSteadyVersion } from '../../steady-refresh.ts'
import type { ViewProps } from '../../view-props.ts'
import { Debtor } from './debts.tsx'
import { DecideAdjustment } from './decide-adjustment.tsx'

type Adjustment = Schemas['Adjustment']

const PATH = '/api/v1/operator/adjustments'
const STATES = ['open', 'approved', 'rejected', 'withdrawn']
const { person } = suspenseStrings

const FILTERS: readonly Filter[] = [
  { name: 'state', label: strings.state, choices: humanized(STATES) },
]

const COLUMNS: readonly Column<Adjustment>[] = [
  { name: strings.debtor, place: 'lead', show: (item) => <Debtor {...item} /> },
  amountColumn(strings.amount),
  { name: strings.state, place: 'state', show: ({ state }) => <Badge state={state} /> },
  { name: strings.kind, place: 'second', show: ({ kind }) => strings.kinds[kind] },
  { name: strings.requestedBy, show: ({ requestedBy }) => person(requestedBy) },
  { name: strings.requested, place: 'time', show: ({ requestedAt }) => <Time at={requestedAt} /> },
]

export function Requests(props: ViewProps) {
  const [version] = useSteadyVersion()
  return (
    <ListView
      {...props}
      view="adjustments"
      icon="ledger"
      path={PATH}
      caption={strings.tabs.requests}
      columns={COLUMNS}
      filters={FILTERS}
      keyOf={({ reference }) => reference}
      version={version}
      none={{ title: strings.none, text: strings.noneText }}
      one={{
        title: strings.one,
        path: `${PATH}/{reference}`,
        show: (item, { changed }) => (
          <>
            <About item={item} />
            {item.state === 'open' && (
              <DecideAdjustment item={item} session={props.session} done={changed} />
            )}
          </>
        ),
      }}
    />
  )
}

function About({ item }: { item: Adjustment }) {
  return (
    <>
      <Headline sum={item} state={item.state} about={strings.kinds[item.kind] ?? item.kind} />
      <Facts
        facts={[
          [strings.of[item.of] ?? item.of, <Debtor key="debtor" {...item} />],
          [strings.reason, item.reason],
          [strings.reference, <Copyable key="reference" text={item.reference} />],
          [strings.requested, <Time key="requested" at={item.requestedAt} />],
          [strings.requestedBy, person(item.requestedBy)],
          [strings.decided, item.decidedAt && <Time at={item.decidedAt} />],
          [strings.decidedBy, item.decidedBy && person(item.decidedBy)],
          [strings.decisionReason, item.decisionReason],
        ]}
      />
    </>
  )
}
