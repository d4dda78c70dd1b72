// Approves, rejects or withdraws an adjustment that is open, each after a confirmation dialog.

import { useState } from 'preact/hooks'
import { adjustmentsStrings as strings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { money } from '../../format.ts'
import { Confirm, DialogForm } from '../../parts/dialog.tsx'
import { Field, textOf, useSending } from '../../parts/forms.tsx'
import { toast } from '../../parts/toasts.tsx'
import type { Session } from '../../session.ts'

type Props = { item: Schemas['Adjustment']; done: () => void }
type Verb = 'approve' | 'reject' | 'withdraw'

const PATH = '/api/v1/operator/adjustments/{reference}'
const REASON_MAX = 500

export function DecideAdjustment({ session, ...props }: Props & { session: Session }) {
  const [asked, setAsked] = useState<Verb | undefined>()
  const { requestedBy, cannotApprove } = props.item
  const isOwn = requestedBy === `user:${session.user.email}`
  const close = () => setAsked(undefined)
  const button = (verb: Verb, style = '') => (
    <button type="button" class={`button ${style}`} onClick={() => setAsked(verb)}>
      {strings[verb]}
    </button>
  )
  return (
    <>
      {isOwn && <p class="muted after-facts">{strings.own}</p>}
      {!isOwn && cannotApprove && <p class="notice after-facts">{cannotApprove.message}</p>}
      <div class="buttons after-facts">
        {isOwn && button('withdraw')}
        {!isOwn && !cannotApprove && button('approve', 'primary')}
        {!isOwn && button('reject')}
      </div>
      {asked === 'reject' && <RejectForm {...props} close={close} />}
      {(asked === 'approve' || asked === 'withdraw') && (
        <Decision {...props} verb={asked} close={close} />
      )}
    </>
  )
}

type Deciding = Props & { verb: 'approve' | 'withdraw'; close: () => void }

function Decision({ item, verb, close, done }: Deciding) {
  const { reference, amount, currency } = item
  const isApproval = verb === 'approve'
  return (
    <Confirm
      title={isApproval ? strings.approveTitle(money(amount, currency)) : strings.withdrawTitle}
      action={strings[verb]}
      run={(headers) =>
        send('POST', `${PATH}/${verb}`, { params: { reference }, body: {}, headers })
      }
      done={() => {
        toast(isApproval ? strings.approved : strings.withdrawn)
        close()
        done()
      }}
      close={close}
    >
      {isApproval ? strings.approveText : strings.withdrawText}
    </Confirm>
  )
}

function RejectForm({ item, close, done }: Props & { close: () => void }) {
  const { reference, amount, currency } = item
  const sending = useSending(async (given, headers) => {
    const body = { reason: textOf(given, 'reason') }
    await send('POST', `${PATH}/reject`, { params: { reference }, body, headers })
    toast(strings.rejected)
    close()
    done()
  })
  const title = strings.rejectTitle(money(amount, currency))
  return (
    <DialogForm title={title} action={strings.reject} isDangerous sending={sending} close={close}>
      <Field label={strings.reason} hint={strings.rejectHint}>
        {(id) => <textarea id={id} name="reason" rows={3} maxLength={REASON_MAX} required />}
      </Field>
    </DialogForm>
  )
}
