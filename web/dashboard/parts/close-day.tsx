// Closes a day, after a confirmation dialog: it cannot be opened again.

import { accountingStrings as strings } from '../../copy.ts'
import { send } from '../api.ts'
import { longDay } from '../days.ts'
import { useData } from '../loading.ts'
import { follow, hrefOf } from '../routing.ts'
import { ActionDialog, OpenButton } from './action.tsx'
import { ReasonField } from './forms.tsx'
import { Icon } from './icons.tsx'

const PATH = '/api/v1/operator/days/{day}/close'
const DAYS = '/api/v1/operator/reconciliation/days'

export function CloseDay({ day, done }: { day: string; done: () => void }) {
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
          done={done}
          close={close}
        >
          <Obstacles day={day} close={close} />
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

// Links to each bank that is not balanced.
function Obstacles({ day, close }: { day: string; close: () => void }) {
  const { data } = useData(DAYS, {}, { from: day, to: day })
  if (!data) return null
  const banks = data.filter(
    ({ status, isExpected }) =>
      status === 'differences' || (status === 'missing_statement' && isExpected),
  )
  if (banks.length === 0) return <p>{strings.closeAllWell}</p>
  return (
    <div>
      <p id="obstacles">{strings.closeBanks}</p>
      <ul class="decided" aria-labelledby="obstacles">
        {banks.map(({ bankCode, bankName, currency, status, openDifferences }) => (
          <li key={`${bankCode} ${currency}`}>
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
            {status === 'differences' ? strings.closeOpen(openDifferences) : strings.closeMissing}
          </li>
        ))}
      </ul>
    </div>
  )
}
