// “Needs you” on Today: the number of waiting items of each kind, and the newest items with their actions.
// Settlements have only a link, and months are not listed: users approve a settlement where its bank accounts
// are shown, and a month where its checklist is shown.

import type { ComponentChildren, ComponentType } from 'preact'
import {
  adjustmentsStrings,
  casesStrings,
  differencesStrings,
  holdsStrings,
  payoutFailuresStrings,
  payoutsStrings,
  approvalsStrings as strings,
  suspenseStrings,
  webhooksStrings,
} from '../../../copy.ts'
import type { PagePath, Query, Row } from '../../api.ts'
import { money } from '../../format.ts'
import { useData, usePage } from '../../loading.ts'
import {
  capped,
  PLACES,
  refreshApprovalCounts,
  TASK_PLACES,
  type Task,
  usePending,
  type Workflow,
} from '../../parts/approval-count.tsx'
import { Link } from '../../parts/controls.tsx'
import { Failed, Pending, Skeleton } from '../../parts/states.tsx'
import { Money, Time } from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'
import type { Session } from '../../session.ts'
import { Debtor, DecideAdjustment } from '../adjustments.tsx'
import { AcknowledgeAlert } from '../alerts.tsx'
import { DecideEnding } from '../holds.tsx'
import { PayoutActions } from '../payouts/own-payouts.tsx'
import { DecideFailureRequest } from '../payouts/resolve-payout.tsx'
import { TakeDifference } from '../reconciliation/assign-difference.tsx'
import {
  actionName,
  DecideAdjustingEntry,
  DecideResolution,
  proposedReading,
} from '../reconciliation/difference.tsx'
import { DIFFERENCES, kindText } from '../reconciliation/movement.tsx'
import { DecideScreening, screeningText } from '../screening.tsx'
import { periodOf } from '../settlements/settlement.tsx'
import { OpenRequest } from '../suspense/suspense-requests.tsx'
import { SwitchOn } from '../webhooks/endpoint.tsx'

const SHOWN_MAX = 3
const LOADED_MAX = '20' // More than are shown, because some items may wait for other users.

type Item = {
  key: string
  href: string
  text: ComponentChildren
  sum?: { amount: number; currency?: string } | undefined
  at: string
  by?: string | null | undefined
  reason?: string | null | undefined
  actions?: ComponentChildren
}

type Tools = { session: Session; onDone: () => void }

type List<P extends PagePath> = {
  path: P
  query?: Query
  isForUser?: (row: Row<P>, session: Session) => boolean
  show: (row: Row<P>, tools: Tools) => Item
}

type Waiting = ComponentType<{ session: Session; count: number }>

// Makes a component that loads the items of one kind and lists the newest ones for the user.
function waitingItems<P extends PagePath>(props: List<P>): Waiting {
  const { path, query = {}, isForUser = () => true, show } = props
  return function WaitingItems({ session, count }) {
    const { data, problem, reload } = usePage(path, { ...query, limit: LOADED_MAX }, count)
    // Called after a decision: the item is gone, and the counts change.
    const onDone = () => {
      refreshApprovalCounts()
      reload()
    }
    if (problem) return <Failed problem={problem} retry={reload} />
    if (!data) return <Skeleton kind="lines" lines={1} />
    const rows = data.data.filter((row) => isForUser(row, session)).slice(0, SHOWN_MAX)
    if (rows.length === 0) return null
    return (
      <ul class="needs-you-items">
        {rows.map((row) => {
          const { key, ...item } = show(row, { session, onDone })
          return <WaitingItem key={key} {...item} />
        })}
      </ul>
    )
  }
}

// One item that waits for the user. `by` is the user who requested it.
function WaitingItem({ href, text, sum, at, by, reason, actions }: Omit<Item, 'key'>) {
  return (
    <li>
      <p>
        <Link href={href}>{text}</Link>
        {sum && (
          <>
            {' '}
            <Money amount={sum.amount} currency={sum.currency ?? 'NGN'} />
          </>
        )}
      </p>
      <p class="muted small">
        {by && `${strings.by(holdsStrings.person(by))}, `}
        <Time at={at} />
      </p>
      {reason && <p class="request-reason">{reason}</p>}
      {actions}
    </li>
  )
}

type Request = { requestedBy: string; cannotApprove: object | null }

// Whether the user may approve the request: another user made it, and there is no obstacle. The service
// counts by the same rule.
function mayApprove({ requestedBy, cannotApprove }: Request, { user }: Session): boolean {
  return cannotApprove === null && requestedBy !== `user:${user.email}`
}

const openDifferences = waitingItems({
  path: DIFFERENCES,
  query: { state: 'open' },
  isForUser: ({ owner }, { user }) => owner === null || owner.id === user.id,
  show: (difference, tools) => ({
    key: `${difference.id}`,
    href: hrefOf('reconciliation', `${difference.id}`, { tab: 'differences', state: 'open' }),
    text: kindText(difference.kind),
    sum: difference,
    at: difference.openedAt,
    actions: (
      <div class="buttons">
        <TakeDifference difference={difference} {...tools} />
      </div>
    ),
  }),
})

