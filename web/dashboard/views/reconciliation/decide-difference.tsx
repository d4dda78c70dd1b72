// Approves, rejects or withdraws the resolution of a difference that awaits approval.

import { differencesStrings as strings, suspenseStrings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { money } from '../../format.ts'
import { DecideRequest } from '../../parts/decide-request.tsx'
import type { Session } from '../../session.ts'
import type { Difference } from './difference-list.tsx'

const PATH = '/api/v1/operator/reconciliation/{id}'

type Props = { session: Session; difference: Difference; done: () => void }

export function DecideDifference({ session, difference, done }: Props) {
  const { id, askedBy, action, reason, cannotApprove, amount, currency } = difference
  const actionName = strings.actions[action ?? ''] ?? ''
  const reading = readingOf(difference)
  return (
    <section class="request" aria-labelledby="asked">
      <h3 id="asked">{strings.waiting}</h3>
      <p>{strings.asks(suspenseStrings.person(askedBy ?? ''), actionName)}</p>
      {reading && <p>{reading}</p>}
      <p class="request-reason">{reason}</p>
      <DecideRequest
        {...{ session, cannotApprove, done }}
        requestedBy={askedBy}
        isAfterFacts={false}
        amount={money(amount, currency)}
        words={{ ...strings, approveText: strings.approveText(actionName) }}
        decide={(verb, sent) => send('POST', `${PATH}/${verb}`, { params: { id }, ...sent })}
      />
    </section>
  )
}

// How a debit smaller than its credit is booked if the approver agrees.
function readingOf({ readings, action, amount, currency, credit }: Difference): string | undefined {
  if (action !== 'book' || readings.length === 0) return undefined
  return `${strings.readings.reversal(money(-amount, currency), money(credit?.amount ?? 0, currency))}.`
}
