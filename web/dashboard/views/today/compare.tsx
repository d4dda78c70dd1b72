// Compares two periods: a period with the one before, with the same period of last year, or with any other. A
// period without data is marked in grey, because missing data does not mean zero. The URL stores the choice.

import { appStrings, compareStrings as strings } from '../../../copy.ts'
import type { Query, Schemas } from '../../api.ts'
import {
  addDays,
  count,
  datedDay,
  dayOf,
  daysBetween,
  isDay,
  money,
  share,
  shownTime,
  ZONE_OFFSET,
} from '../../format.ts'
import { useData, useReload } from '../../loading.ts'
import { AppliedInput, Field, SelectField } from '../../parts/forms.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { Term } from '../../parts/term.tsx'
import { goTo, hrefOf } from '../../routing.ts'

const PERIODS = ['today', 'yesterday', 'week', 'month', 'custom'] as const
// The periods to compare with: the period just before, the same a week or a year earlier, or days that the
// user chooses.
const OTHERS = ['previous', 'week', 'year', 'custom'] as const
type Period = (typeof PERIODS)[number]
type Other = (typeof OTHERS)[number]

type Days = { from: string; last: string } // Both included.

const DAYS_MAX = 366

// The days of the chosen period; undefined if the user's own days are incomplete or too many.
function periodDays(period: Period, today: string, query: Query): Days | undefined {
  const { from, to } = query
  switch (period) {
    case 'today':
      return { from: today, last: today }
    case 'yesterday':
      return { from: addDays(today, -1), last: addDays(today, -1) }
    case 'week':
      return { from: addDays(today, -6), last: today }
    case 'month':
      return { from: `${today.slice(0, 8)}01`, last: today }
    case 'custom':
      return customDays(from, to)
  }
}

const customDays = (from: string | undefined, last: string | undefined): Days | undefined =>
  isDay(from) && isDay(last) && from <= last && last < addDays(from, DAYS_MAX)
    ? { from, last }
    : undefined

// The days to compare with: typed by the user, a week or a year earlier, the month before, or the period of
// the same length before.
function otherDays(other: Other, period: Period, days: Days, query: Query): Days | undefined {
  if (other === 'custom') return customDays(query.withFrom, query.withTo)
  if (other === 'week') return { from: addDays(days.from, -7), last: addDays(days.last, -7) }
  if (other === 'year')
    return { from: monthsBefore(days.from, 12), last: monthsBefore(days.last, 12) }
  if (period === 'month')
    return { from: monthsBefore(days.from, 1), last: monthsBefore(days.last, 1) }
  const length = daysBetween(days.from, days.last).length
  return { from: addDays(days.from, -length), last: addDays(days.last, -length) }
}

// Returns the same day of an earlier month, or the last day of that month if it is shorter.
function monthsBefore(day: string, months: number): string {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  const first = new Date(Date.UTC(year, month - 1 - months, 1))
  const last = new Date(Date.UTC(year, month - months, 0)).getUTCDate()
  return `${first.toISOString().slice(0, 8)}${String(Math.min(date, last)).padStart(2, '0')}`
}

const HOUR_MS = 3_600_000
const startOfDayMs = (day: string) => Date.parse(`${day}T00:00:00${ZONE_OFFSET}`)

// Returns both periods as times. A period that is not over yet ends at the last full hour, and for a fair
// comparison the other period is cut by the same length.
function bothWindows(days: Days, other: Days, now: Date, isLikeForLike: boolean) {
  const nowMs = now.getTime() - (now.getTime() % HOUR_MS)
  const endMs = startOfDayMs(addDays(days.last, 1))
  const to = Math.max(Math.min(endMs, nowMs), startOfDayMs(days.from) + HOUR_MS)
  const leftOutMs = isLikeForLike ? endMs - to : 0
  const otherTo = Math.max(
    startOfDayMs(addDays(other.last, 1)) - leftOutMs,
    startOfDayMs(other.from) + HOUR_MS,
  )
  const window = (from: string, untilMs: number) => ({
    from: new Date(startOfDayMs(from)).toISOString(),
    to: new Date(untilMs).toISOString(),
  })
  return [window(days.from, to), window(other.from, otherTo)] as const
}

export function Compare(props: { query: Query; now: string; refreshKey: number }) {
  const { query, now, refreshKey } = props
  const period = PERIODS.find((name) => name === query.period) ?? 'today'
  const other = OTHERS.find((name) => name === query.with) ?? 'week'
  const at = new Date(now)
  const days = periodDays(period, dayOf(at), query)
  const otherPeriod = days && otherDays(other, period, days, query)
  return (
    <section class="card compare" aria-labelledby="compare">
      <header class="card-top">
        <h2 id="compare">{strings.title}</h2>
      </header>
      <PeriodChoices {...{ period, other, query }} />
      {days && otherPeriod ? (
        <Comparison
          windows={bothWindows(days, otherPeriod, at, other !== 'custom')}
          names={[daysText(days), daysText(otherPeriod)]}
          isOpen={days.last >= dayOf(at)}
          refreshKey={refreshKey}
        />
      ) : (
        <p class="muted">{strings.chooseDays(DAYS_MAX)}</p>
      )}
    </section>
  )
}

const daysText = ({ from, last }: Days) =>
  from === last ? datedDay(from) : strings.days(datedDay(from), datedDay(last))

