// How a bank's day stands, by icon, word and colour.

import { today } from '../../days.ts'
import type { IconName } from '../../parts/icons.tsx'
import { Icon } from '../../parts/icons.tsx'
import { reconciliationStrings as strings } from '../../strings/reconciliation.ts'

export type Status = keyof typeof strings.statuses

export const TONES: Record<Status, string> = {
  balanced: 'good',
  differences: 'bad',
  missing_statement: 'warn',
  not_due: 'calm',
}

export const ICONS: Record<Status, IconName> = {
  balanced: 'check',
  differences: 'warning',
  missing_statement: 'advice',
  not_due: 'suspense',
}

// A day that is not over misses nothing yet.
export function statusOf({ status, day }: { status: string; day: string }): Status {
  if (status === 'missing_statement') return day < today() ? status : 'not_due'
  return status === 'balanced' ? status : 'differences'
}

export function DayStatus({ status }: { status: Status }) {
  return (
    <span class={`badge ${TONES[status]}`}>
      <Icon name={ICONS[status]} />
      {strings.statuses[status]}
    </span>
  )
}
