// Banks by day: which days have differences or lack a statement, the age of open differences, and the area
// where users drop statement files.

import { useRef } from 'preact/hooks'
import {
  appStrings,
  bankStatementsStrings,
  differencesStrings,
  reconciliationStrings as strings,
} from '../../../copy.ts'
import type { Data } from '../../api.ts'
import {
  addDays,
  count,
  daysBetween,
  isDay,
  longDay,
  money,
  shortDay,
  today,
  weekdayOf,
} from '../../format.ts'
import { useData, usePage, useSteadyRefreshKey } from '../../loading.ts'
import { DaySteps } from '../../parts/close-day.tsx'
import { Link } from '../../parts/controls.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Empty, Failed, Pending, Skeleton } from '../../parts/states.tsx'
import { useBankNames } from '../../parts/values.tsx'
import { hrefOf, type Place } from '../../routing.ts'
import { mayAccount, type ViewProps } from '../../session.ts'
import { ImportStatement } from './import-statement.tsx'
import { ICONS, type Status, statusOf, TONES } from './proof.tsx'

const SHOWN_DAYS = 14
const LOADED_DAYS = 62 // Two months, to find the day of a bank's first statement.

// Shows two weeks of all banks. Loads two months, which usually contain the first statement of a new bank.
export function Days({ place, session }: ViewProps) {
  const to = isDay(place.query.to) ? place.query.to : today()
  const from = addDays(to, 1 - SHOWN_DAYS)
  const [refreshKey, refresh] = useSteadyRefreshKey()
  const period = { from: addDays(to, 1 - LOADED_DAYS), to }
  const { data, problem, reload } = useData(DAYS, {}, period, refreshKey)
  const hasStatements = useHasStatements(refreshKey)
  const failed = problem && <Failed problem={problem} retry={reload} />
  if (failed && !data) return failed
  if (!data || hasStatements === undefined) return <Skeleton kind="rows" lines={8} />
  const rows = withDisplayStatus(data).filter(({ day }) => day >= from)
  const { import: importAnother, importFirst } = bankStatementsStrings
  // Always rendered at the same place in the tree, so that the result of the first import stays open.
  return (
    <>
      {failed}
      {hasStatements ? (
        <AlertLine rows={rows} />
      ) : (
        <Empty icon="reconciliation" title={strings.none} text={strings.noneText} />
      )}
      {mayAccount(session) && (
        <ImportStatement label={hasStatements ? importAnother : importFirst} onDone={refresh} />
      )}
      {hasStatements && <GridAndAgeing {...{ rows, from, to, place, refreshKey }} />}
    </>
  )
}

type GridAndAgeingProps = {
  rows: readonly BankDayRow[]
  from: string
  to: string
  place: Place
  refreshKey: number
}

function GridAndAgeing({ rows, from, to, place, refreshKey }: GridAndAgeingProps) {
  return (
    <>
      <section aria-labelledby="grid">
        <header class="grid-top">
          <h2 id="grid">{strings.grid}</h2>
          <DaySteps view="reconciliation" {...{ place, from, to }} />
        </header>
        <DayGrid rows={rows} days={daysBetween(from, to)} />
      </section>
      <Ageing refreshKey={refreshKey} />
    </>
  )
}

// Days before a bank’s first statement are not reported as lacking a statement, because the bank had not
// started yet.
function withDisplayStatus(rows: Data<typeof DAYS>): BankDayRow[] {
  const banks = groupBy(rows, ({ bankCode, currency }) => `${bankCode} ${currency}`)
  return [...banks.values()].flatMap((bankRows) => {
    const firstDay = bankRows.find(({ status }) => status !== 'missing_statement')?.day ?? today()
    return bankRows.map((row) => ({ ...row, status: statusOf(row, firstDay) }))
  })
}

// Whether any statement was ever imported; undefined until known. After an error the answer is yes, so that
// the usual page appears.
function useHasStatements(refreshKey: number): boolean | undefined {
  const query = { limit: '1' }
  const { data, problem } = usePage('/api/v1/operator/statements', query, refreshKey)
  return problem ? true : data && data.data.length > 0
}

// Says how many days have differences or lack a statement, with a link to the oldest of them.
function AlertLine({ rows }: { rows: readonly BankDayRow[] }) {
  const rowsIn = (status: string) => rows.filter((row) => row.status === status)
  const withDifferences = rowsIn('differences')
  const missing = rowsIn('missing_statement')
  const oldest = [...withDifferences, ...missing].toSorted((one, other) =>
    one.day < other.day ? -1 : 1,
  )[0]
  const unknownTexts = unknownBanks(rows)
  if (!oldest) return <CalmLine rows={rows} unknown={unknownTexts} />
  const summary = [
    withDifferences.length > 0 && strings.red(withDifferences.length),
    missing.length > 0 && strings.missing(missing.length),
    ...unknownTexts,
  ].filter(Boolean)
  const { bankCode, day, currency } = oldest
  return (
    <p class="day-alert bad" role="status">
      <Icon name="warning" />
      <span>{summary.join(' · ')}</span>
      <Link href={hrefOf('reconciliation', undefined, { bankCode, day, currency })}>
        {strings.first}
      </Link>
    </p>
  )
}

