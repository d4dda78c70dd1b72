// Banks: when the service last heard from each bank, the delay of its notifications, the transfers that only
// a query found, whether the bank answers, and whether routing uses it.

import { useEffect } from 'preact/hooks'
import { appStrings, banksStrings as strings } from '../../copy.ts'
import type { Schemas } from '../api.ts'
import { count, seconds, share } from '../format.ts'
import { useData } from '../loading.ts'
import { Link } from '../parts/controls.tsx'
import { Drawer, factList } from '../parts/drawer.tsx'
import { Empty, Failed, Pending } from '../parts/states.tsx'
import { Badge, Time } from '../parts/values.tsx'
import { closeTo, hrefOf } from '../routing.ts'
import type { ViewProps } from '../session.ts'

type Bank = Schemas['BankHealth']
type State = keyof typeof strings.states

const PATH = '/api/v1/operator/banks'
const RELOAD_MS = 15_000

const TONES = {
  healthy: 'good',
  silent: 'warn',
  losing: 'warn',
  probing: 'warn',
  paused: 'bad',
  unasked: 'calm',
  unheard: 'calm',
} as const

// Summarises the health of a bank, the worst first. `unheard`: the service has never heard from it.
// `unasked`: the service cannot query it.
function stateOf({ circuit, silentSince, isLosing, lastHeardAt, ...calls }: Bank): State {
  if (circuit === 'open') return 'paused'
  if (circuit === 'half_open') return 'probing'
  if (silentSince !== null) return 'silent'
  if (isLosing) return 'losing'
  if (lastHeardAt === null) return 'unheard'
  return calls.canFind || calls.canList ? 'healthy' : 'unasked'
}

function Status({ bank }: { bank: Bank }) {
  const state = stateOf(bank)
  return <Badge state={strings.states[state]} tone={TONES[state]} />
}

type Routing = Bank['routing']['payments']

const ROUTE_TONES = { in_use: 'good', returning: 'warn', left: 'bad', unknown: 'calm' } as const
const WORST_FIRST = ['left', 'returning', 'unknown', 'in_use'] as const

function RouteBadge({ state }: { state: keyof typeof ROUTE_TONES }) {
  return <Badge state={strings.routes[state]} tone={ROUTE_TONES[state]} />
}

// The worse of the routing states for payments and for payouts, for the list.
function WorstRoute({ bank }: { bank: Bank }) {
  const states = [bank.routing.payments?.state, bank.routing.payouts?.state]
  const worst = WORST_FIRST.find((state) => states.includes(state))
  return worst ? <RouteBadge state={worst} /> : strings.routes.none
}

// Whether routing uses the bank, since when, why, and when it will be tried again.
function RouteFact({ routing }: { routing: Routing }) {
  if (!routing) return strings.routes.none
  const { state, since, reason, retryAt } = routing
  return (
    <>
      <RouteBadge state={state} />
      {since && (
        <>
          {` ${strings.since} `}
          <Time at={since} />
        </>
      )}
      {reason && <div class="muted">{strings.routeReasons[reason] ?? reason}</div>}
      {retryAt && (
        <div class="muted">
          {strings.retryAt}: <Time at={retryAt} />
        </div>
      )}
    </>
  )
}

const textOrNone = (value: number | null, show: (value: number) => string) =>
  value === null ? appStrings.nothing : show(value)

export default function Banks({ place }: ViewProps) {
  const { data, problem, reload } = useData(PATH, {})
  useEffect(() => {
    const timer = window.setInterval(reload, RELOAD_MS)
    return () => window.clearInterval(timer)
  }, [reload])
  const open = data?.find(({ code }) => code === place.open)
  if (!data) return <Pending {...{ data, problem, reload }} kind="rows" lines={6} />
  if (data.length === 0) return <Empty icon="banks" title={strings.none} text={strings.noneText} />
  return (
    <>
      {problem && <Failed problem={problem} retry={reload} />}
      <ul class="bank-cards" aria-label={appStrings.views.banks}>
        {data.map((bank) => (
          <BankCard key={bank.code} bank={bank} />
        ))}
      </ul>
      <p class="muted small under-list">{strings.day}</p>
      {open && (
        <Drawer key={open.code} title={strings.one} close={() => closeTo(hrefOf('banks'))}>
          <BankFacts bank={open} />
        </Drawer>
      )}
    </>
  )
}

