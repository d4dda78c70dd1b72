// Rail items: bank messages that could not be booked. Opening one shows the message and is recorded in
// the audit log.

import { getData } from '../api.ts'
import { humanize } from '../format.ts'
import { useLoaded, usePages } from '../loading.ts'
import { BankName } from '../parts/bank-name.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { Drawer, Facts } from '../parts/drawer.tsx'
import { type Filter, Filters } from '../parts/filters.tsx'
import { Empty, Failed, Skeleton } from '../parts/states.tsx'
import { type Column, ListTable } from '../parts/table.tsx'
import { Copyable, Time } from '../parts/values.tsx'
import { goTo, hrefOf } from '../routing.ts'
import { appStrings } from '../strings/app.ts'
import { railItemsStrings as strings } from '../strings/rail-items.ts'
import type { ViewProps } from '../view-props.ts'

type RailItem = {
  id: string
  bankCode: string
  call: string
  outcome: string
  reason: string
  responseCode: string
  sessionId: string | null
  amount: string | null
  receivedAt: string
}

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
  const pages = usePages<RailItem>(PATH, query)
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
      {place.open !== undefined && <ItemDrawer key={place.open} id={place.open} close={close} />}
    </>
  )
}

function ItemDrawer({ id, close }: { id: string; close: () => void }) {
  const path = `${PATH}/${encodeURIComponent(id)}`
  const { data, problem, reload } = useLoaded(path, (signal) =>
    getData<RailItem & { body: string }>(path, {}, signal),
  )
  return (
    <Drawer title={strings.one} close={close}>
      {problem && <Failed problem={problem} retry={reload} />}
      {!problem && !data && <Skeleton kind="page" lines={8} />}
      {data && (
        <>
          <Facts
            facts={[
              [strings.reason, humanize(data.reason)],
              [strings.amount, data.amount],
              [strings.bank, <BankName key="bank" code={data.bankCode} />],
              [strings.call, humanize(data.call)],
              [strings.answered, data.responseCode],
              [strings.sessionId, data.sessionId && <Copyable text={data.sessionId} />],
              [strings.received, <Time key="received" at={data.receivedAt} />],
            ]}
          />
          <h3>{strings.body}</h3>
          <CodeBlock label={strings.body} text={data.body} isWrapped />
          <p class="muted">{strings.opened}</p>
        </>
      )}
    </Drawer>
  )
}
