// Approves or cancels a settlement that is closed, each after a confirmation dialog.

import { useState } from 'preact/hooks'
import { settlementsStrings as strings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { money } from '../../format.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { toast } from '../../parts/toasts.tsx'
import type { Session } from '../../session.ts'
import type { Settlement } from './amounts.tsx'

const PATH = '/api/v1/settlements/{reference}'
type Verb = 'approve' | 'cancel'

type Props = { settlement: Settlement; session: Session; done: () => void }

export function SettlementActions({ settlement, session, done }: Props) {
  const [asked, setAsked] = useState<Verb | undefined>()
  if (settlement.status !== 'closed' || !session.scopes.includes('payouts:write')) return null
  const isOwn = settlement.needsApproval && settlement.closedBy === `user:${session.user.email}`
  return (
    <>
      {isOwn && <p class="muted after-facts">{strings.own}</p>}
      <div class="actions">
        {!isOwn && (
          <button type="button" class="button primary" onClick={() => setAsked('approve')}>
            {strings.approve}
          </button>
        )}
        <button type="button" class="button" onClick={() => setAsked('cancel')}>
          {strings.cancel}
        </button>
      </div>
      {asked && (
        <Decision
          settlement={settlement}
          verb={asked}
          close={() => setAsked(undefined)}
          done={() => {
            setAsked(undefined)
            done()
          }}
        />
      )}
    </>
  )
}

type Deciding = { settlement: Settlement; verb: Verb; close: () => void; done: () => void }

function Decision({ settlement, verb, close, done }: Deciding) {
  const { reference, net, currency } = settlement
  return (
    <Confirm
      title={strings[`${verb}Title`](money(net, currency))}
      action={strings[verb]}
      isDangerous={verb === 'cancel'}
      run={(headers) =>
        send('POST', `${PATH}/${verb}`, { params: { reference }, body: {}, headers })
      }
      done={() => {
        toast(strings[`${verb}Done`](reference))
        done()
      }}
      close={close}
    >
      {strings[`${verb}Text`]}
    </Confirm>
  )
}
