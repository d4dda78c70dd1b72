// Rail items: bank messages that could not be booked. The audit log records each opening of an item.

import { appStrings, railItemsStrings as strings } from '../../copy.ts'
import type { Schemas } from '../api.ts'
import { humanize } from '../format.ts'
import { factList } from '../parts/drawer.tsx'
import { type Filter, humanized } from '../parts/filters.tsx'
import { ListView } from '../parts/list-view.tsx'
import type { Column } from '../parts/table.tsx'
import { Badge, BankName, CodeBlock, Copyable, Time } from '../parts/values.tsx'
import type { ViewProps } from '../session.ts'

type RailItem = Schemas['RailItem']

const PATH = '/api/v1/operator/rail-items'

const OUTCOMES: RailItem['outcome'][] = ['awaited', 'taken', 'rejected', 'unreadable']

const FILTERS: readonly Filter[] = [
  { name: 'outcome', label: strings.outcome, choices: humanized(OUTCOMES) },
  { name: 'bankCode', label: strings.bank },
]

const COLUMNS: readonly Column<RailItem>[] = [
  { name: strings.reason, place: 'lead', show: ({ reason }) => humanize(reason) },
  { name: strings.amount, place: 'amount', isAmount: true, show: ({ amount }) => amount },
  { name: strings.outcome, place: 'state', show: ({ outcome }) => <Badge state={outcome} /> },
  { name: strings.bank, place: 'second', show: ({ bankCode }) => <BankName code={bankCode} /> },
  { name: strings.sessionId, show: ({ sessionId }) => <code class="long">{sessionId}</code> },
  { name: strings.received, place: 'time', show: ({ receivedAt }) => <Time at={receivedAt} /> },
]

// The bank messages that could not be booked. The drawer loads an item only once (`isLoadedOnce`), because
// the audit log records each opening. The list reloads at events about alerts (`isAbout`), because an item
// that could not be booked raises an alert, unless the same alert is already open.
export default function RailItems(props: ViewProps) {
  return (
    <ListView
      {...props}
      view="rail-items"
      icon="railItems"
      path={PATH}
      caption={appStrings.views.railItems}
      columns={COLUMNS}
      filters={FILTERS}
      keyOf={({ id }) => id}
      isAbout={/^alert\./}
      emptyState={{ title: strings.none, text: strings.noneText }}
      drawer={{
        title: strings.one,
        path: `${PATH}/{id}`,
        isLoadedOnce: true,
        show: (item) => <RailItemFacts item={item} />,
      }}
    />
  )
}

function RailItemFacts({ item }: { item: Schemas['RailItemDetail'] }) {
  return (
    <>
      {factList([
        [strings.outcome, <Badge key="outcome" state={item.outcome} />],
        [strings.reason, humanize(item.reason)],
        [strings.amount, item.amount],
        [strings.bank, <BankName key="bank" code={item.bankCode} />],
        [strings.call, humanize(item.call)],
        [strings.answered, item.responseCode],
        [strings.sessionId, item.sessionId && <Copyable text={item.sessionId} />],
        [strings.received, <Time key="received" at={item.receivedAt} />],
        [strings.taken, item.takenAt && <Time key="taken" at={item.takenAt} />],
      ])}
      <h3>{strings.body}</h3>
      <CodeBlock label={strings.body} text={item.body} isWrapped />
      <p class="muted">{strings.opened}</p>
    </>
  )
}
