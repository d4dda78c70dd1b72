// Rail items: bank messages that could not be booked. Opening one shows the message and is recorded in
// the audit log.

import type { Schemas } from '../api.ts'
import { humanize } from '../format.ts'
import { usePages } from '../loading.ts'
import { BankName } from '../parts/bank-name.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { Detail } from '../parts/detail.tsx'
import { Facts } from '../parts/drawer.tsx'
import { type Filter, Filters } from '../parts/filters.tsx'
import { Empty } from '../parts/states.tsx'
import { type Column, ListTable } from '../parts/table.tsx'
import { Copyable, Time } from '../parts/values.tsx'
import { goTo, hrefOf } from '../routing.ts'
import { appStrings } from '../strings/app.ts'
import { railItemsStrings as strings } from '../strings/rail-items.ts'
import type { ViewProps } from '../view-props.ts'

type RailItem = Schemas['RailItem']

const VIEW = 'rail-items'
const PATH = '/api/v1/operator/rail-items'

const FILTERS: readonly Filter[] = [
  {
    name: 'outcome',
    label: strings.outcome,
    choices: ['rejected', 'unreadable'].map((value) => ({ value, label: humanize(value) })),
  },
  { name: 'bankCode', label: strings.bank },
]

const COLUMNS: readonly Column<RailItem>[] = [
  { name: strings.reason, place: 'lead', show: ({ reason }) => humanize(reason) },
  { name: strings.amount, place: 'amount', isAmount: true, show: ({ amount }) => amount },
  { name: strings.bank, place: 'second', show: ({ bankCode }) => <BankName code={bankCode} /> },
  { name: strings.sessionId, show: ({ sessionId }) => <code class="long">{sessionId}</code> },
  { name: strings.received, place: 'time', show: ({ receivedAt }) => <Time at={receivedAt} /> },
]

export default function RailItems({ place }: ViewProps) {
  const { outcome, bankCode } = place.query
  const query = { ...(outcome ? { outcome } : {}), ...(bankCode ? { bankCode } : {}) }
  const pages = usePages(PATH, {}, query)
  const close = () => goTo(hrefOf(VIEW, undefined, place.query))
  return (
    <>
      <Filters view={VIEW} filters={FILTERS} query={place.query} />
      <ListTable
        caption={appStrings.views.railItems}
        columns={COLUMNS}
        pages={pages}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => hrefOf(VIEW, id, place.query)}
        openKey={place.open}
        empty={
          <Empty icon="railItems" title={strings.none}>
            {strings.noneText}
          </Empty>
        }
      />
      {place.open !== undefined && (
        <Detail
          key={place.open}
          title={strings.one}
          path={`${PATH}/{id}`}
          params={{ id: place.open }}
          close={close}
          show={(item) => <About item={item} />}
        />
      )}
    </>
  )
}

function About({ item }: { item: Schemas['RailItemDetail'] }) {
  return (
    <>
      <Facts
        facts={[
          [strings.reason, humanize(item.reason)],
          [strings.amount, item.amount],
          [strings.bank, <BankName key="bank" code={item.bankCode} />],
          [strings.call, humanize(item.call)],
          [strings.answered, item.responseCode],
          [strings.sessionId, item.sessionId && <Copyable text={item.sessionId} />],
          [strings.received, <Time key="received" at={item.receivedAt} />],
        ]}
      />
      <h3>{strings.body}</h3>
      <CodeBlock label={strings.body} text={item.body} isWrapped />
      <p class="muted">{strings.opened}</p>
    </>
  )
}