// The card of a bank: its health and its main figures of the last day. The name opens all of them. `lagP50`
// and `lagP99` are the median and the 99th percentile of the time from a transfer to its notification.
function BankCard({ bank }: { bank: Bank }) {
  const { code, name, lastHeardAt, lagP50, lagP99, foundByRequery, queries, errorRate } = bank
  const hasDelays = lagP50 !== null && lagP99 !== null
  return (
    <li class="card">
      <div class="card-top">
        <h2>
          <Link href={hrefOf('banks', code)}>{name}</Link>
        </h2>
        <Status bank={bank} />
      </div>
      {factList([
        [strings.lastHeard, lastHeardAt ? <Time key="heard" at={lastHeardAt} /> : strings.never],
        [strings.lag, hasDelays && `${seconds(lagP50)} / ${seconds(lagP99)}`],
        [strings.found, count(foundByRequery)],
        [strings.queries, queries > 0 && count(queries)],
        [strings.errorRate, errorRate !== null && share(errorRate)],
        [strings.open, bank.openQuestions > 0 && count(bank.openQuestions)],
        [strings.routing, <WorstRoute key="routing" bank={bank} />],
      ])}
    </li>
  )
}

// All figures of a bank. `canList` and `canFind` are the ways in which the service can query the bank.
function BankFacts({ bank }: { bank: Bank }) {
  const { lastHeardAt, silentSince, circuitUntil, canFind, canList } = bank
  return (
    <>
      <div class="headline">
        <span>{bank.name}</span>
        <Status bank={bank} />
      </div>
      <p class="muted">{strings.stateTexts[stateOf(bank)]}</p>
      {factList([
        [strings.lastHeard, lastHeardAt ? <Time at={lastHeardAt} /> : strings.never],
        [strings.silentSince, silentSince && <Time at={silentSince} />],
        [strings.routedPayments, <RouteFact key="in" routing={bank.routing.payments} />],
        [strings.routedPayouts, <RouteFact key="out" routing={bank.routing.payouts} />],
        [strings.lagP50, textOrNone(bank.lagP50, seconds)],
        [strings.lagP99, textOrNone(bank.lagP99, seconds)],
        [strings.found, count(bank.foundByRequery)],
        [strings.queries, count(bank.queries)],
        [strings.errorRate, textOrNone(bank.errorRate, share)],
        [strings.open, count(bank.openQuestions)],
        [strings.pausedUntil, circuitUntil && <Time at={circuitUntil} />],
        [
          strings.asked,
          [canList && strings.byList, canFind && strings.byIdentifier].filter(Boolean).join(', ') ||
            appStrings.nothing,
        ],
        [
          strings.abandoned,
          bank.abandonedReservations.length > 0 && (
            <AbandonedReservations reservations={bank.abandonedReservations} />
          ),
        ],
        [strings.connector, bank.connector],
        [strings.code, bank.code],
      ])}
    </>
  )
}

type Reservations = Schemas['BankHealth']['abandonedReservations']

// The numbers that the bank reserved for customers whose accounts were never created.
function AbandonedReservations({ reservations }: { reservations: Reservations }) {
  return (
    <>
      <span class="muted">{strings.abandonedText}</span>
      <ul>
        {reservations.map(({ reference, accountNumber, askedAt }) => (
          <li key={reference}>
            {accountNumber ?? strings.noNumber} · <code>{reference}</code> · <Time at={askedAt} />
          </li>
        ))}
      </ul>
    </>
  )
}