// Returns texts like "0 of 12 Wema statements", for banks with days before their first statement.
function unknownBanks(rows: readonly BankDayRow[]): string[] {
  const due = rows.filter(({ isExpected, status }) => isExpected && status !== 'not_due')
  const banks = groupBy(due, ({ bankCode, currency }) => `${bankCode} ${currency}`)
  return [...banks.values()].flatMap((bankRows) => {
    if (!bankRows.some(({ status }) => status === 'not_started')) return []
    const received = bankRows.filter(({ statement }) => statement !== null).length
    return [strings.statementsIn(received, bankRows.length, bankLabel(bankRows[0] as BankDayRow))]
  })
}

// Shown if no day has differences or lacks a statement. It is green only if the outcome of all days is
// known, and grey otherwise.
function CalmLine({ rows, unknown }: { rows: readonly BankDayRow[]; unknown: readonly string[] }) {
  const banks = groupBy(rows, ({ bankCode, currency }) => `${bankCode} ${currency}`)
  // The count of a day includes the days before, so the largest count of a bank is its total.
  const waiting = [...banks.values()].reduce(
    (sum, bankRows) => sum + Math.max(...bankRows.map((row) => row.waitingDifferences)),
    0,
  )
  const isKnown = unknown.length === 0 && waiting === 0
  const hasAny = rows.some(({ statement }) => statement !== null)
  const summary =
    unknown.length > 0
      ? `${unknown.join(' · ')}. ${hasAny && waiting === 0 ? strings.othersBalance : ''}`
      : strings.allInExcept(waiting)
  return (
    <p class={`day-alert ${isKnown ? 'good' : 'calm'}`} role="status">
      <Icon name={isKnown ? 'check' : 'minus'} />
      <span>{isKnown ? strings.allWell : summary}</span>
    </p>
  )
}

const PATH = '/api/v1/operator/reconciliation/ageing'

type Bucket = keyof typeof strings.buckets
type Sum = Data<typeof PATH>['suspense'][number]
type Row = { name: string; sums: readonly Sum[]; hrefOf: (bucket: Bucket) => string }

const BUCKETS = Object.keys(strings.buckets) as Bucket[]

// Open differences, reconciling items and suspense by age.
function Ageing({ refreshKey }: { refreshKey: number }) {
  const { data, problem, reload } = useData(PATH, {}, {}, refreshKey)
  const nameBank = useBankNames()
  return (
    <section aria-labelledby="ageing">
      <h2 id="ageing" class="section">
        {strings.ageing}
      </h2>
      <Pending {...{ data, problem, reload }} kind="rows" lines={2} />
      {data && <AgeingTable rows={ageingRows(data, nameBank)} />}
      <p class="muted small under-list">
        {strings.ageingText} {data && <UnownedLink data={data} />}
      </p>
    </section>
  )
}

// Links to the open differences that nobody owns.
function UnownedLink({ data }: { data: Data<typeof PATH> }) {
  const unowned = data.differences.reduce((sum, { unowned }) => sum + unowned, 0)
  if (unowned === 0) return null
  const query = { tab: 'differences', state: 'open', owner: 'nobody' }
  return (
    <Link href={hrefOf('reconciliation', undefined, query)}>
      {differencesStrings.unowned(unowned)}
    </Link>
  )
}

// One row for the open differences of each bank, one for its reconciling items, and one for suspense in
// each currency.
function ageingRows(data: Data<typeof PATH>, nameBank: (code: string) => string): Row[] {
  const suspense = groupBy(data.suspense, ({ currency }) => currency)
  const byBank = (
    bankSums: Data<typeof PATH>['differences'],
    query: { tab: string; state?: string },
  ) => {
    const banks = groupBy(bankSums, ({ bankCode, currency }) => `${bankCode} ${currency}`)
    return [...banks].map(([key, sums]): Row => {
      const [bankCode = '', currency] = key.split(' ')
      const name = `${nameBank(bankCode)}${currency === 'NGN' ? '' : `, ${currency}`}`
      return {
        name,
        sums,
        hrefOf: (bucket) => hrefOf('reconciliation', undefined, { ...query, bankCode, bucket }),
      }
    })
  }
  const openRows = byBank(data.differences, { tab: 'differences', state: 'open' })
  const notedRows = byBank(data.reconcilingItems, { tab: 'reconciling' })
  const renamedNotedRows = notedRows.map((row) => ({
    ...row,
    name: strings.ageingOf.noted(row.name),
  }))
  const suspenseRows = [...suspense].map(([currency, sums]): Row => {
    const name = currency === 'NGN' ? strings.ageingOf.suspense : strings.suspenseOf(currency)
    return { name, sums, hrefOf: () => hrefOf('accounting', undefined, { tab: 'suspense' }) }
  })
  return [...openRows, ...renamedNotedRows, ...suspenseRows]
}

