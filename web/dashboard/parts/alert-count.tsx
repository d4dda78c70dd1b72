// The number of open alerts, shown in the menu.

import { useEffect } from 'preact/hooks'
import { alertsStrings } from '../../copy.ts'
import { getPage } from '../api.ts'
import { useEvents, useThrottled } from '../live.ts'
import { useLoaded } from '../loading.ts'
import type { Session } from '../session.ts'
import { useSteadyRefresh } from '../steady-refresh.ts'

const COUNTED_MAX = 99 // One page of alerts is enough to count.
const query = { open: 'true', limit: `${COUNTED_MAX}` }
const CHANGED = 'manilla:alerts-changed'

// Acknowledging an alert raises no event.
export function refreshAlertCount(): void {
  window.dispatchEvent(new Event(CHANGED))
}

export function AlertCount({ session }: { session: Session }) {
  const open = useLoaded('open alerts', (signal) =>
    getPage('/api/v1/operator/alerts', {}, { query, signal }),
  )
  const refresh = useThrottled(open.reload)
  useEvents(
    ({ type }) => type === 'alert.raised' && refresh(),
    session.scopes.includes('webhooks:read'),
    refresh,
  )
  useSteadyRefresh(refresh)
  useEffect(() => {
    window.addEventListener(CHANGED, open.reload)
    return () => window.removeEventListener(CHANGED, open.reload)
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
