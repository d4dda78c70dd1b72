// Approves, rejects or withdraws an open request to fail a payout, or the payouts of a file.

import {
  adjustmentsStrings,
  payoutFailuresStrings as strings,
  suspenseStrings,
} from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { money } from '../../format.ts'
import { refreshApprovalCounts } from '../../parts/approval-count.tsx'
import { DecideRequest } from '../../parts/decide-request.tsx'
import { Facts } from '../../parts/drawer.tsx'
import { Time } from '../../parts/values.tsx'
import type { Session } from '../../session.ts'

const PATH = '/api/v1/operator/payout-failures/{reference}'

type Props = { session: Session; item: Schemas['PayoutFailure']; done: () => void }

export function DecideFailure({ session, item, done }: Props) {
  const { reference, requestedBy, cannotApprove } = item
  return (
    <section class="request" aria-labelledby="failing">
      <h3 id="failing">{strings.title}</h3>
      <Facts
        facts={[
          [strings.evidence, item.evidence],
          [strings.reason, item.reason],
          [strings.requestedBy, suspenseStrings.person(requestedBy)],
          [strings.requestedAt, <Time key="at" at={item.requestedAt} />],
        ]}
      />
      <DecideRequest
        {...{ session, requestedBy, cannotApprove }}
        amount={money(item.amount)}
        words={{ ...adjustmentsStrings, ...strings, reason: adjustmentsStrings.reason }}
        decide={(verb, sent) => send('POST', `${PATH}/${verb}`, { params: { reference }, ...sent })}
        done={() => {
          refreshApprovalCounts()
          done()
        }}
      />
    </section>
  )
}
