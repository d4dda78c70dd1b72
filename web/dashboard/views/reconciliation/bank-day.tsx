// A day of a bank: the proof, its differences, and both sides.

import { useRef } from 'preact/hooks'
import { bankStatementsStrings, reconciliationStrings as strings } from '../../../copy.ts'
import { addDays, longDay, today } from '../../days.ts'
import { useData, useReload } from '../../loading.ts'
import { CloseDay } from '../../parts/close-day.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Link } from '../../parts/link.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { closeTo, hrefOf } from '../../routing.ts'
import { mayAccount } from '../../session.ts'
import { useVersion } from '../../steady-refresh.ts'
import type { ViewProps } from '../../view-props.ts'
import { DayDifferences } from './day-differences.tsx'
import { DaySides } from './day-sides.tsx'
import { DayStatus, statusOf } from './day-status.tsx'
import { DifferenceDrawer } from './difference.tsx'
import { ImportStatement } from './import-statement.tsx'
import { type DayProof, PROOF, Proof } from './proof.tsx'
import { Suggestions } from './suggestions.tsx'

type Props = ViewProps & { bankCode: string; day: string }

export function BankDay({ place, session, bankCode, day }: Props) {
  const { currency } = place.query
  const [version, bump] = useVersion()
  const { data, problem, reload } = useData(PROOF, {}, { bankCode, day, currency })
  useReload(version, reload)
  const isAsked = useRef(false) // Set while a statement is missing.
  isAsked.current ||= data?.statement === null
  const mayChange = mayAccount(session)
  const failed = problem && <Failed problem={problem} retry={reload} />
  if (!data) return failed ?? <Skeleton kind="page" lines={8} />
  return (
    <>
      {failed}
      <DayTop proof={data} mayClose={mayChange} changed={bump} />
      <Proof proof={data} />
      {isAsked.current && mayChange && (
        <ImportStatement label={bankStatementsStrings.import} bankCode={bankCode} done={bump} />
      )}
      {mayChange && <Suggestions proof={data} session={session} done={bump} />}
      <DayDifferences proof={data} place={place} session={session} done={bump} />
      <DaySides proof={data} place={place} version={version} />
      {place.open !== undefined && (
        <DifferenceDrawer
          id={place.open}
          session={session}
          version={version}
          close={() => closeTo(hrefOf('reconciliation', undefined, place.query))}
          changed={bump}
        />
      )}
    </>
  )
}

type TopProps = { proof: DayProof; mayClose: boolean; changed: () => void }

function DayTop({ proof, mayClose, changed }: TopProps) {
  const { bankCode, bankName, currency, day, isClosed } = proof
  const at = (other: string) =>
    hrefOf('reconciliation', undefined, { bankCode, day: other, currency })
  return (
    <header class="day-top">
      <Link class="back-link" href={hrefOf('reconciliation')}>
        <Icon name="back" />
        {strings.backToDays}
      </Link>
      <div class="day-title">
        <h2>{bankName}</h2>
        <DayStatus status={statusOf(proof)} />
        {isClosed && (
          <span class="badge">
            <Icon name="lock" />
            {strings.closed}
          </span>
        )}
        <p class="muted">{longDay(day)}</p>
      </div>
      <div class="day-steps">
        <Link class="button" href={at(addDays(day, -1))}>
          <Icon name="back" />
          {strings.previousDay}
        </Link>
        {day < today() && (
          <Link class="button" href={at(addDays(day, 1))}>
            {strings.nextDay}
            <Icon name="onward" />
          </Link>
        )}
        {mayClose && !isClosed && day < today() && <CloseDay day={day} done={changed} />}
      </div>
    </header>
  )
}
