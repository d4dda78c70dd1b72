// The columns of differences: kind, amount, state, owner, age.

import { reconciliationStrings, differencesStrings as strings } from '../../../copy.ts'
import type { Row } from '../../api.ts'
import { shortDay } from '../../days.ts'
import { money } from '../../format.ts'
import { BankName } from '../../parts/bank-name.tsx'
import { amountColumn, type Choosing, type Column } from '../../parts/table.tsx'
import { itemText, lineText } from './movement.tsx'

export const DIFFERENCES = '/api/v1/operator/reconciliation/differences'
export type Difference = Row<typeof DIFFERENCES>

const TONES: Record<string, string> = { open: 'warn', asked: 'warn', resolved: 'good' }

export function DifferenceState({ difference }: { difference: Difference }) {
  const { state, isTiming, action } = difference
  if (state === 'open' && action !== null) return <span class="badge">{strings.booking}</span>
  if (state === 'open' && isTiming) return <span class="badge">{strings.timing}</span>
  return <span class={`badge ${TONES[state] ?? ''}`}>{strings.states[state] ?? state}</span>
}

export function OwnerName({ owner }: Pick<Difference, 'owner'>) {
  if (!owner) return <span class="muted">{strings.nobody}</span>
  const { email, hasAccess } = owner
  return <span class="owner">{hasAccess ? email : strings.withoutAccess(email)}</span>
}

export const kindText = (kind: string) => strings.kinds[kind] ?? kind

export function aboutDifference({ line, item, kind }: Difference): string {
  if (line) return lineText(line)
  return item ? itemText(item) : kindText(kind)
}

const AMOUNT = amountColumn<Difference>(reconciliationStrings.amount)

export const DIFFERENCE_COLUMNS: readonly Column<Difference>[] = [
  { name: reconciliationStrings.kind, place: 'lead', show: ({ kind }) => kindText(kind) },
  AMOUNT,
  {
    name: reconciliationStrings.state,
    place: 'state',
    show: (it) => <DifferenceState difference={it} />,
  },
  { name: strings.line, place: 'second', show: aboutDifference },
  { name: strings.bank, show: ({ bankCode }) => <BankName code={bankCode} /> },
  { name: strings.owner, place: 'line', show: ({ owner }) => <OwnerName owner={owner} /> },
  {
    name: strings.age,
    place: 'time',
    show: ({ ageDays, day }) => `${reconciliationStrings.ageOf(ageDays)} · ${shortDay(day)}`,
  },
]

export const isOpen = ({ state, actions }: Difference) => state === 'open' && actions.length > 0

export function choosingOf(
  chosen: ReadonlySet<string>,
  choose: (keys: ReadonlySet<string>) => void,
): Choosing<Difference> {
  const nameOf = (it: Difference) =>
    `${kindText(it.kind)}, ${money(it.amount, it.currency)}, ${aboutDifference(it)}`
  return { chosen, choose, mayChoose: isOpen, nameOf }
}
