// A note below a list: older items that match the filters may be archived.

import { appStrings } from '../../copy.ts'
import type { Query } from '../api.ts'
import { longDay } from '../days.ts'
import { dayOf, ZONE_OFFSET } from '../format.ts'

export function ArchivedNote({ before, query }: { before: string; query: Query }) {
  if (!mayBeArchived(before, query)) return null
  return <p class="muted small list-end">{appStrings.archived(longDay(dayOf(new Date(before))))}</p>
}

const NARROW = ['sessionId', 'paymentReference', 'adviceReference', 'merchantRef']
const startOf = (day: string) => new Date(`${day}T00:00:00${ZONE_OFFSET}`)

function mayBeArchived(before: string, { from, outcome, ...query }: Query): boolean {
  if (NARROW.some((name) => query[name]) || (outcome && outcome !== 'booked')) return false
  return !from || startOf(from) < new Date(before)
}

// The archive has no export for this period.
export function isArchivedWindow(before: string, { from, to }: Query): boolean {
  const end = new Date(before)
  return !!(from && startOf(from) < end) || !!(to && startOf(to) <= end)
}
