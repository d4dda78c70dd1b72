// Approves, rejects or withdraws an adjustment that is open, each after a confirmation dialog.

import { useState } from 'preact/hooks'
import { adjustmentsStrings as strings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { money } from '../../format.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { ReasonForm } from '../../parts/reason-form.tsx'
import { toast } from '../../parts/toasts.tsx'
import { mayAccount, type Session } from '../../session.ts'

type Props = { item: Schemas['Adjustment']; done: () => void }
type Verb = 'approve' | 'reject' | 'withdraw'

const PATH = '/api/v1/operator/adjustments/{reference}'

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
      {mayAccount(session) && (
        <div class="buttons after-facts">
          {isOwn && button('withdraw')}
          {!isOwn && !cannotApprove && button('approve', 'primary')}
          {!isOwn && button('reject')}
        </div>
      )}
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
  return (
    <ReasonForm
      title={strings.rejectTitle(money(amount, currency))}
      action={strings.reject}
      label={strings.reason}
      hint={strings.rejectHint}
      said={strings.rejected}
      run={(body, headers) =>
        send('POST', `${PATH}/reject`, { params: { reference }, body, headers })
      }
      done={done}
      close={close}
    />
  )
}
