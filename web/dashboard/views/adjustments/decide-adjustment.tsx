// Approves, rejects or withdraws an open adjustment.

import { adjustmentsStrings as strings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { money } from '../../format.ts'
import { DecideRequest } from '../../parts/decide-request.tsx'
import type { Session } from '../../session.ts'

const PATH = '/api/v1/operator/adjustments/{reference}'

type Props = { session: Session; item: Schemas['Adjustment']; done: () => void }

export function DecideAdjustment({ session, item, done }: Props) {
  const { reference, requestedBy, cannotApprove } = item
  return (
    <DecideRequest
      {...{ session, requestedBy, cannotApprove, done }}
      amount={money(item.amount, item.currency)}
      words={strings}
      decide={(verb, sent) => send('POST', `${PATH}/${verb}`, { params: { reference }, ...sent })}
    />
  )
}
