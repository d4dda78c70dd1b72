// Banks by day as a table; each cell links to the proof of the day. Arrow keys move between cells. On a
// narrow page each bank is a card of two weeks.

import { useRef } from 'preact/hooks'
import { appStrings, reconciliationStrings as strings } from '../../../copy.ts'
import type { Data } from '../../api.ts'
import { longDay, shortDay, weekdayOf } from '../../days.ts'
import { count } from '../../format.ts'
import { groupBy } from '../../grouping.ts'
import { Icon } from '../../parts/icons.tsx'
import { Link } from '../../parts/link.tsx'
import { hrefOf } from '../../routing.ts'
import { ICONS, type Status, TONES } from './day-status.tsx'

export const DAYS = '/api/v1/operator/reconciliation/days'
export type BankDayRow = Omit<Data<typeof DAYS>[number], 'status'> & { status: Status }

type Props = {
  rows: readonly BankDayRow[]
  days: readonly string[]
}

export function DayGrid({ rows, days }: Props) {
  const body = useRef<HTMLTableSectionElement>(null)
  const banks = groupBy(rows, ({ bankCode, currency }) => `${bankCode} ${currency}`)
  return (
    <div class="listing">
      <table class="day-grid">
        <caption class="hidden">{strings.grid}</caption>
        <thead>
          <tr>
            <th scope="col">{strings.bank}</th>
            {days.map((day) => (
              <th key={day} scope="col">
                <span class="day-name">{weekdayOf(day)}</span>
                {shortDay(day)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body} onKeyDown={(event) => move(body.current, event)}>
          {[...banks].map(([key, ofBank]) => (
            <tr key={key}>
              <th scope="row">{nameOf(ofBank[0] as BankDayRow)}</th>
              {days.map((day) => (
                <td key={day} data-name={shortDay(day)}>
                  <Cell row={ofBank.find((row) => row.day === day)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

export function nameOf({ bankName, currency }: BankDayRow): string {
  return currency === 'NGN' ? bankName : `${bankName}, ${currency}`
}

function Cell({ row }: { row: BankDayRow | undefined }) {
  if (!row) return <span class="muted">{appStrings.nothing}</span>
  const { bankCode, day, currency, status, isClosed } = row
  return (
    <Link
      class={`day-cell ${TONES[status]}`}
      href={hrefOf('reconciliation', undefined, { bankCode, day, currency })}
      title={isClosed ? strings.closed : undefined}
    >
      <span class="hidden">{strings.cell(nameOf(row), longDay(day), '')}</span>
      <Icon name={ICONS[status]} />
      <span class="day-word">{wordOf(row)}</span>
      {isClosed && <span class="hidden">, {strings.closed}</span>}
      {isClosed && <Icon name="lock" />}
    </Link>
  )
}

function wordOf({ status, openDifferences, waitingDifferences }: BankDayRow): string {
  if (status === 'waiting') return strings.cellWaiting(count(waitingDifferences))
  if (status === 'differences' && openDifferences > 0) return strings.open(count(openDifferences))
  return strings.cellWords[status]
}

const STEPS: Record<string, readonly [across: number, down: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

function move(body: HTMLElement | null, event: KeyboardEvent): void {
  const step = STEPS[event.key]
  const cell = (event.target as HTMLElement).closest('td')
  const row = cell?.closest('tr')
  if (!step || !cell || !row || !body) return
  event.preventDefault()
  const rows = [...body.children]
  const next = rows[rows.indexOf(row) + step[1]]?.children[cell.cellIndex + step[0]]
  next?.querySelector<HTMLElement>('a')?.focus()
}