const suspenseItems = waitingItems({
  path: '/api/v1/suspense',
  query: { state: 'open' },
  show: (item) => ({
    key: `${item.id}`,
    href: hrefOf('suspense', `${item.id}`),
    text: item.sourceAccountName ?? item.accountNumber,
    sum: item,
    at: item.openedAt,
    reason: suspenseStrings.reasons[item.reason as keyof typeof suspenseStrings.reasons],
  }),
})

const failingWebhooks = waitingItems({
  path: '/api/v1/webhook-endpoints',
  isForUser: ({ isActive, health }) =>
    isActive ? health.failingSince !== null : health.disabledWhy !== null,
  show: ({ id, url, isActive, updatedAt, health }, { session, onDone }) => ({
    key: id,
    href: hrefOf('webhooks', id),
    text: url,
    at: health.failingSince ?? updatedAt,
    reason: health.disabledWhy && webhooksStrings.endpoints.disabledWhy(health.disabledWhy),
    actions: !isActive && session.scopes.includes('webhooks:write') && (
      <div class="buttons">
        <SwitchOn id={id} onDone={onDone} />
      </div>
    ),
  }),
})

const openAlerts = waitingItems({
  path: '/api/v1/operator/alerts',
  query: { open: 'true' },
  show: (alert, { onDone }) => ({
    key: `${alert.id}`,
    href: hrefOf('alerts', `${alert.id}`),
    text: alert.title,
    at: alert.raisedAt,
    reason: alert.remedy,
    actions: <AcknowledgeAlert alert={alert} onDone={onDone} />,
  }),
})

const openCases = waitingItems({
  path: '/api/v1/operator/cases',
  isForUser: ({ state }) => state !== 'closed',
  show: (item) => ({
    key: item.reference,
    href: hrefOf('cases', item.reference),
    text: item.summary || casesStrings.erased,
    at: item.reportedAt,
    reason: casesStrings.kinds[item.kind],
  }),
})

const WAITING_TASKS: Readonly<Record<Task, Waiting>> = {
  openDifferences,
  suspenseItems,
  failingWebhooks,
  openAlerts,
  openCases,
}

const PAYOUT = '/api/v1/payouts/{reference}'
const OPEN = { state: 'open' }

// Loads the payout, because the list does not say why a payout cannot be approved.
function DecidePayout({ reference, onDone }: { reference: string; onDone: () => void }) {
  const { data, problem, reload } = useData(PAYOUT, { reference })
  if (!data) return <Pending {...{ data, problem, reload }} kind="lines" lines={1} />
  return <PayoutActions payout={data} onDone={onDone} />
}

const payouts = waitingItems({
  path: '/api/v1/payouts',
  query: { status: 'queued', approval: 'needed' },
  isForUser: ({ requestedBy }, { user }) => requestedBy !== `user:${user.email}`,
  show: (payout, { onDone }) => ({
    key: payout.reference,
    href: hrefOf('payouts', payout.reference),
    text: `${payoutsStrings.to(payout.toAccountName)} ${payout.toAccountNumberMasked}`,
    sum: payout,
    at: payout.requestedAt,
    by: payout.requestedBy,
    reason: payout.narration,
    actions: <DecidePayout reference={payout.reference} onDone={onDone} />,
  }),
})

const settlements = waitingItems({
  path: '/api/v1/settlements',
  query: { status: 'closed' },
  show: (settlement) => ({
    key: settlement.reference,
    href: hrefOf('settlements', settlement.reference),
    text: periodOf(settlement),
    sum: { amount: settlement.net, currency: settlement.currency },
    at: settlement.closedAt,
  }),
})

const suspense = waitingItems({
  path: '/api/v1/suspense/requests',
  query: OPEN,
  isForUser: ({ isOwn, cannotApprove }) => !isOwn && cannotApprove === null,
  show: (request, { session, onDone }) => ({
    key: `${request.id}`,
    href: hrefOf('suspense', request.itemId === null ? undefined : `${request.itemId}`),
    text: request.sourceAccountName ?? suspenseStrings.makerChecker,
    sum:
      request.amount === null
        ? undefined
        : { amount: request.amount, currency: request.currency ?? 'NGN' },
    at: request.requestedAt,
    actions: (
      <OpenRequest {...{ request, onDone }} mayDecide={session.scopes.includes('suspense:write')} />
    ),
  }),
})

const adjustments = waitingItems({
  path: '/api/v1/operator/adjustments',
  query: OPEN,
  isForUser: mayApprove,
  show: (item, tools) => ({
    key: item.reference,
    href: hrefOf('adjustments', item.reference),
    text: (
      <>
        {adjustmentsStrings.kinds[item.kind]}: <Debtor {...item} />
      </>
    ),
    sum: item,
    at: item.requestedAt,
    by: item.requestedBy,
    reason: item.reason,
    actions: <DecideAdjustment item={item} {...tools} />,
  }),
})

const differenceHref = (id: number) =>
  hrefOf('reconciliation', `${id}`, { tab: 'differences', state: 'asked' })