// A row has a bank’s differences or the suspense of a currency; a column has an age.
function AgeingTable({ rows }: { rows: readonly Row[] }) {
  if (rows.length === 0) return <p class="muted">{strings.nothingOpen}</p>
  return (
    <div class="listing">
      <table class="list ageing">
        <caption class="hidden">{strings.ageing}</caption>
        <thead>
          <tr>
            <th scope="col">{strings.bank}</th>
            {BUCKETS.map((bucket) => (
              <th key={bucket} scope="col" class="amount">
                {strings.buckets[bucket]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <td class="at-lead">{row.name}</td>
              {BUCKETS.map((bucket) => (
                <td key={bucket} class="at-line amount" data-name={strings.buckets[bucket]}>
                  <AgeingCell
                    sum={row.sums.find((sum) => sum.bucket === bucket)}
                    href={row.hrefOf(bucket)}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

// The number and the sum of the items of one age, as a link to them.
function AgeingCell({ sum, href }: { sum: Sum | undefined; href: string }) {
  if (!sum || sum.count === 0) return <span class="muted">{appStrings.nothing}</span>
  return (
    <Link href={href}>
      {count(sum.count)} · {money(sum.amount, sum.currency)}
    </Link>
  )
}

const DAYS = '/api/v1/operator/reconciliation/days'
type BankDayRow = Omit<Data<typeof DAYS>[number], 'status'> & { status: Status }

type Props = {
  rows: readonly BankDayRow[]
  days: readonly string[]
}

// A table of banks by day. Each cell links to the proof of the day. Arrow keys move between cells. On a
// narrow page each bank is a card with its two weeks.
function DayGrid({ rows, days }: Props) {
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
        <tbody ref={body} onKeyDown={(event) => moveBetweenCells(body.current, event)}>
          {[...banks].map(([key, bankRows]) => (
            <tr key={key}>
              <th scope="row">{bankLabel(bankRows[0] as BankDayRow)}</th>
              {days.map((day) => (
                <td key={day} data-name={shortDay(day)}>
                  <DayCell row={bankRows.find((row) => row.day === day)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function bankLabel({ bankName, currency }: BankDayRow): string {
  return currency === 'NGN' ? bankName : `${bankName}, ${currency}`
}

// A bank’s day in the grid: its status as icon and word, and a lock if the books are closed.
function DayCell({ row }: { row: BankDayRow | undefined }) {
  if (!row) return <span class="muted">{appStrings.nothing}</span>
  const { bankCode, day, currency, status, isClosed } = row
  return (
    <Link
      class={`day-cell ${TONES[status]}`}
      href={hrefOf('reconciliation', undefined, { bankCode, day, currency })}
      title={isClosed ? strings.closed : undefined}
    >
      <span class="hidden">{strings.cell(bankLabel(row), longDay(day), '')}</span>
      <Icon name={ICONS[status]} />
      <span class="day-word">{cellText(row)}</span>
      {isClosed && <span class="hidden">, {strings.closed}</span>}
      {isClosed && <Icon name="lock" />}
    </Link>
  )
}

// The word of a day’s cell: the status, with the number of differences if there are any.
function cellText({ status, openDifferences, waitingDifferences }: BankDayRow): string {
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

// Arrow keys move the focus to the link of the neighbouring cell.
function moveBetweenCells(body: HTMLElement | null, event: KeyboardEvent): void {
  const step = STEPS[event.key]
  const cell = (event.target as HTMLElement).closest('td')
  const row = cell?.closest('tr')
  if (!step || !cell || !row || !body) return
  event.preventDefault()
  const [across, down] = step
  const rows = [...body.children]
  const nextCell = rows[rows.indexOf(row) + down]?.children[cell.cellIndex + across]
  nextCell?.querySelector<HTMLElement>('a')?.focus()
}

// Groups rows by a key, in order of first appearance. Older browsers have no Map.groupBy.
function groupBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const key = keyOf(row)
    groups.set(key, [...(groups.get(key) ?? []), row])
  }
  return groups
}
