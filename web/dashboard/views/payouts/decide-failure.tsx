// Approves, rejects or withdraws an open request to fail a payout, or those of a file, each after a dialog.

import { useState } from 'preact/hooks'
import {
  adjustmentsStrings,
  payoutFailuresStrings as strings,
  suspenseStrings,
} from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { money } from '../../format.ts'
import { refreshApprovalCounts } from '../../parts/approval-count.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Facts } from '../../parts/drawer.tsx'
import { ReasonForm } from '../../parts/reason-form.tsx'
import { toast } from '../../parts/toasts.tsx'
import { Time } from '../../parts/values.tsx'
import { mayAccount, type Session } from '../../session.ts'

type Props = { item: Schemas['PayoutFailure']; done: () => void }
type Verb = 'approve' | 'reject' | 'withdraw'

const PATH = '/api/v1/operator/payout-failures/{reference}'

export function DecideFailure({ session, item, done }: Props & { session: Session }) {
  const [asked, setAsked] = useState<Verb | undefined>()
  const { requestedBy, cannotApprove, evidence, reason, requestedAt } = item
  const isOwn = requestedBy === `user:${session.user.email}`
  const close = () => setAsked(undefined)
  const decided = () => {
    refreshApprovalCounts()
    done()
  }
  const button = (verb: Verb, style = '') => (
    <button type="button" class={`button ${style}`} onClick={() => setAsked(verb)}>
      {adjustmentsStrings[verb]}
    </button>
  )
  return (
    <section class="request" aria-labelledby="failing">
      <h3 id="failing">{strings.title}</h3>
      <Facts
        facts={[
          [strings.evidence, evidence],
          [strings.reason, reason],
          [strings.requestedBy, suspenseStrings.person(requestedBy)],
          [strings.requestedAt, <Time key="at" at={requestedAt} />],
        ]}
      />
      {isOwn && <p class="muted after-facts">{adjustmentsStrings.own}</p>}
      {!isOwn && cannotApprove && <p class="notice after-facts">{cannotApprove.message}</p>}
      {mayAccount(session) && (
        <div class="buttons after-facts">
          {isOwn && button('withdraw')}
          {!isOwn && !cannotApprove && button('approve', 'primary')}
          {!isOwn && button('reject')}
        </div>
      )}
      {asked === 'reject' && <RejectForm item={item} done={decided} close={close} />}
      {(asked === 'approve' || asked === 'withdraw') && (
        <Decision item={item} verb={asked} done={decided} close={close} />
      )}
    </section>
  )
}

type Deciding = Props & { verb: 'approve' | 'withdraw'; close: () => void }

function Decision({ item, verb, close, done }: Deciding) {
  const { reference, amount } = item
  const isApproval = verb === 'approve'
  return (
    <Confirm
      title={isApproval ? strings.approveTitle(money(amount)) : adjustmentsStrings.withdrawTitle}
      action={adjustmentsStrings[verb]}
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
  const { reference, amount } = item
  return (
    <ReasonForm
      title={strings.rejectTitle(money(amount))}
      action={adjustmentsStrings.reject}
      label={adjustmentsStrings.reason}
      hint={adjustmentsStrings.rejectHint}
      said={strings.rejected}
      run={(body, headers) =>
        send('POST', `${PATH}/reject`, { params: { reference }, body, headers })
      }
      done={done}
      close={close}
    />
  )
}
