// Approves, rejects or withdraws an open request, each after a dialog. The requester can withdraw it. Another
// user can approve or reject it, or sees why they cannot.

import { mayAccount, type Session } from '../session.ts'
import { Action } from './action.tsx'
import { type Headers, ReasonField } from './forms.tsx'

type Words = {
  own: string
  approve: string
  approveTitle: (amount: string) => string
  approveText: string
  approved: string
  reject: string
  rejectTitle: (amount: string) => string
  reason: string
  rejectHint: string
  rejected: string
  withdraw: string
  withdrawTitle: string
  withdrawText: string
  withdrawn: string
}

type Props = {
  session: Session
  requestedBy: string | null
  cannotApprove: { message: string } | null
  amount: string
  words: Words
  isAfterFacts?: boolean
  decide: (
    verb: 'approve' | 'reject' | 'withdraw',
    sent: { body: Record<string, never> | { reason: string }; headers: Headers },
  ) => Promise<unknown>
  onDone: () => void
}

// The buttons that withdraw the user’s own request, or approve or reject another user’s. `decide` sends the
// decision; `words` are the texts of the workflow.
export function DecideRequest(props: Props) {
  const { session, requestedBy, cannotApprove, amount, words, isAfterFacts = true } = props
  const { decide, onDone } = props
  const isOwn = requestedBy === `user:${session.user.email}`
  const marginClass = isAfterFacts ? 'after-facts' : ''
  return (
    <>
      {isOwn && <p class={`muted ${marginClass}`}>{words.own}</p>}
      {!isOwn && cannotApprove && <p class="notice after-facts">{cannotApprove.message}</p>}
      {mayAccount(session) && (
        <div class={`buttons ${marginClass}`}>
          <Action
            title={words.withdrawTitle}
            action={words.withdraw}
            isOffered={isOwn}
            text={words.withdrawText}
            run={(_, headers) => decide('withdraw', { body: {}, headers })}
            message={words.withdrawn}
            onDone={onDone}
          />
          <Action
            title={words.approveTitle(amount)}
            action={words.approve}
            style="primary"
            isOffered={!isOwn && !cannotApprove}
            text={words.approveText}
            run={(_, headers) => decide('approve', { body: {}, headers })}
            message={words.approved}
            onDone={onDone}
          />
          <Action
            title={words.rejectTitle(amount)}
            action={words.reject}
            isOffered={!isOwn}
            isDangerous
            run={(form, headers) =>
              decide('reject', { body: { reason: form.text('reason') }, headers })
            }
            message={words.rejected}
            onDone={onDone}
          >
            <ReasonField label={words.reason} hint={words.rejectHint} />
          </Action>
        </div>
      )}
    </>
  )
}
