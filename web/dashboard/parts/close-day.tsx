// Closes a day after a confirmation dialog, because a closed day cannot be opened again. Also steps between
// periods of days.

import { reconciliationStrings, accountingStrings as strings } from '../../copy.ts'
import { type Data, send } from '../api.ts'
import { addDays, daysBetween, longDay, shortDay, today } from '../format.ts'
import { useData } from '../loading.ts'
import { follow, goTo, hrefOf, type Place } from '../routing.ts'
import { ActionDialog, OpenButton } from './action.tsx'
import { ReasonField } from './forms.tsx'
import { Icon } from './icons.tsx'

const PATH = '/api/v1/operator/days/{day}/close'
const DAYS = '/api/v1/operator/reconciliation/days'

// The button that closes a day’s books. Its dialog lists the banks that are not balanced.
export function CloseDay({ day, onDone }: { day: string; onDone: () => void }) {
  const label = (
    <>
      <Icon name="lock" />
      {strings.close}
    </>
  )
  return (
    <OpenButton label={label}>
      {(close) => (
        <ActionDialog
          title={strings.closeTitle(longDay(day))}
          action={strings.close}
          isDangerous
          text={strings.closeText}
          run={(form, headers) => {
            const reason = form.text('reason')
            const body = reason === '' ? {} : { reason }
            return send('POST', PATH, { params: { day }, body, headers })
          }}
          message={strings.closed(longDay(day))}
          onDone={onDone}
          close={close}
        >
          <Banks day={day} close={close} />
          <ReasonField
            label={strings.closeReason}
            hint={strings.closeReasonHint}
            rows={2}
            required={false}
          />
        </ActionDialog>
      )}
    </OpenButton>
  )
}

type BankDay = Data<typeof DAYS>[number]

const statuses: Readonly<Record<string, string>> = reconciliationStrings.statuses

// Whether the day of the bank has open differences or lacks its statement. The dialog names these banks
// first.
const isObstacle = ({ status, isExpected }: BankDay) =>
  status === 'differences' || (status === 'missing_statement' && isExpected)

// Links to the day of each bank. Banks that are not balanced come first.
function Banks({ day, close }: { day: string; close: () => void }) {
  const { data } = useData(DAYS, {}, { from: day, to: day })
  if (!data) return null
  const obstacles = data.filter(isObstacle)
  const withoutObstacle = data.filter((bank) => !isObstacle(bank))
  return (
    <div>
      <p id="banks-of-day">
        {obstacles.length === 0 ? strings.closeAllWell : strings.closeBanks(obstacles.length)}
      </p>
      <ul class="decided" aria-labelledby="banks-of-day">
        {[...obstacles, ...withoutObstacle].map((bank) => (
          <BankOfDay key={`${bank.bankCode} ${bank.currency}`} bank={bank} close={close} />
        ))}
      </ul>
    </div>
  )
}

// A link to the bank’s day with its status. A click also closes the dialog.
function BankOfDay({ bank, close }: { bank: BankDay; close: () => void }) {
  const { bankCode, bankName, currency, day } = bank
  return (
    <li>
      <a
        href={hrefOf('reconciliation', undefined, { bankCode, day, currency })}
        onClick={(event) => {
          close()
          follow(event)
        }}
      >
        {currency === 'NGN' ? bankName : `${bankName}, ${currency}`}
      </a>
      {': '}
      {statusText(bank)}
    </li>
  )
}

// Why a bank’s day is not balanced, or its status.
function statusText({ status, isExpected, openDifferences }: BankDay): string {
  if (status === 'differences') return strings.closeOpen(openDifferences)
  if (status !== 'missing_statement') return (statuses[status] ?? status).toLowerCase()
  return isExpected ? strings.closeMissing : strings.closeNotExpected
}

// Links to the period of equal length before and after this one. The URL contains the last day of the period.
export function DaySteps(props: { view: string; place: Place; from: string; to: string }) {
  const { view, place, from, to } = props
  const latest = today()
  const days = daysBetween(from, to).length
  // Moves the period by this many days. A period that ends today leaves its end out of the URL.
  const step = (by: number) => {
    const next = addDays(to, by)
    const query = { ...place.query, to: next < latest ? next : undefined }
    goTo(hrefOf(view, undefined, query), { replace: true })
  }
  return (
    <div class="day-steps">
      <button type="button" class="button" onClick={() => step(-days)}>
        <Icon name="back" />
        {strings.earlier}
      </button>
      <span class="muted" aria-live="polite">
        {reconciliationStrings.range(shortDay(from), shortDay(to))}
      </span>
      <button type="button" class="button" disabled={to >= latest} onClick={() => step(days)}>
        {strings.later}
        <Icon name="onward" />
      </button>
    </div>
  )
}
