// Resolves a payout whose outcome is unknown, or that is in a file without a report. After asking the bank,
// the user confirms the payout, or requests to mark it as failed.

import {
  adjustmentsStrings,
  payoutFailuresStrings,
  payoutsStrings,
  suspenseStrings,
} from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { money } from '../../format.ts'
import { Action, DecideRequest } from '../../parts/action.tsx'
import { refreshApprovalCounts } from '../../parts/approval-count.tsx'
import { factList } from '../../parts/drawer.tsx'
import { InputField, ReasonField, TextAreaField } from '../../parts/forms.tsx'
import { Time } from '../../parts/values.tsx'
import type { Session } from '../../session.ts'
import type { Payout } from './payout.tsx'

const { resolve: strings } = payoutsStrings
const PATH = '/api/v1/operator/payouts/{reference}'

type Props = {
  payout: Payout
  session: Session
  request: Schemas['RequestedFailure'] | null
  onDone: () => void
}

// Resolves a payout whose result the service does not know: one user confirms that the bank paid it, or
// requests to mark it as failed.
export function ResolvePayout({ payout, session, request, onDone }: Props) {
  const { reference, status } = payout
  const params = { reference }
  const amount = money(payout.amount, payout.currency)
  return (
    <section class="request" aria-labelledby="resolve">
      <h3 id="resolve">{strings.title}</h3>
      <p class="notice">{status === 'unknown' ? payoutsStrings.unknownText : strings.inFile}</p>
      <ul class="todo">
        <li>{strings.text(reference)}</li>
        <li>{strings.ifPaid}</li>
        <li>{strings.ifNot}</li>
      </ul>
      <div class="buttons">
        <Action
          title={strings.confirmTitle(amount, payout.toAccountName)}
          action={strings.confirm}
          style="primary"
          text={strings.confirmText}
          run={(form, headers) => {
            const body = { bankReference: form.text('bankReference') }
            return send('POST', `${PATH}/confirm`, { params, body, headers })
          }}
          message={strings.confirmed(reference)}
          onDone={onDone}
        >
          <InputField
            label={payoutsStrings.bankReference}
            name="bankReference"
            required
            maxLength={100}
          />
        </Action>
        <Action
          title={strings.failTitle(amount, payout.toAccountName)}
          action={strings.fail}
          isOffered={!request}
          isDangerous
          text={strings.failText}
          run={(form, headers) => {
            const body = { reason: form.text('reason'), evidence: form.text('evidence') }
            return send('POST', `${PATH}/fail`, { params, body, headers })
          }}
          message={strings.failed(reference)}
          onDone={onDone}
        >
          <TextAreaField
            label={payoutFailuresStrings.evidence}
            hint={payoutFailuresStrings.evidenceHint}
            name="evidence"
            rows={3}
            maxLength={400}
            required
          />
          <ReasonField label={strings.reason} hint={strings.reasonHint} />
        </Action>
      </div>
      {request && <DecideFailure session={session} item={request} onDone={onDone} />}
    </section>
  )
}

const FAILURE = '/api/v1/operator/payout-failures/{reference}'

type DecideFailureProps = {
  session: Session
  item: Schemas['RequestedFailure']
  onDone: () => void
}

// The open request to mark the payout as failed, with its evidence and the decision.
export function DecideFailure({ session, item, onDone }: DecideFailureProps) {
  const { requestedBy } = item
  return (
    <section class="request" aria-labelledby="failing">
      <h3 id="failing">{payoutFailuresStrings.title}</h3>
      {factList([
        [payoutFailuresStrings.evidence, item.evidence],
        [payoutFailuresStrings.reason, item.reason],
        [payoutFailuresStrings.requestedBy, suspenseStrings.person(requestedBy)],
        [payoutFailuresStrings.requestedAt, <Time key="at" at={item.requestedAt} />],
      ])}
      <DecideFailureRequest
        {...{ session, item }}
        onDone={() => {
          refreshApprovalCounts()
          onDone()
        }}
      />
    </section>
  )
}

// The buttons that decide on the request, here and on Today. The words of adjustments fit where payouts have
// none of their own.
export function DecideFailureRequest({ session, item, onDone }: DecideFailureProps) {
  const { reference } = item
  return (
    <DecideRequest
      {...{ session, onDone }}
      request={item}
      amount={money(item.amount)}
      words={{
        ...adjustmentsStrings,
        ...payoutFailuresStrings,
        reason: adjustmentsStrings.reason,
      }}
      decide={(verb, sent) =>
        send('POST', `${FAILURE}/${verb}`, { params: { reference }, ...sent })
      }
    />
  )
}
