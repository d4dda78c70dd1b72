// Alerts: the event with its subject in words, the recommended action, and the user who acknowledged the
// alert.

import { ALERT_KINDS } from '../../../sdk/src/api-types.ts'
import { codeOf } from '../../../src/short-codes.ts'
import { appStrings, alertsStrings as strings } from '../../copy.ts'
import { type Schemas, send } from '../api.ts'
import { count, humanize, isDay, longDay, money } from '../format.ts'
import { AtOnceButton, offerUndo } from '../parts/action.tsx'
import { refreshAlertCount } from '../parts/approval-count.tsx'
import { Link } from '../parts/controls.tsx'
import { type Fact, factList } from '../parts/drawer.tsx'
import { DATES, type Filter, humanized } from '../parts/filters.tsx'
import { ListView } from '../parts/list-view.tsx'
import type { Column } from '../parts/table.tsx'
import { Badge, Time, useBankNames } from '../parts/values.tsx'
import { hrefOf } from '../routing.ts'
import type { ViewProps } from '../session.ts'

type Alert = Schemas['Alert']
type NameBank = (code: string) => string
type Subject = { text: string; href?: string }

const BANK_SUBJECT = /^([0-9]{3,6})(?:[ /](.+))?$/
const SESSION_SUBJECT = /^(.+)@([0-9]{3,6})$/
const OBJECT_SUBJECT = /^(payout|payout_file|client|case)[ /](\S+)$/
const CASE_SUBJECT = /^(CAS[0-9]+) (.+)$/

// Returns the subject of an alert in words, with a link to its view. The service writes subjects as text: a
// bank code and a part of it, a session id at a bank, an object and its id, or a fixed name. Any other text
// is shown as it is.
function subjectOf({ kind, subject, detail }: Alert, nameBank: NameBank): Subject {
  const [, code = '', about] = BANK_SUBJECT.exec(subject) ?? []
  if (code) {
    const text = [nameBank(code), about && partOfBank(about)].filter(Boolean).join(', ')
    return { text, href: hrefOfBank({ kind, code, about, day: detail.day }) }
  }
  const [, session, bank = ''] = SESSION_SUBJECT.exec(subject) ?? []
  if (session) return { text: `${nameBank(bank)}, ${strings.session(session)}` }
  const [, reference, deadline] = CASE_SUBJECT.exec(subject) ?? []
  if (reference) {
    const text = strings.deadline(reference, humanize(deadline ?? ''))
    return { text, href: hrefOf('cases', reference) }
  }
  const [, type, name = ''] = OBJECT_SUBJECT.exec(subject) ?? []
  if (type === 'payout') {
    return { text: strings.payout(codeOf(name)), href: hrefOf('payouts', name, { tab: 'all' }) }
  }
  if (type === 'payout_file') {
    return { text: strings.payoutFile(name), href: hrefOf('payouts', name, { tab: 'files' }) }
  }
  if (type === 'client') return { text: strings.client(name), href: hrefOf('clients', name) }
  if (subject.startsWith('destination/')) return { text: String(detail.url ?? strings.endpoint) }
  const [view, text] = FIXED_SUBJECTS[subject] ?? []
  return text === undefined ? { text: subject } : { text, ...(view && { href: hrefOf(view) }) }
}

const FIXED_SUBJECTS: Readonly<Record<string, readonly [view: string | undefined, text: string]>> =
  {
    books: ['ledger', strings.books],
    payouts: ['payouts', strings.allPayouts],
    credits: ['screening', strings.credits],
    archive: [undefined, strings.archive],
    holidays: ['settings', strings.holidays],
    identity: [undefined, strings.identity],
  }

// The part of a bank that the alert is about: one of its account numbers, or a named part.
function partOfBank(about: string): string {
  if (/^[0-9]{10}$/.test(about)) return strings.account(about)
  return strings.parts[about] ?? humanize(about)
}

type BankSubject = { kind: string; code: string; about: string | undefined; day: unknown }

// The view in which the operator can act on the alert.
function hrefOfBank({ kind, code, about, day }: BankSubject): string {
  if (kind === 'rail_item_rejected') return hrefOf('rail-items')
  if (kind === 'payouts_waiting') return hrefOf('payouts', undefined, { tab: 'all' })
  if (kind !== 'reconciliation_difference' && kind !== 'statement_missing') {
    return hrefOf('banks', code)
  }
  return hrefOf('reconciliation', undefined, {
    bankCode: code,
    currency: about,
    day: typeof day === 'string' ? day : undefined,
  })
}

// Hidden facts: ids of database rows mean nothing to users, and each amount already shows the currency.
const HIDDEN = ['checkId', 'creditId', 'currency']

// The details that the service recorded with the alert, under readable names.
function detailFacts({ kind, detail }: Alert, nameBank: NameBank): Fact[] {
  const currency = typeof detail.currency === 'string' ? detail.currency : 'NGN'
  return Object.entries(detail)
    .filter(
      ([name]) => !HIDDEN.includes(name) && !(kind === 'endpoint_disabled' && name === 'clientId'),
    )
    .map(([name, value]) => [
      strings.facts[name] ?? humanize(name.replaceAll(/([A-Z])/g, ' $1').toLowerCase()),
      shownValue({ name, value, currency }, nameBank),
    ])
}

type Value = { name: string; value: unknown; currency: string }

const IS_AMOUNT = /^(?:amount|difference)$/

// Formats a detail of an alert by its name and type.
function shownValue({ name, value, currency }: Value, nameBank: NameBank): Fact[1] {
  if (value === null || value === undefined || value === '') return appStrings.nothing
  if (Array.isArray(value)) return value.map((item) => valueText(item)).join('; ')
  if (/Kobo$/.test(name)) return money(Number(value) / 100, currency)
  if (IS_AMOUNT.test(name)) return money(Number(value), currency)
  if (name === 'bank' || name === 'bankCode') return nameBank(String(value))
  if (typeof value === 'number') return count(value)
  if (typeof value !== 'string') return valueText(value)
  if (isDay(value)) return longDay(value)
  return /^\d{4}-\d\d-\d\dT/.test(value) ? <Time key={name} at={value} /> : humanize(value)
}

// A value of the alert’s detail as text; an object as its fields.
function valueText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, item]) => `${humanize(name)}: ${valueText(item)}`)
    .join(', ')
}

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
      {factList([
        [strings.severity, strings.severities[alert.severity as Severity]],
        [strings.remedy, alert.remedy],
        [strings.subject, <AlertSubject key="subject" alert={alert} isLinked />],
        ...detailFacts(alert, nameBank),
        [strings.raised, <Time key="raised" at={alert.raisedAt} />],
        [strings.acknowledgedAt, alert.acknowledgedAt && <Time at={alert.acknowledgedAt} />],
        [strings.acknowledgedBy, alert.acknowledgedBy],
        [strings.clearedAt, alert.clearedAt && <Time at={alert.clearedAt} />],
      ])}
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
