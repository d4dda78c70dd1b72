// The client's payouts: those awaiting approval first, then the list.

import { payoutsStrings as strings } from '../../../copy.ts'
import { ListView } from '../../parts/list-view.tsx'
import { useSteadyVersion } from '../../steady-refresh.ts'
import type { ViewProps } from '../../view-props.ts'
import { NewPayout } from './new-payout.tsx'
import { PayoutDetail } from './payout.tsx'
import { PayoutActions } from './payout-actions.tsx'
import { COLUMNS, PAYOUT_FILTERS } from './payout-list.tsx'
import { WaitingPayouts } from './waiting-payouts.tsx'

const PATH = '/api/v1/payouts'

export function OwnPayouts(props: ViewProps) {
  const { session } = props
  const [version, bump] = useSteadyVersion()
  const mayWrite = session.scopes.includes('payouts:write')
  return (
    <>
      <WaitingPayouts
        title={strings.waitingApproval}
        path={PATH}
        query={{ approval: 'needed', status: 'queued' }}
        version={version}
      />
      <ListView
        {...props}
        view="payouts"
        icon="payouts"
        path={PATH}
        summary={`${PATH}/summary`}
        caption={strings.parts}
        columns={COLUMNS}
        filters={PAYOUT_FILTERS}
        keyOf={({ reference }) => reference}
        isAbout={/^(?:payout|settlement)\./}
        version={version}
        none={{ title: strings.none, text: mayWrite ? strings.noneText : strings.noneAsk }}
        add={mayWrite && <NewPayout done={bump} />}
        one={{
          title: strings.one,
          path: `${PATH}/{reference}`,
          show: (payout) => (
            <PayoutDetail payout={payout}>
              {mayWrite && <PayoutActions payout={payout} done={bump} />}
            </PayoutDetail>
          ),
        }}
      />
    </>
  )
}