const Resolutions = waitingItems({
  path: DIFFERENCES,
  query: { state: 'asked' },
  isForUser: ({ askedBy, cannotApprove }, session) =>
    mayApprove({ requestedBy: askedBy ?? '', cannotApprove }, session),
  show: (difference, tools) => ({
    key: `${difference.id}`,
    href: differenceHref(difference.id),
    text: `${kindText(difference.kind)}: ${actionName(difference)}`,
    sum: difference,
    at: difference.askedAt ?? difference.openedAt,
    by: difference.askedBy,
    reason: [difference.reason, proposedReading(difference)].filter(Boolean).join(' '),
    actions: <DecideResolution difference={difference} {...tools} />,
  }),
})

const Entries = waitingItems({
  path: '/api/v1/operator/reconciliation/adjusting-entries',
  query: OPEN,
  isForUser: mayApprove,
  show: (entry, tools) => ({
    key: entry.reference,
    href: differenceHref(entry.differenceId),
    text: differencesStrings.adjustAccounts[entry.account] ?? entry.account,
    sum: entry,
    at: entry.requestedAt,
    by: entry.requestedBy,
    reason: entry.reason,
    actions: <DecideAdjustingEntry entry={entry} {...tools} />,
  }),
})

const payoutFailures = waitingItems({
  path: '/api/v1/operator/payout-failures',
  query: OPEN,
  isForUser: mayApprove,
  show: (item, tools) => ({
    key: item.reference,
    href: hrefOf('payouts', item.payout ?? item.payoutFile ?? undefined, {
      tab: item.payout ? 'all' : 'files',
    }),
    text: payoutFailuresStrings.title,
    sum: item,
    at: item.requestedAt,
    by: item.requestedBy,
    reason: `${item.reason} ${item.evidence}`,
    actions: <DecideFailureRequest item={item} {...tools} />,
  }),
})

const endingWords = (kind: string) =>
  kind === 'release' ? holdsStrings.release : holdsStrings.forfeit

const holds = waitingItems({
  path: '/api/v1/operator/holds/requests',
  query: OPEN,
  isForUser: mayApprove,
  show: (request, tools) => ({
    key: request.hold,
    href: hrefOf('holds', request.hold),
    text: `${endingWords(request.kind).requested}: ${request.clientId}`,
    sum: request.amount === null ? undefined : { amount: request.amount },
    at: request.requestedAt,
    by: request.requestedBy,
    reason: request.reason,
    actions: (
      <DecideEnding
        request={request}
        amount={request.amount === null ? strings.allHeld : money(request.amount)}
        {...tools}
      />
    ),
  }),
})

const screening = waitingItems({
  path: '/api/v1/operator/screening/requests',
  query: OPEN,
  isForUser: mayApprove,
  show: (item, tools) => ({
    key: `${item.id}`,
    href: hrefOf('screening', `${item.id}`, { tab: 'requests' }),
    text: screeningText(item),
    at: item.requestedAt,
    by: item.requestedBy,
    reason: item.reason,
    actions: <DecideScreening item={item} {...tools} />,
  }),
})

const WAITING_APPROVALS: Readonly<Partial<Record<Workflow, Waiting>>> = {
  payouts,
  settlements,
  suspense,
  adjustments,
  differences: (props) => (
    <>
      <Resolutions {...props} />
      <Entries {...props} />
    </>
  ),
  payoutFailures,
  holds,
  screening,
}

// The requests that the user may approve, and other tasks, each with its count, a link and its newest items.
export function NeedsYou({ session }: { session: Session }) {
  const pending = usePending()
  if (!pending) return null
  const rows = [
    ...PLACES.map(([workflow, href]) => ({
      key: workflow,
      href,
      count: pending[workflow],
      name: strings.workflows[workflow],
      action: strings.review,
      Waiting: WAITING_APPROVALS[workflow],
    })),
    ...TASK_PLACES.map(([task, href]) => ({
      key: task,
      href,
      count: pending[task] ?? 0,
      name: strings.tasks[task],
      action: strings.open,
      Waiting: WAITING_TASKS[task],
    })),
  ].filter(({ count }) => count > 0)
  if (rows.length === 0) return null
  return (
    <section class="card needs-you" aria-labelledby="needs-you">
      <h2 id="needs-you">{strings.needsYou}</h2>
      <ul>
        {rows.map(({ key, Waiting, ...row }) => (
          <WaitingRow key={key} {...row}>
            {Waiting && <Waiting session={session} count={row.count} />}
          </WaitingRow>
        ))}
      </ul>
    </section>
  )
}

type WaitingRowProps = {
  href: string
  count: number
  name: string
  action: string
  children: ComponentChildren
}

function WaitingRow({ href, count, name, action, children }: WaitingRowProps) {
  return (
    <li>
      <div class="needs-you-row">
        <span class="count">{capped(count)}</span>
        <span>{name}</span>
        <Link class="button small" href={href} aria-label={strings.actOn(action, name)}>
          {action}
        </Link>
      </div>
      {children}
    </li>
  )
}
