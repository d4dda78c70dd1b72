// The status of a bank's day, by icon, word and colour.

import { reconciliationStrings as strings } from '../../../copy.ts'
import { firstNotDue } from '../../days.ts'
import type { IconName } from '../../parts/icons.tsx'
import { Icon } from '../../parts/icons.tsx'

export type Status = keyof typeof strings.statuses

export const TONES: Record<Status, string> = {
  balanced: 'good',
  waiting: 'calm',
  differences: 'bad',
  missing_statement: 'warn',
  not_due: 'calm',
  not_started: 'calm',
}

export const ICONS: Record<Status, IconName> = {
  balanced: 'check',
  waiting: 'suspense',
  differences: 'warning',
  missing_statement: 'advice',
  not_due: 'suspense',
  not_started: 'minus',
}

type Row = { status: string; day: string; waitingDifferences: number }

// A day whose statement is not due, or before the bank's first statement, misses nothing. Items on one side
// only may not be in transit, so their day is not green.
export function statusOf({ status, day, waitingDifferences }: Row, firstDay = ''): Status {
  if (status === 'balanced') return waitingDifferences > 0 ? 'waiting' : status
  if (status !== 'missing_statement') return 'differences'
  if (day >= firstNotDue()) return 'not_due'
  return day < firstDay ? 'not_started' : status
}

export function DayStatus({ status }: { status: Status }) {
  return (
    <span class={`badge ${TONES[status]}`}>
      <Icon name={ICONS[status]} />
      {strings.statuses[status]}
    </span>
  )
}
