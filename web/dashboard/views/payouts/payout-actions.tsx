// Approves, rejects or cancels a queued payout, each after a confirmation dialog. Says what blocks the
// payout, and why the user cannot approve it.

import { payoutsStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { humanize, money } from '../../format.ts'
import { Action } from '../../parts/action.tsx'
import { ReasonField } from '../../parts/forms.tsx'
import { isAwaiting } from './payout-list.tsx'

const { decide: strings } = payoutsStrings
const PATH = '/api/v1/payouts/{reference}'

type Props = { payout: Schemas['PayoutDetail']; done: () => void }

export function PayoutActions({ payout, done }: Props) {
  if (payout.status === 'unknown') {
    return <p class="notice held">{payoutsStrings.unknownText}</p>
  }
  if (payout.status !== 'queued') return null
  const { reference, blockedBy, cannotApprove } = payout
  const isOwn = cannotApprove?.code === 'other_person_needed'
  const mayDecide = isAwaiting(payout) && !isOwn
  // The payout of a settlement or refund is cancelled with it, unless it is blocked.
  const mayCancel = payout.purpose === 'payout' || Boolean(blockedBy)
  const amount = money(payout.amount, payout.currency)
  const params = { reference }
  return (
    <>
      {blockedBy && <p class="notice held">{strings.blocked[blockedBy] ?? humanize(blockedBy)}</p>}
      {isOwn && <p class="muted after-facts">{strings.own}</p>}
      {cannotApprove && !isOwn && cannotApprove.code !== blockedBy && (
        <p class="notice after-facts">{cannotApprove.message}</p>
      )}
      <div class="actions">
        <Action
          title={strings.approveTitle(amount)}
          action={strings.approve}
          style="primary"
          isOffered={mayDecide && !cannotApprove}
          text={strings.approveText(payout.toAccountName)}
          run={(_, headers) => send('POST', `${PATH}/approve`, { params, body: {}, headers })}
          message={strings.approved(reference)}
          done={done}
        />
        <Action
          title={strings.rejectTitle(amount)}
          action={strings.reject}
          isOffered={mayDecide}
          isDangerous
          text={strings.rejectText}
          run={(form, headers) => {
            const body = { reason: form.text('reason') }
            return send('POST', `${PATH}/reject`, { params, body, headers })
          }}
          message={strings.rejected(reference)}
          done={done}
        >
          <ReasonField label={strings.reason} hint={strings.reasonHint} />
        </Action>
        <Action
          title={strings.cancelTitle(amount)}
          action={strings.cancel}
          isOffered={mayCancel && !mayDecide}
          isDangerous
          text={strings.cancelText}
          run={(_, headers) => send('POST', `${PATH}/cancel`, { params, body: {}, headers })}
          message={strings.cancelled(reference)}
          done={done}
        />
      </div>
    </>
  )
}
