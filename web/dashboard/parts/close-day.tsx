// Closes a day, after a confirmation dialog: it cannot be opened again.

import { useState } from 'preact/hooks'
import { accountingStrings as strings } from '../../copy.ts'
import { send } from '../api.ts'
import { longDay } from '../days.ts'
import { useData } from '../loading.ts'
import { follow, hrefOf } from '../routing.ts'
import { DialogForm } from './dialog.tsx'
import { Field, textOf, useSending } from './forms.tsx'
import { Icon } from './icons.tsx'
import { toast } from './toasts.tsx'

const PATH = '/api/v1/operator/days/{day}/close'
const DAYS = '/api/v1/operator/reconciliation/days'
const REASON_MAX = 500

type Props = { day: string; done: () => void }

export function CloseDay({ day, done }: Props) {
  const [isAsked, setAsked] = useState(false)
  return (
    <>
      <button type="button" class="button" onClick={() => setAsked(true)}>
        <Icon name="lock" />
        {strings.close}
      </button>
      {isAsked && <CloseForm day={day} done={done} close={() => setAsked(false)} />}
    </>
  )
}

// Each bank that is not balanced, what it lacks, and where to see to it.
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

function CloseForm({ day, done, close }: Props & { close: () => void }) {
  const sending = useSending(async (given, headers) => {
    const reason = textOf(given, 'reason')
    const body = reason === '' ? {} : { reason }
    await send('POST', PATH, { params: { day }, body, headers })
    close()
    toast(strings.closed(longDay(day)))
    done()
  })
  return (
    <DialogForm
      title={strings.closeTitle(longDay(day))}
      action={strings.close}
      isDangerous
      sending={sending}
      close={close}
    >
      <p class="muted">{strings.closeText}</p>
      <Obstacles day={day} close={close} />
      <Field label={strings.closeReason} hint={strings.closeReasonHint}>
        {(id) => <textarea id={id} name="reason" rows={2} maxLength={REASON_MAX} />}
      </Field>
    </DialogForm>
  )
}
