// Alerts: the event, the recommended action, and the user who acknowledged the alert.

import { ALERT_KINDS } from '../../../sdk/src/api-types.ts'
import { appStrings, alertsStrings as strings } from '../../copy.ts'
import { type Schemas, send } from '../api.ts'
import { AtOnceButton, offerUndo } from '../parts/action.tsx'
import { refreshAlertCount } from '../parts/approval-count.tsx'
import { useBankNames } from '../parts/bank-name.tsx'
import { Facts } from '../parts/drawer.tsx'
import { DATES, type Filter, humanized } from '../parts/filters.tsx'
import { Link } from '../parts/link.tsx'
import { ListView } from '../parts/list-view.tsx'
import type { Column } from '../parts/table.tsx'
import { Badge, Time } from '../parts/values.tsx'
import type { ViewProps } from '../view-props.ts'
import { detailFacts, subjectOf } from './alert-facts.tsx'

type Alert = Schemas['Alert']
type Severity = keyof typeof strings.severities

const PATH = '/api/v1/operator/alerts'

const FILTERS: readonly Filter[] = [
  {
    name: 'open',
    label: strings.state,
    choices: { true: strings.isOpen, false: strings.isDone },
  },
  { name: 'severity', label: strings.severity, choices: strings.severities },
  { name: 'kind', label: strings.kind, choices: humanized(ALERT_KINDS) },
  ...DATES,
]

const COLUMNS: readonly Column<Alert>[] = [
  { name: strings.title, place: 'lead', show: ({ title }) => title },
  { name: strings.state, place: 'state', show: (alert) => <State alert={alert} /> },
  {
    name: strings.severity,
    place: 'line',
    show: ({ severity }) => strings.severities[severity as Severity],
  },
  { name: strings.subject, place: 'second', show: (alert) => <AlertSubject alert={alert} /> },
  { name: strings.raised, place: 'time', show: ({ raisedAt }) => <Time at={raisedAt} /> },
]

// The list of alerts, which reloads at each event about alerts (`isAbout`).
export default function Alerts(props: ViewProps) {
  return (
    <ListView
      {...props}
      view="alerts"
      icon="warning"
      path={PATH}
      caption={appStrings.views.alerts}
      columns={COLUMNS}
      filters={FILTERS}
      keyOf={({ id }) => `${id}`}
      isAbout={/^alert\./}
      emptyState={{ title: strings.none, text: strings.noneText }}
      drawer={{
        title: strings.one,
        path: `${PATH}/{id}`,
        show: (alert, { changed }) => <AlertFacts alert={alert} changed={changed} />,
      }}
    />
  )
}

// Shows the alert's state. An alert that is not open was acknowledged by a user, or else its condition ended
// (`cleared`).
function State({ alert: { isOpen, acknowledgedAt } }: { alert: Alert }) {
  if (isOpen) return <Badge state={strings.open} tone="bad" />
  return <Badge state={acknowledgedAt ? strings.acknowledged : strings.cleared} tone="calm" />
}

function AlertFacts({ alert, changed }: { alert: Alert; changed: () => void }) {
  const nameBank = useBankNames()
  return (
    <>
      <h3>{alert.title}</h3>
      <State alert={alert} />
      <Facts
        facts={[
          [strings.severity, strings.severities[alert.severity as Severity]],
          [strings.remedy, alert.remedy],
          [strings.subject, <AlertSubject key="subject" alert={alert} isLinked />],
          ...detailFacts(alert, nameBank),
          [strings.raised, <Time key="raised" at={alert.raisedAt} />],
          [strings.acknowledgedAt, alert.acknowledgedAt && <Time at={alert.acknowledgedAt} />],
          [strings.acknowledgedBy, alert.acknowledgedBy],
          [strings.clearedAt, alert.clearedAt && <Time at={alert.clearedAt} />],
        ]}
      />
      <AcknowledgeAlert alert={alert} onDone={changed} />
    </>
  )
}

// Has no confirmation dialog, because an acknowledgement can be undone.
export function AcknowledgeAlert({ alert, onDone }: { alert: Alert; onDone: () => void }) {
  if (alert.acknowledgedAt !== null) return null
  const params = { id: alert.id }
  // The number in the menu changes with the list.
  const refresh = () => {
    refreshAlertCount()
    onDone()
  }
  return (
    <div class="buttons">
      <AtOnceButton
        label={strings.acknowledge}
        style="primary"
        run={async (headers) => {
          await send('POST', `${PATH}/{id}/acknowledge`, { params, body: {}, headers })
          refresh()
          offerUndo(strings.done, async (headers) => {
            await send('POST', `${PATH}/{id}/reopen`, { params, body: {}, headers })
            refresh()
          })
        }}
      />
    </div>
  )
}

// The subject in words. In the list the whole row is a link, so the subject is none there.
function AlertSubject({ alert, isLinked = false }: { alert: Alert; isLinked?: boolean }) {
  const { text, href } = subjectOf(alert, useBankNames())
  return isLinked && href ? <Link href={href}>{text}</Link> : text
}
