// Columns and filters of payouts.

import { payoutsStrings as strings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { BankName } from '../../parts/bank-name.tsx'
import { AMOUNTS, DATES, type Filter, humanized } from '../../parts/filters.tsx'
import { amountColumn, type Column, orderColumn } from '../../parts/table.tsx'
import { Badge } from '../../parts/values.tsx'

export type Payout = Schemas['Payout']

const STATUSES = ['queued', 'sending', 'confirmed', 'failed', 'unknown', 'cancelled']

export const PAYOUT_FILTERS: readonly Filter[] = [
  { name: 'status', label: strings.status, choices: humanized(STATUSES) },
  { name: 'approval', label: strings.approval, choices: strings.approvals },
  { name: 'purpose', label: strings.purpose, choices: strings.purposes },
  ...AMOUNTS,
  ...DATES,
]

export const isAwaiting = ({ status, approval }: Payout) =>
  status === 'queued' && approval === 'needed'

export const stateOf = (payout: Payout) =>
  isAwaiting(payout) ? 'awaiting_approval' : payout.status

export const COLUMNS: readonly Column<Payout>[] = [
  { name: strings.recipient, place: 'lead', show: ({ toAccountName }) => toAccountName },
  amountColumn(strings.amount),
  { name: strings.status, place: 'state', show: (payout) => <Badge state={stateOf(payout)} /> },
  {
    name: strings.account,
    place: 'second',
    show: ({ toAccountNumberMasked, toBankCode }) => (
      <>
        <code>{toAccountNumberMasked}</code>{' '}
        <span class="muted">
          <BankName code={toBankCode} />
        </span>
      </>
    ),
  },
  { name: strings.purpose, show: ({ purpose }) => strings.purposes[purpose] ?? purpose },
  { name: strings.reference, show: ({ reference }) => <code>{reference}</code> },
  orderColumn(strings.requested, 'requestedAt'),
]
