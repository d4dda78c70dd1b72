// The page Today: today's sums compared with last week, by bank and merchant; the success rate, open tasks,
// and the latest credits.

import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { appStrings, creditsStrings, todayStrings as strings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { count, money, share } from '../../format.ts'
import { type LiveEvent, useConnection, useEvents, useThrottled } from '../../live.ts'
import { useData, usePage } from '../../loading.ts'
import { BalancesToday, Stat } from '../../parts/balances.tsx'
import { Link } from '../../parts/controls.tsx'
import { FirstSteps } from '../../parts/sample-data.tsx'
import { SetupChecklist } from '../../parts/setup-checklist.tsx'
import { Empty, Failed, Skeleton } from '../../parts/states.tsx'
import { Term } from '../../parts/term.tsx'
import { Money, PaidBadge, Time } from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'
import type { ViewProps } from '../../session.ts'
import { Breakdown, Chart } from './chart.tsx'
import { Compare } from './compare.tsx'
import { NeedsYou } from './needs-you.tsx'

const NEWEST = '12'

export default function Today({ session, place }: ViewProps) {
  const overview = useData('/api/v1/overview', {})
  const credits = usePage('/api/v1/credits', { limit: NEWEST })
  const [announcement, setAnnouncement] = useState('')
  const [refreshKey, setRefreshKey] = useState(0)
  const refresh = useThrottled(() => {
    setRefreshKey((previous) => previous + 1) // The other parts of the page reload, too.
    overview.reload()
    credits.reload()
  })
  // Announces received money to screen readers. Events about accounts change no figure.
  const onEvent = (event: LiveEvent) => {
    const amount = amountReceived(event)
    if (amount !== undefined) setAnnouncement(strings.came(money(amount)))
    if (!event.type.startsWith('account.')) refresh()
  }
  const isStreaming = useEvents(onEvent, session.scopes.includes('webhooks:read'), refresh)
  const isLive = useConnection() === 'well' && isStreaming && !credits.problem
  // Users restricted to some merchants see no total sums.
  const isRestricted = overview.problem?.code === 'merchants_restricted'
  const failed = overview.problem && !isRestricted && (
    <Failed problem={overview.problem} retry={overview.reload} />
  )
  if (failed && !overview.data) return failed
  // A client without credits sees its first steps instead of figures that are all zero.
  const isFirstRun = !isRestricted && credits.data?.data.length === 0
  return (
    <>
      <p class="hidden" aria-live="polite">
        {announcement}
      </p>
      <NeedsYou session={session} />
      {isRestricted && <p class="notice">{strings.restricted}</p>}
      {failed}
      {overview.data?.isComplete === false && <p class="notice">{strings.counting}</p>}
      {!isRestricted && credits.data && (
        <SetupChecklist session={session} refreshKey={refreshKey} isFolded={!isFirstRun} />
      )}
      {!isRestricted && !isFirstRun && <TodayStats overview={overview.data} />}
      {overview.data && !isFirstRun && (
        <div class="day">
          <DaySum overview={overview.data} />
          <Breakdown refreshKey={refreshKey} />
        </div>
      )}
      {overview.data && !isFirstRun && (
        <Compare query={place.query} now={overview.data.now} refreshKey={refreshKey} />
      )}
      {!isRestricted && !isFirstRun && session.scopes.includes('accounts:read') && (
        <BalancesToday refreshKey={refreshKey} />
      )}
      {!isRestricted && !isFirstRun && (
        <Chart hours={overview.data?.hours} days={overview.data?.days} />
      )}
      <section class="card" aria-labelledby="newest">
        <header class="card-top">
          <h2 id="newest">{strings.newest}</h2>
          <span class={`live ${isLive ? 'on' : ''}`}>
            {isLive ? strings.live : strings.notLive}
          </span>
        </header>
        {credits.problem && <Failed problem={credits.problem} retry={credits.reload} />}
        {(credits.data || !credits.problem) && (
          <NewestCredits
            credits={credits.data?.data}
            first={<FirstSteps session={session} refresh={refresh} />}
          />
        )}
      </section>
    </>
  )
}

// Returns the received amount that an event reports, or undefined for other events.
function amountReceived({ type, data }: LiveEvent): number | undefined {
  if (!['collection.received', 'payment.part_paid', 'payment.successful'].includes(type)) {
    return undefined
  }
  return (data.credit as { amount?: number } | undefined)?.amount
}

// The main figures of today, with yesterday’s for comparison.
function TodayStats({ overview }: { overview: Schemas['Overview'] | undefined }) {
  if (!overview) return <Skeleton kind="stats" lines={5} />
  const { today, yesterday, inSuspense, failingWebhooks } = overview
  const ended = today.successful + today.expired + today.cancelled
  return (
    <dl class="stats">
      <Stat name={strings.net} note={strings.yesterday(money(yesterday.net))} term="net" isMain>
        {money(today.net)}
      </Stat>
      <Stat name={strings.credits} note={strings.yesterday(count(yesterday.credits))}>
        {count(today.credits)}
      </Stat>
      <Stat
        name={strings.rate}
        term="successRate"
        note={ended > 0 ? strings.ended(count(today.successful), count(ended)) : strings.noneEnded}
      >
        {today.successRate === null ? appStrings.nothing : share(today.successRate)}
      </Stat>
      {inSuspense && (
        <Stat
          name={strings.suspense}
          note={strings.items(inSuspense.items)}
          tone={inSuspense.items > 0 ? 'warn' : ''}
          view="suspense"
        >
          {money(inSuspense.amount)}
        </Stat>
      )}
      {failingWebhooks !== null && (
        <Stat
          name={strings.webhooks}
          note={failingWebhooks > 0 ? strings.failing : strings.well}
          tone={failingWebhooks > 0 ? 'bad' : ''}
          view="webhooks"
        >
          {count(failingWebhooks)}
        </Stat>
      )}
    </dl>
  )
}

type NewestCreditsProps = {
  credits: Schemas['Credit'][] | undefined
  first: ComponentChildren
}

// The latest credits. `first` is shown if there are none yet.
function NewestCredits({ credits, first }: NewestCreditsProps) {
  // The credits of the rendering before. A credit that is not among them is new, and is highlighted
  // briefly.
  const known = useRef<ReadonlySet<number> | undefined>(undefined)
  useEffect(() => {
    if (credits) known.current = new Set(credits.map(({ id }) => id))
  }, [credits])
  if (!credits) return <Skeleton kind="rows" lines={6} />
  if (credits.length === 0) {
    return (
      <Empty icon="credits" title={strings.none}>
        <p>
          {strings.noneText} <a href="/docs">{appStrings.reference}</a>
        </p>
        {first}
      </Empty>
    )
  }
  return (
    <ul class="feed">
      {credits.map((credit) => (
        <li key={credit.id} class={known.current?.has(credit.id) === false ? 'new' : ''}>
          <Link href={hrefOf('credits', `${credit.id}`)}>
            <span class="feed-who">{credit.sourceAccountName ?? creditsStrings.unnamed}</span>
            <span class="muted feed-to">{strings.to(credit.accountNumber, credit.bankName)}</span>
            <PaidBadge
              state={credit.outcome}
              received={credit.amount}
              refunded={credit.refundedAmount}
            />
            <Money amount={credit.amount} currency={credit.currency} />
            <Time at={credit.receivedAt} />
          </Link>
        </li>
      ))}
    </ul>
  )
}

type Overview = Schemas['Overview']

const DEDUCTIONS = ['reversed', 'returned', 'refunded', 'suspended', 'fees'] as const

// The calculation from gross to net for today.
function DaySum({ overview }: { overview: Overview }) {
  const { today, currency } = overview
  return (
    <section class="card day-sum" aria-labelledby="day-sum">
      <header class="card-top">
        <h2 id="day-sum">{strings.sum}</h2>
      </header>
      <dl class="sums">
        <div>
          <dt>
            <Term term="gross" text={strings.gross} />
          </dt>
          <dd>
            <Money amount={today.gross} currency={currency} />
          </dd>
        </div>
        {DEDUCTIONS.map((name) => (
          <div key={name}>
            <dt>
              <Term term={name} text={strings.parts[name]} />
              {name === 'refunded' && <RefundsLink />}
            </dt>
            <dd>{signed(-today[name])}</dd>
          </div>
        ))}
        <div class="total">
          <dt>
            <Term term="net" text={strings.netOf} />
          </dt>
          <dd>
            <Money amount={today.net} currency={currency} />
          </dd>
        </div>
      </dl>
    </section>
  )
}

function RefundsLink() {
  return (
    <>
      {' '}
      <Link class="small" href={hrefOf('refunds')}>
        {strings.viewRefunds}
      </Link>
    </>
  )
}

// Formats a deduction with a minus. A plus means that more was credited back than deducted.
function signed(amount: number): string {
  if (amount === 0) return money(0)
  return amount < 0 ? `−${money(-amount)}` : `+${money(amount)}`
}
