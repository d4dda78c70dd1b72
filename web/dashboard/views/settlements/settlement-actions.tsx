// Approves or cancels a closed settlement, each after a confirmation dialog, and says why the user cannot
// approve it. An approval names the bank accounts and account names on the screen: the service refuses it
// if they have changed. The dialog points out an account whose name no bank has confirmed.

import { useState } from 'preact/hooks'
import { settlementsStrings as strings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { money } from '../../format.ts'
import { ActionDialog } from '../../parts/action.tsx'
import { Button } from '../../parts/button.tsx'
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
          <Button style="primary" onClick={ask('approve')}>
            {strings.approve}
          </Button>
        )}
        <Button onClick={ask('cancel')}>{strings.cancel}</Button>
      </div>
      {asked && <Decision {...asked} close={end} />}
    </>
  )
}

// The previous release sends no payees.
function hasUnconfirmed({ payees }: WholeSettlement): boolean {
  return payees?.some(({ blockedBy }) => blockedBy === 'bank_account_unconfirmed') ?? false
}

function Decision({ settlement, verb, close }: Asked & { close: () => void }) {
  const { reference, net, currency, payees } = settlement
  const isNamed = verb === 'approve' && payees
  const body = isNamed
    ? {
        bankAccounts: payees.map(({ bankAccount }) => bankAccount),
        accountNames: payees.map(({ accountName }) => accountName),
      }
    : {}
  return (
    <ActionDialog
      title={strings[`${verb}Title`](money(net, currency))}
      action={strings[verb]}
      isDangerous={verb === 'cancel'}
      text={
        <>
          {verb === 'approve' && hasUnconfirmed(settlement) && <p>{strings.approveUnconfirmed}</p>}
          {strings[`${verb}Text`]}
        </>
      }
      run={(_, headers) =>
        send('POST', `${PATH}/${verb}`, { params: { reference }, body, headers })
      }
      message={strings[`${verb}Done`](reference)}
      close={close}
    />
  )
}
