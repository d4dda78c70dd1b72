// Approves, rejects or cancels a payout that is queued, each after a confirmation dialog; and says what
// blocks it, and why the user cannot approve it.

import { useState } from 'preact/hooks'
import { payoutsStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { humanize, money } from '../../format.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { ReasonForm } from '../../parts/reason-form.tsx'
import { toast } from '../../parts/toasts.tsx'
import { isAwaiting } from './payout-list.tsx'

const { decide: strings } = payoutsStrings
const PATH = '/api/v1/payouts/{reference}'

type Payout = Schemas['PayoutDetail']

type Props = { payout: Payout; done: () => void }

export function PayoutActions({ payout, done }: Props) {
  const [asked, setAsked] = useState<'approve' | 'reject' | 'cancel' | undefined>()
  if (payout.status === 'unknown') {
    return <p class="notice held">{payoutsStrings.unknownText}</p>
  }
  if (payout.status !== 'queued') return null
  const { blockedBy, cannotApprove } = payout
  const isOwn = cannotApprove?.code === 'other_person_needed'
  const mayDecide = isAwaiting(payout) && !isOwn
  // What a settlement or refund pays is cancelled with it, unless it is blocked.
  const mayCancel = payout.purpose === 'payout' || Boolean(blockedBy)
  const close = () => setAsked(undefined)
  const asking = { payout, close, done }
  return (
    <>
      {blockedBy && <p class="notice held">{strings.blocked[blockedBy] ?? humanize(blockedBy)}</p>}
      {isOwn && <p class="muted after-facts">{strings.own}</p>}
      {cannotApprove && !isOwn && cannotApprove.code !== blockedBy && (
        <p class="notice after-facts">{cannotApprove.message}</p>
      )}
      <div class="actions">
        {mayDecide && !cannotApprove && (
          <button type="button" class="button primary" onClick={() => setAsked('approve')}>
            {strings.approve}
          </button>
        )}
        {mayDecide && (
          <button type="button" class="button" onClick={() => setAsked('reject')}>
            {strings.reject}
          </button>
        )}
        {mayCancel && !mayDecide && (
          <button type="button" class="button" onClick={() => setAsked('cancel')}>
            {strings.cancel}
          </button>
        )}
      </div>
      {asked === 'approve' && <Approve {...asking} />}
      {asked === 'reject' && <Reject {...asking} />}
      {asked === 'cancel' && <Cancel {...asking} />}
    </>
  )
}

type Asking = { payout: Payout; close: () => void; done: () => void }

function Approve({ payout, close, done }: Asking) {
  const { reference, amount, currency } = payout
  return (
    <Confirm
      title={strings.approveTitle(money(amount, currency))}
      action={strings.approve}
      run={(headers) =>
        send('POST', `${PATH}/approve`, { params: { reference }, body: {}, headers })
      }
      done={() => {
        close()
        toast(strings.approved(reference))
        done()
      }}
      close={close}
    >
      {strings.approveText(payout.toAccountName)}
    </Confirm>
  )
}

function Reject({ payout, close, done }: Asking) {
  const { reference, amount, currency } = payout
  return (
    <ReasonForm
      title={strings.rejectTitle(money(amount, currency))}
      action={strings.reject}
      text={strings.rejectText}
      label={strings.reason}
      hint={strings.reasonHint}
      said={strings.rejected(reference)}
      run={(body, headers) =>
        send('POST', `${PATH}/reject`, { params: { reference }, body, headers })
      }
      done={done}
      close={close}
    />
  )
}

function Cancel({ payout, close, done }: Asking) {
  const { reference, amount, currency } = payout
  return (
    <Confirm
      title={strings.cancelTitle(money(amount, currency))}
      action={strings.cancel}
      isDangerous
      run={(headers) =>
        send('POST', `${PATH}/cancel`, { params: { reference }, body: {}, headers })
      }
      done={() => {
        close()
        toast(strings.cancelled(reference))
        done()
      }}
      close={close}
    >
      {strings.cancelText}
    </Confirm>
  )
}
