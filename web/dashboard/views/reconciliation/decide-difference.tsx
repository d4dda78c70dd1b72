// Approves, rejects or withdraws a resolution that awaits approval, each after a confirmation dialog.

import { useState } from 'preact/hooks'
import { differencesStrings as strings, suspenseStrings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { money } from '../../format.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { ReasonForm } from '../../parts/reason-form.tsx'
import { toast } from '../../parts/toasts.tsx'
import { mayAccount, type Session } from '../../session.ts'
import type { Difference } from './difference-list.tsx'

type Props = { difference: Difference; done: () => void }
type Verb = 'approve' | 'reject' | 'withdraw'

const PATH = '/api/v1/operator/reconciliation/{id}'

export function DecideDifference({ session, ...props }: Props & { session: Session }) {
  const [asked, setAsked] = useState<Verb | undefined>()
  const { askedBy, action, reason, cannotApprove } = props.difference
  const isOwn = askedBy === `user:${session.user.email}`
  const close = () => setAsked(undefined)
  const button = (verb: Verb, style = '') => (
    <button type="button" class={`button ${style}`} onClick={() => setAsked(verb)}>
      {strings[verb]}
    </button>
  )
  return (
    <section class="request" aria-labelledby="asked">
      <h3 id="asked">{strings.waiting}</h3>
      <p>
        {strings.asks(suspenseStrings.person(askedBy ?? ''), strings.actions[action ?? ''] ?? '')}
      </p>
      {readingOf(props.difference) && <p>{readingOf(props.difference)}</p>}
      <p class="request-reason">{reason}</p>
      {isOwn && <p class="muted">{strings.own}</p>}
      {!isOwn && cannotApprove && <p class="notice after-facts">{cannotApprove.message}</p>}
      {mayAccount(session) && (
        <div class="buttons">
          {isOwn && button('withdraw')}
          {!isOwn && !cannotApprove && button('approve', 'primary')}
          {!isOwn && button('reject')}
        </div>
      )}
      {asked === 'reject' && <RejectForm {...props} close={close} />}
      {(asked === 'approve' || asked === 'withdraw') && (
        <Decision {...props} verb={asked} close={close} />
      )}
    </section>
  )
}

// Of a part of a credit that was asked to be reversed: what the approver lets happen.
function readingOf({ readings, action, amount, currency, credit }: Difference): string | undefined {
  if (action !== 'book' || readings.length === 0) return undefined
  return `${strings.readings.reversal(money(-amount, currency), money(credit?.amount ?? 0, currency))}.`
}

type Deciding = Props & { verb: 'approve' | 'withdraw'; close: () => void }

function Decision({ difference, verb, close, done }: Deciding) {
  const { id, amount, currency, action } = difference
  const isApproval = verb === 'approve'
  return (
    <Confirm
      title={isApproval ? strings.approveTitle(money(amount, currency)) : strings.withdrawTitle}
      action={strings[verb]}
      run={(headers) => send('POST', `${PATH}/${verb}`, { params: { id }, body: {}, headers })}
      done={() => {
        toast(isApproval ? strings.approved : strings.withdrawn)
        close()
        done()
      }}
      close={close}
    >
      {isApproval ? strings.approveText(strings.actions[action ?? ''] ?? '') : strings.withdrawText}
    </Confirm>
  )
}

function RejectForm({ difference, close, done }: Props & { close: () => void }) {
  const { id, amount, currency } = difference
  return (
    <ReasonForm
      title={strings.rejectTitle(money(amount, currency))}
      action={strings.reject}
      label={strings.reason}
      hint={strings.rejectHint}
      said={strings.rejected}
      run={(body, headers) => send('POST', `${PATH}/reject`, { params: { id }, body, headers })}
      done={done}
      close={close}
    />
  )
}
