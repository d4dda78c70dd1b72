// Approves or cancels a settlement that is closed, each after a confirmation dialog, and says why the user
// cannot approve it. Approval gives the bank accounts and names that were shown when it was asked for: if
// they are others meanwhile, it is refused. One whose name no bank has confirmed is pointed out.

import { useState } from 'preact/hooks'
import { settlementsStrings as strings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { money } from '../../format.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { toast } from '../../parts/toasts.tsx'
import type { Session } from '../../session.ts'
import type { WholeSettlement } from './amounts.tsx'

const PATH = '/api/v1/settlements/{reference}'
type Verb = 'approve' | 'cancel'

type Asked = { verb: Verb; settlement: WholeSettlement }
type Props = { settlement: WholeSettlement; session: Session; done: () => void }

export function SettlementActions({ settlement, session, done }: Props) {
  const [asked, setAsked] = useState<Asked | undefined>()
  if (settlement.status !== 'closed' || !session.scopes.includes('payouts:write')) return null
  const { cannotApprove, heldReason } = settlement
  const isOwn = cannotApprove?.code === 'other_person_needed'
  const ask = (verb: Verb) => () => setAsked({ verb, settlement })
  const end = () => {
    setAsked(undefined)
    done()
  }
  return (
    <>
      {isOwn && <p class="muted after-facts">{strings.own}</p>}
      {cannotApprove && !isOwn && cannotApprove.code !== heldReason && (
        <p class="notice after-facts">{cannotApprove.message}</p>
      )}
      <div class="actions">
        {!cannotApprove && (
          <button type="button" class="button primary" onClick={ask('approve')}>
            {strings.approve}
          </button>
        )}
        <button type="button" class="button" onClick={ask('cancel')}>
          {strings.cancel}
        </button>
      </div>
      {asked && <Decision {...asked} close={end} />}
    </>
  )
}

// The release before knows of no payees.
function hasUnconfirmed({ payees }: WholeSettlement): boolean {
  return payees?.some(({ blockedBy }) => blockedBy === 'bank_account_unconfirmed') ?? false
}

function Decision({ settlement, verb, close }: Asked & { close: () => void }) {
  const { reference, net, currency, payees } = settlement
  // The release before knows of none.
  const isNamed = verb === 'approve' && payees
  const body = isNamed
    ? {
        bankAccounts: payees.map(({ bankAccount }) => bankAccount),
        accountNames: payees.map(({ accountName }) => accountName),
      }
    : {}
  return (
    <Confirm
      title={strings[`${verb}Title`](money(net, currency))}
      action={strings[verb]}
      isDangerous={verb === 'cancel'}
      run={(headers) => send('POST', `${PATH}/${verb}`, { params: { reference }, body, headers })}
      done={() => {
        toast(strings[`${verb}Done`](reference))
        close()
      }}
      close={close}
    >
      {verb === 'approve' && hasUnconfirmed(settlement) && <p>{strings.approveUnconfirmed}</p>}
      {strings[`${verb}Text`]}
    </Confirm>
  )
}