function setInUrl(query: Query, changes: Query): void {
  goTo(hrefOf('', undefined, { ...query, ...changes }), { replace: true })
}

// The choice of both periods. Fields for days appear only where the user chooses days of their own.
function PeriodChoices({ period, other, query }: { period: Period; other: Other; query: Query }) {
  const day = (name: 'from' | 'to' | 'withFrom' | 'withTo') => (
    <Field key={name} label={strings[name]}>
      {(id) => (
        <AppliedInput
          id={id}
          type="date"
          value={query[name] ?? ''}
          apply={(value) => setInUrl(query, { [name]: value })}
        />
      )}
    </Field>
  )
  return (
    <div class="compare-choices">
      <SelectField
        label={strings.period}
        options={PERIODS}
        names={strings.periods}
        value={period}
        onChange={({ currentTarget }) => setInUrl(query, { period: currentTarget.value })}
      />
      {period === 'custom' && [day('from'), day('to')]}
      <SelectField
        label={strings.with}
        options={OTHERS}
        names={strings.others}
        value={other}
        onChange={({ currentTarget }) => setInUrl(query, { with: currentTarget.value })}
      />
      {other === 'custom' && [day('withFrom'), day('withTo')]}
    </div>
  )
}

type Window = { from: string; to: string }
type ComparedProps = {
  windows: readonly [Window, Window]
  names: readonly [string, string]
  isOpen: boolean // The first period is not over yet.
  refreshKey: number
}

type Figures = Schemas['OverviewPeriod']
const AMOUNTS = ['gross', 'reversed', 'returned', 'refunded', 'suspended', 'fees', 'net'] as const
const ROWS = [...AMOUNTS, 'credits', 'successRate'] as const
type Row = (typeof ROWS)[number]

// The figures of both periods side by side, with the change of each.
function Comparison({ windows, names, isOpen, refreshKey }: ComparedProps) {
  const first = useData('/api/v1/overview/period', {}, windows[0])
  const second = useData('/api/v1/overview/period', {}, windows[1])
  useReload(refreshKey, first.reload)
  useReload(refreshKey, second.reload)
  const failed = first.problem ? first : second
  if (failed.problem) return <Failed problem={failed.problem} retry={failed.reload} />
  if (!first.data || !second.data) return <Skeleton kind="rows" lines={ROWS.length} />
  const results = [first.data, second.data] as const
  // The client's data may begin in the hour that is not over, and is counted when it is.
  const { since: begin, to: countedTo } = first.data
  const isUncounted = (index: number) =>
    index === 0 && isOpen && begin !== null && begin >= countedTo
  return (
    <>
      <div class="compared">
        <table>
          <caption class="hidden">{strings.title}</caption>
          <thead>
            <tr>
              <th scope="col">{strings.figure}</th>
              {names.map((name, index) => (
                <th key={index === 0 ? 'period' : 'other'} scope="col">
                  {name}
                </th>
              ))}
              <th scope="col">{strings.change}</th>
            </tr>
          </thead>
          <tbody>
            {ROWS.map((row) => (
              <tr key={row}>
                <th scope="row">
                  {row === 'credits' ? (
                    strings.rows[row]
                  ) : (
                    <Term term={row} text={strings.rows[row]} />
                  )}
                </th>
                {results.map(({ figures }, index) => (
                  <td key={index === 0 ? 'period' : 'other'}>
                    <Figure
                      row={row}
                      figures={figures}
                      unknown={isUncounted(index) ? strings.uncounted : strings.noData}
                    />
                  </td>
                ))}
                <td>{changeInRow(row, results[0].figures, results[1].figures)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {results.map(({ figures, from, to, since }, index) => (
        <p key={index === 0 ? 'period' : 'other'} class="muted small">
          {strings.upTo(names[index] as string, shownTime(to))}
          {figures && since && since > from && ` ${strings.since(shownTime(since))}`}
          {!figures &&
            ` ${isUncounted(index) && since ? strings.uncountedText(shownTime(since)) : strings.noDataText}`}
        </p>
      ))}
      {results.some(({ isComplete }) => !isComplete) && <p class="notice">{strings.counting}</p>}
    </>
  )
}

type FigureProps = { row: Row; figures: Figures | null; unknown: string }

// A figure in its unit. A period without data shows a note instead of zero.
function Figure({ row, figures, unknown }: FigureProps) {
  if (!figures) return <span class="no-data">{unknown}</span>
  if (row === 'successRate') {
    return <>{figures.successRate === null ? appStrings.nothing : share(figures.successRate)}</>
  }
  return <>{row === 'credits' ? count(figures.credits) : money(figures[row])}</>
}

// The change of one figure. Without data for one of the periods there is none.
function changeInRow(row: Row, now: Figures | null, before: Figures | null): string {
  const [one, other] = [now?.[row], before?.[row]]
  if (typeof one !== 'number' || typeof other !== 'number') return appStrings.nothing
  return changeText(one, other)
}

// Returns the change in percent. There is no percentage if the earlier value is 0 or negative.
function changeText(now: number, before: number): string {
  if (now === before) return strings.same
  if (before <= 0) return strings.noPercentage
  const percent = share(Math.abs(now - before) / before)
  return now > before ? strings.up(percent) : strings.down(percent)
}
