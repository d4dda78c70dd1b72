// Alerts: what an operator must look at, what to do about it, and who has taken it up.

import { useState } from 'preact/hooks'
import { ALERT_KINDS } from '../alert-kinds.ts'
import { type Schemas, send } from '../api.ts'
import { words } from '../format.ts'
import { refreshAlertCount } from '../parts/alert-count.tsx'
import { Detail } from '../parts/detail.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { Facts } from '../parts/drawer.tsx'
import type { Filter } from '../parts/filters.tsx'
import { ListView } from '../parts/list-view.tsx'
import type { Column } from '../parts/table.tsx'
import { toast } from '../parts/toasts.tsx'
import { Badge, Time } from '../parts/values.tsx'
import { STRINGS } from '../strings.ts'
import type { ViewProps } from '../views.ts'

type Alert = Schemas['Alert']

const { alerts: said } = STRINGS
const PATH = '/api/v1/operator/alerts'

const FILTERS: readonly Filter[] = [
  {
    name: 'open',
    label: said.state,
    choices: [
      { value: 'true', label: said.isOpen },
      { value: 'false', label: said.isDone },
    ],
  },
  {
    name: 'kind',
    label: said.kind,
    choices: ALERT_KINDS.map((value) => ({ value, label: words(value) })),
  },
  { name: 'from', label: STRINGS.filters.from, type: 'date' },
  { name: 'to', label: STRINGS.filters.to, type: 'date' },
]

const COLUMNS: readonly Column<Alert>[] = [
  { name: said.title, place: 'lead', show: ({ title }) => title },
  { name: said.state, place: 'state', show: (alert) => <State alert={alert} /> },
  { name: said.subject, place: 'second', show: ({ subject }) => <code>{subject}</code> },
  { name: said.raised, place: 'time', show: ({ raisedAt }) => <Time at={raisedAt} /> },
]

export default function Alerts(props: ViewProps) {
  return (
    <ListView
      {...props}
      view="alerts"
      icon="warning"
      path={PATH}
      params={{}}
      caption={STRINGS.views.alerts}
      columns={COLUMNS}
      filters={FILTERS}
      keyOf={({ id }) => `${id}`}
      isAbout={/^alert\./}
      none={{ title: said.none, text: said.noneText }}
      detail={({ open, version, close, changed }) => (
        <Detail
          key={open}
          title={said.one}
          path={`${PATH}/{id}`}
          params={{ id: open }}
          version={version}
          close={close}
          show={(alert) => <About alert={alert} changed={changed} />}
        />
      )}
    />
  )
}

function State({ alert: { isOpen, acknowledgedAt } }: { alert: Alert }) {
  if (isOpen) return <Badge state={said.open} tone="bad" />
  return <Badge state={acknowledgedAt ? said.acknowledged : said.cleared} tone="calm" />
}

function About({ alert, changed }: { alert: Alert; changed: () => void }) {
  const [isAsked, setAsked] = useState(false)
  const done = () => {
    setAsked(false)
    toast(said.done)
    refreshAlertCount()
    changed()
  }
  return (
    <>
      <h3>{alert.title}</h3>
      <State alert={alert} />
      <Facts
        facts={[
          [said.remedy, alert.remedy],
          [said.subject, <code key="subject">{alert.subject}</code>],
          [said.raised, <Time key="raised" at={alert.raisedAt} />],
          [said.acknowledgedAt, alert.acknowledgedAt && <Time at={alert.acknowledgedAt} />],
          [said.acknowledgedBy, alert.acknowledgedBy],
          [said.clearedAt, alert.clearedAt && <Time at={alert.clearedAt} />],
          [said.detail, <Details key="detail" detail={alert.detail} />],
        ]}
      />
      {alert.acknowledgedAt === null && (
        <div class="buttons">
          <button type="button" class="button primary" onClick={() => setAsked(true)}>
            {said.acknowledge}
          </button>
        </div>
      )}
      {isAsked && (
        <Confirm
          title={said.sure}
          action={said.acknowledge}
          run={(headers) =>
            send('POST', `${PATH}/{id}/acknowledge`, { id: alert.id }, { body: {}, headers })
          }
          done={done}
          close={() => setAsked(false)}
        >
          {said.sureText}
        </Confirm>
      )}
    </>
  )
}

function Details({ detail }: { detail: Record<string, unknown> }) {
  return <pre class="alert-detail">{JSON.stringify(detail, null, 2)}</pre>
}
