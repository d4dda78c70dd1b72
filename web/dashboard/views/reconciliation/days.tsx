// Banks by day: which are red or lack a statement, the age of open differences, and the place to drop
// statements.

import { bankStatementsStrings, reconciliationStrings as strings } from '../../../copy.ts'
import { type Data, getPage } from '../../api.ts'
import { addDays, daysBetween, isDay, shortDay, today } from '../../days.ts'
import { groupBy } from '../../grouping.ts'
import { useData, useLoaded, useReload } from '../../loading.ts'
import { Icon } from '../../parts/icons.tsx'
import { Link } from '../../parts/link.tsx'
import { Empty, Failed, Skeleton } from '../../parts/states.tsx'
import { goTo, hrefOf, type Place } from '../../routing.ts'
import { mayAccount } from '../../session.ts'
import { useSteadyVersion } from '../../steady-refresh.ts'
import type { ViewProps } from '../../view-props.ts'
import { Ageing } from './ageing.tsx'
import { type BankDayRow, DAYS, DayGrid, nameOf } from './day-grid.tsx'
import { statusOf } from './day-status.tsx'
import { ImportStatement } from './import-statement.tsx'

const SHOWN_DAYS = 14
const ASKED_DAYS = 62 // Far enough back to find a bank's first statement.

export function Days({ place, session }: ViewProps) {
  const to = isDay(place.query.to) ? place.query.to : today()
  const from = addDays(to, 1 - SHOWN_DAYS)
  const [version, bump] = useSteadyVersion()
  const asked = { from: addDays(to, 1 - ASKED_DAYS), to }
  const { data, problem, reload } = useData(DAYS, {}, asked)
  useReload(version, reload)
  const hasAny = useHasAny(version)
  const failed = problem && <Failed problem={problem} retry={reload} />
  if (failed && !data) return failed
  if (!data || hasAny === undefined) return <Skeleton kind="rows" lines={8} />
  const shown = withStatus(data).filter(({ day }) => day >= from)
  const { import: another, importFirst } = bankStatementsStrings
  // Always in the same place, so that the result of the first import stays open.
  return (
    <>
      {failed}
      {hasAny ? (
        <AlertLine rows={shown} />
      ) : (
        <Empty icon="reconciliation" title={strings.none} text={strings.noneText} />
      )}
      {mayAccount(session) && (
        <ImportStatement label={hasAny ? another : importFirst} done={bump} />
      )}
      {hasAny && <Grid {...{ shown, from, to, place, version }} />}
    </>
  )
}

type GridProps = {
  shown: readonly BankDayRow[]
  from: string
  to: string
  place: Place
  version: number
}

function Grid({ shown, from, to, place, version }: GridProps) {
  return (
    <>
      <section aria-labelledby="grid">
        <header class="grid-top">
          <h2 id="grid">{strings.grid}</h2>
          <Steps from={from} to={to} place={place} />
        </header>
        <DayGrid rows={shown} days={daysBetween(from, to)} />
      </section>
      <Ageing version={version} />
    </>
  )
}

function withStatus(rows: Data<typeof DAYS>): BankDayRow[] {
  const banks = groupBy(rows, ({ bankCode, currency }) => `${bankCode} ${currency}`)
  return [...banks.values()].flatMap((ofBank) => {
    const firstDay = ofBank.find(({ status }) => status !== 'missing_statement')?.day ?? today()
    return ofBank.map((row) => ({ ...row, status: statusOf(row, firstDay) }))
  })
}

function useHasAny(version: number): boolean | undefined {
  const query = { limit: '1' }
  const { data, problem, reload } = useLoaded('any statement', (signal) =>
    getPage('/api/v1/operator/statements', {}, { query, signal }),
  )
  useReload(version, reload)
  return problem ? true : data && data.data.length > 0
}

function AlertLine({ rows }: { rows: readonly BankDayRow[] }) {
  const of = (status: string) => rows.filter((row) => row.status === status)
  const red = of('differences')
  const missing = of('missing_statement')
  const oldest = [...red, ...missing].toSorted((one, other) => (one.day < other.day ? -1 : 1))[0]
  const unknown = unknownBanks(rows)
  if (!oldest) return <CalmLine rows={rows} unknown={unknown} />
  const summary = [
    red.length > 0 && strings.red(red.length),
    missing.length > 0 && strings.missing(missing.length),
    ...unknown,
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

// "0 of 12 Wema statements", for banks with days without a statement.
function unknownBanks(rows: readonly BankDayRow[]): string[] {
  const due = rows.filter(({ isExpected, status }) => isExpected && status !== 'not_due')
  const banks = groupBy(due, ({ bankCode, currency }) => `${bankCode} ${currency}`)
  return [...banks.values()].flatMap((ofBank) => {
    if (!ofBank.some(({ status }) => status === 'not_started')) return []
    const have = ofBank.filter(({ statement }) => statement !== null).length
    return [strings.statementsIn(have, ofBank.length, nameOf(ofBank[0] as BankDayRow))]
  })
}

// No day is red: green if all are known, else grey.
function CalmLine({ rows, unknown }: { rows: readonly BankDayRow[]; unknown: readonly string[] }) {
  const banks = groupBy(rows, ({ bankCode, currency }) => `${bankCode} ${currency}`)
  const waiting = [...banks.values()].reduce(
    (sum, ofBank) => sum + Math.max(...ofBank.map((row) => row.waitingDifferences)),
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

function Steps({ from, to, place }: { from: string; to: string; place: Place }) {
  const latest = today()
  const step = (days: number) => {
    const next = addDays(to, days)
    const query = { ...place.query, to: next < latest ? next : undefined }
    goTo(hrefOf('reconciliation', undefined, query), { replace: true })
  }
  return (
    <div class="day-steps">
      <button type="button" class="button" onClick={() => step(-SHOWN_DAYS)}>
        <Icon name="back" />
        {strings.earlier}
      </button>
      <span class="muted" aria-live="polite">
        {strings.range(shortDay(from), shortDay(to))}
      </span>
      <button type="button" class="button" disabled={to >= latest} onClick={() => step(SHOWN_DAYS)}>
        {strings.later}
        <Icon name="onward" />
      </button>
    </div>
  )
}
