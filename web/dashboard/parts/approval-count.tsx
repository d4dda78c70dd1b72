// The numbers of requests that the user may approve, of other tasks, and of open alerts, for the menu and
// for "Needs you" on Today (views/today/needs-you.tsx). All places that show them share one API call.

import { useEffect, useState } from 'preact/hooks'
import { alertsStrings, approvalsStrings as strings } from '../../copy.ts'
import { getData, type Schemas } from '../api.ts'
import { useEvents, useThrottled } from '../live.ts'
import { usePage, useSteadyRefresh } from '../loading.ts'
import { hrefOf } from '../routing.ts'
import type { Session } from '../session.ts'

export type Pending = Schemas['PendingApprovals']
export type Task =
  | 'openDifferences'
  | 'suspenseItems'
  | 'failingWebhooks'
  | 'openAlerts'
  | 'openCases'
export type Workflow = Exclude<keyof Pending, 'total' | Task>

const SHARED_MS = 1_000 // Callers within this time share one response.
const COUNTED_MAX = 99
const CHANGED = 'manilla:approvals-changed'

let latest: { at: number; answer: Promise<Pending> } | undefined

// Several counts appear at once, so callers within a second get the same response.
function loadShared(): Promise<Pending> {
  const at = performance.now()
  if (!latest || at - latest.at > SHARED_MS) {
    latest = { at, answer: getData('/dashboard/api/approvals', {}) }
  }
  return latest.answer
}

// Call this after a decision, so that all counts load again at once.
export function refreshApprovalCounts(): void {
  latest = undefined
  window.dispatchEvent(new Event(CHANGED))
}

// The numbers of requests and tasks that wait for the user; undefined until they are known, and after an
// error.
export function usePending(): Pending | undefined {
  const [pending, setPending] = useState<Pending | undefined>()
  const refresh = () => {
    loadShared().then(setPending, () => setPending(undefined))
  }
  useSteadyRefresh(refresh)
  useEffect(() => {
    refresh()
    window.addEventListener(CHANGED, refresh)
    return () => window.removeEventListener(CHANGED, refresh)
  }, [])
  return pending
}

export const capped = (count: number) => (count > COUNTED_MAX ? `${COUNTED_MAX}+` : `${count}`)

// Makes the component that shows, next to a view in the menu, how many requests of these workflows wait for
// the user.
export function approvalCount(...workflows: readonly Workflow[]) {
  return function ApprovalCount() {
    const pending = usePending()
    const count = workflows.reduce((sum, workflow) => sum + (pending?.[workflow] ?? 0), 0)
    if (count === 0) return null
    return (
      <span class="count">
        <span aria-hidden="true">{capped(count)}</span>
        <span class="hidden">{strings.count(count)}</span>
      </span>
    )
  }
}

// The list in which the user decides the requests of each workflow.
export const PLACES: readonly (readonly [Workflow, string])[] = [
  ['payouts', hrefOf('payouts', undefined, { approval: 'needed' })],
  ['settlements', hrefOf('settlements')],
  ['suspense', hrefOf('suspense')],
  ['adjustments', hrefOf('adjustments')],
  ['differences', hrefOf('reconciliation', undefined, { tab: 'differences', state: 'asked' })],
  ['payoutFailures', hrefOf('payouts', undefined, { tab: 'all' })],
  ['holds', hrefOf('holds', undefined, { state: 'active' })],
  ['screening', hrefOf('screening', undefined, { tab: 'requests' })],
  ['months', hrefOf('accounting', undefined, { tab: 'months' })],
]

// The list in which the user finds the items of each task.
export const TASK_PLACES: readonly (readonly [Task, string])[] = [
  ['openDifferences', hrefOf('reconciliation', undefined, { tab: 'differences', state: 'open' })],
  ['suspenseItems', hrefOf('suspense')],
  ['failingWebhooks', hrefOf('webhooks')],
  ['openAlerts', hrefOf('alerts', undefined, { open: 'true' })],
  ['openCases', hrefOf('cases')],
]

// The number next to Today in the menu: all items that need the user.
export function NeedsYouCount() {
  const pending = usePending()
  const tasks = TASK_PLACES.reduce((sum, [task]) => sum + (pending?.[task] ?? 0), 0)
  const count = (pending?.total ?? 0) + tasks
  if (count === 0) return null
  return (
    <span class="count">
      <span aria-hidden="true">{capped(count)}</span>
      <span class="hidden">{strings.needsYouCount(count)}</span>
    </span>
  )
}

const ALERTS_MAX = 99 // One page of alerts is enough to count.
const query = { open: 'true', limit: `${ALERTS_MAX}` }
const ALERTS_CHANGED = 'manilla:alerts-changed'

// Call this after an acknowledgement, because acknowledging an alert raises no event.
export function refreshAlertCount(): void {
  window.dispatchEvent(new Event(ALERTS_CHANGED))
}

// The number of open alerts next to Alerts in the menu. A user without the scope `webhooks:read` gets no
// events, so the number also refreshes at intervals.
export function AlertCount({ session }: { session: Session }) {
  const open = usePage('/api/v1/operator/alerts', query)
  const refresh = useThrottled(open.reload)
  useEvents(
    ({ type }) => type === 'alert.raised' && refresh(),
    session.scopes.includes('webhooks:read'),
    refresh,
  )
  useSteadyRefresh(refresh)
  useEffect(() => {
    window.addEventListener(ALERTS_CHANGED, open.reload)
    return () => window.removeEventListener(ALERTS_CHANGED, open.reload)
  }, [open.reload])
  if (!open.data || open.data.data.length === 0) return null
  const count = `${open.data.data.length}${open.data.hasMore ? '+' : ''}`
  return (
    <span class="count">
      <span aria-hidden="true">{count}</span>
      <span class="hidden">{alertsStrings.count(count)}</span>
    </span>
  )
}
