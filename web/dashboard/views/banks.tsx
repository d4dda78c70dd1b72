// Banks: when each was last heard, how late its notifications are, what had to be asked for, and
// whether it answers and is in use for routing.

import { useEffect } from 'preact/hooks'
import { appStrings, banksStrings as strings } from '../../copy.ts'
import type { Schemas } from '../api.ts'
import { count, seconds, share } from '../format.ts'
import { useData } from '../loading.ts'
import { Drawer, Facts } from '../parts/drawer.tsx'
import { onePage } from '../parts/one-page.ts'
import { Empty } from '../parts/states.tsx'
import { type Column, ListTable } from '../parts/table.tsx'
import { Badge, Time } from '../parts/values.tsx'
import { closeTo, hrefOf } from '../routing.ts'
import type { ViewProps } from '../view-props.ts'

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
} as const

function stateOf({ circuit, silentSince, isLosing, canFind, canList }: Bank): State {
  if (circuit === 'open') return 'paused'
  if (circuit === 'half_open') return 'probing'
  if (silentSince !== null) return 'silent'
  if (isLosing) return 'losing'
  return canFind || canList ? 'healthy' : 'unasked'
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

// In a list: of payments and payouts, the worse.
function Routed({ bank }: { bank: Bank }) {
  const states = [bank.routing.payments?.state, bank.routing.payouts?.state]
  const worst = WORST_FIRST.find((state) => states.includes(state))
  return worst ? <RouteBadge state={worst} /> : strings.routes.none
}

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

const orNone = (value: number | null, show: (value: number) => string) =>
  value === null ? appStrings.nothing : show(value)

const COLUMNS: readonly Column<Bank>[] = [
  { name: strings.bank, place: 'lead', show: ({ name }) => name },
  { name: strings.state, place: 'amount', show: (bank) => <Status bank={bank} /> },
  {
    name: strings.lastHeard,
    place: 'line',
    show: ({ lastHeardAt }) => (lastHeardAt ? <Time at={lastHeardAt} /> : strings.never),
  },
  {
    name: strings.lag,
    place: 'line',
    isAmount: true,
    show: ({ lagP50, lagP99 }) =>
      lagP50 === null || lagP99 === null
        ? appStrings.nothing
        : `${seconds(lagP50)} / ${seconds(lagP99)}`,
  },
  {
    name: strings.found,
    place: 'line',
    isAmount: true,
    show: ({ foundByRequery }) => count(foundByRequery),
  },
  { name: strings.routing, place: 'line', show: (bank) => <Routed bank={bank} /> },
  { name: strings.queries, isAmount: true, show: ({ queries }) => count(queries) },
  { name: strings.errorRate, isAmount: true, show: ({ errorRate }) => orNone(errorRate, share) },
  { name: strings.open, isAmount: true, show: ({ openQuestions }) => count(openQuestions) },
]

export default function Banks({ place }: ViewProps) {
  const loaded = useData(PATH, {})
  const { data, reload } = loaded
  useEffect(() => {
    const timer = window.setInterval(reload, RELOAD_MS)
    return () => window.clearInterval(timer)
  }, [reload])
  const open = data?.find(({ code }) => code === place.open)
  return (
    <>
      <ListTable
        caption={appStrings.views.banks}
        columns={COLUMNS}
        pages={onePage(loaded)}
        keyOf={({ code }) => code}
        hrefOf={({ code }) => hrefOf('banks', code)}
        openKey={place.open}
        empty={<Empty icon="banks" title={strings.none} text={strings.noneText} />}
      />
      <p class="muted small under-list">{strings.day}</p>
      {open && (
        <Drawer key={open.code} title={strings.one} close={() => closeTo(hrefOf('banks'))}>
          <About bank={open} />
        </Drawer>
      )}
    </>
  )
}

function About({ bank }: { bank: Bank }) {
  const { lastHeardAt, silentSince, circuitUntil, canFind, canList } = bank
  return (
    <>
      <div class="headline">
        <span>{bank.name}</span>
        <Status bank={bank} />
      </div>
      <p class="muted">{strings.stateTexts[stateOf(bank)]}</p>
      <Facts
        facts={[
          [strings.lastHeard, lastHeardAt ? <Time at={lastHeardAt} /> : strings.never],
          [strings.silentSince, silentSince && <Time at={silentSince} />],
          [strings.routedPayments, <RouteFact key="in" routing={bank.routing.payments} />],
          [strings.routedPayouts, <RouteFact key="out" routing={bank.routing.payouts} />],
          [strings.lagP50, orNone(bank.lagP50, seconds)],
          [strings.lagP99, orNone(bank.lagP99, seconds)],
          [strings.found, count(bank.foundByRequery)],
          [strings.queries, count(bank.queries)],
          [strings.errorRate, orNone(bank.errorRate, share)],
          [strings.open, count(bank.openQuestions)],
          [strings.pausedUntil, circuitUntil && <Time at={circuitUntil} />],
          [
            strings.asked,
            [canList && strings.byList, canFind && strings.byIdentifier]
              .filter(Boolean)
              .join(', ') || appStrings.nothing,
          ],
          [
            strings.abandoned,
            bank.abandonedReservations.length > 0 && (
              <Abandoned reservations={bank.abandonedReservations} />
            ),
          ],
          [strings.connector, bank.connector],
          [strings.code, bank.code],
        ]}
      />
    </>
  )
}

type Reservations = Schemas['BankHealth']['abandonedReservations']

function Abandoned({ reservations }: { reservations: Reservations }) {
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
