// How many requests the user may approve: beside each view, and on Today. All share one request.

import { useEffect, useState } from 'preact/hooks'
import { approvalsStrings as strings } from '../../copy.ts'
import { getData, type Schemas } from '../api.ts'
import { hrefOf } from '../routing.ts'
import { useSteadyRefresh } from '../steady-refresh.ts'
import { Link } from './link.tsx'

export type Pending = Schemas['PendingApprovals']
type Workflow = Exclude<keyof Pending, 'total'>

const SHARED_MS = 1_000 // Callers within this time share one answer.
const COUNTED_MAX = 99
const CHANGED = 'manilla:approvals-changed'

let latest: { at: number; answer: Promise<Pending> } | undefined

function load(): Promise<Pending> {
  const at = performance.now()
  if (!latest || at - latest.at > SHARED_MS) {
    latest = { at, answer: getData('/dashboard/api/approvals', {}) }
  }
  return latest.answer
}

export function refreshApprovalCounts(): void {
  latest = undefined
  window.dispatchEvent(new Event(CHANGED))
}

// Undefined: not known.
function usePending(): Pending | undefined {
  const [pending, setPending] = useState<Pending | undefined>()
  const refresh = () => {
    load().then(setPending, () => setPending(undefined))
  }
  useSteadyRefresh(refresh)
  useEffect(() => {
    refresh()
    window.addEventListener(CHANGED, refresh)
    return () => window.removeEventListener(CHANGED, refresh)
  }, [])
  return pending
}

const shown = (count: number) => (count > COUNTED_MAX ? `${COUNTED_MAX}+` : `${count}`)

export function approvalCount(...workflows: readonly Workflow[]) {
  return function ApprovalCount() {
    const pending = usePending()
    const count = workflows.reduce((sum, workflow) => sum + (pending?.[workflow] ?? 0), 0)
    if (count === 0) return null
    return (
      <span class="count">
        <span aria-hidden="true">{shown(count)}</span>
        <span class="hidden">{strings.count(count)}</span>
      </span>
    )
  }
}

const PLACES: readonly (readonly [Workflow, string])[] = [
  ['payouts', hrefOf('payouts', undefined, { approval: 'needed' })],
  ['settlements', hrefOf('settlements')],
  ['suspense', hrefOf('suspense')],
  ['adjustments', hrefOf('adjustments')],
  ['differences', hrefOf('reconciliation', undefined, { tab: 'differences', state: 'asked' })],
  ['payoutFailures', hrefOf('payouts', undefined, { tab: 'all' })],
]

export function ApprovalsToday() {
  const pending = usePending()
  if (!pending || pending.total === 0) return null
  const places = PLACES.filter(([workflow]) => pending[workflow] > 0)
  return (
    <p class="notice approvals">
      {strings.needed(pending.total)}{' '}
      {places.map(([workflow, href]) => (
        <Link key={workflow} href={href}>
          {strings.workflows[workflow](shown(pending[workflow]))}
        </Link>
      ))}
    </p>
  )
}
