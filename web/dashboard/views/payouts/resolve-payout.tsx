// What to do about a payout that is unknown, or in a file without a report: find out from the bank, then
// confirm it, or request that it fails.

import { useState } from 'preact/hooks'
import { payoutFailuresStrings, payoutsStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { money } from '../../format.ts'
import { DialogForm } from '../../parts/dialog.tsx'
import { Field, textOf, useSending } from '../../parts/forms.tsx'
import { toast } from '../../parts/toasts.tsx'
import type { Session } from '../../session.ts'
import { DecideFailure } from './decide-failure.tsx'
import type { Payout } from './payout-list.tsx'

const { resolve: strings } = payoutsStrings
const PATH = '/api/v1/operator/payouts/{reference}'

type Props = { payout: Payout; done: () => void }
type Resolving = Props & { session: Session; request: Schemas['PayoutFailure'] | null }

export function ResolvePayout({ session, request, ...props }: Resolving) {
  const [asked, setAsked] = useState<'confirm' | 'fail' | undefined>()
  const close = () => setAsked(undefined)
  const isUnknown = props.payout.status === 'unknown'
  return (
    <section class="request" aria-labelledby="resolve">
      <h3 id="resolve">{strings.title}</h3>
      <p class="notice">{isUnknown ? payoutsStrings.unknownText : strings.inFile}</p>
      <ul class="todo">
        <li>{strings.text(props.payout.reference)}</li>
        <li>{strings.ifPaid}</li>
        <li>{strings.ifNot}</li>
      </ul>
      <div class="buttons">
        <button type="button" class="button primary" onClick={() => setAsked('confirm')}>
          {strings.confirm}
        </button>
        {!request && (
          <button type="button" class="button" onClick={() => setAsked('fail')}>
            {strings.fail}
          </button>
        )}
      </div>
      {request && <DecideFailure session={session} item={request} done={props.done} />}
      {asked === 'confirm' && <ConfirmForm {...props} close={close} />}
      {asked === 'fail' && <FailForm {...props} close={close} />}
    </section>
  )
}

function ConfirmForm({ payout, done, close }: Props & { close: () => void }) {
  const { reference, amount, currency } = payout
  const sending = useSending(async (given, headers) => {
    const body = { bankReference: textOf(given, 'bankReference') }
    await send('POST', `${PATH}/confirm`, { params: { reference }, body, headers })
    close()
    toast(strings.confirmed(reference))
    done()
  })
  const title = strings.confirmTitle(money(amount, currency))
  return (
    <DialogForm title={title} action={strings.confirm} sending={sending} close={close}>
      <p class="muted">{strings.confirmText}</p>
      <Field label={payoutsStrings.bankReference}>
        {(id) => <input id={id} name="bankReference" required maxLength={100} autocomplete="off" />}
      </Field>
    </DialogForm>
  )
}

function FailForm({ payout, done, close }: Props & { close: () => void }) {
  const { reference, amount, currency } = payout
  const sending = useSending(async (given, headers) => {
    const body = { reason: textOf(given, 'reason'), evidence: textOf(given, 'evidence') }
    await send('POST', `${PATH}/fail`, { params: { reference }, body, headers })
    close()
    toast(strings.failed(reference))
    done()
  })
  const title = strings.failTitle(money(amount, currency))
  return (
    <DialogForm title={title} action={strings.fail} isDangerous sending={sending} close={close}>
      <p class="muted">{strings.failText}</p>
      <Field label={payoutFailuresStrings.evidence} hint={payoutFailuresStrings.evidenceHint}>
        {(id) => <textarea id={id} name="evidence" rows={3} maxLength={400} required />}
      </Field>
      <Field label={strings.reason} hint={strings.reasonHint}>
        {(id) => <textarea id={id} name="reason" rows={3} maxLength={500} required />}
      </Field>
    </DialogForm>
  )
}
