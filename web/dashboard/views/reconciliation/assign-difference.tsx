// Assigns a difference to the user, to somebody else or to nobody. The service refuses if its owner has
// changed meanwhile.

import { differencesStrings as strings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { money } from '../../format.ts'
import { ActionDialog, AtOnceButton, OpenButton } from '../../parts/action.tsx'
import { toast } from '../../parts/toasts.tsx'
import type { Session } from '../../session.ts'
import type { Difference } from './difference-list.tsx'
import { OwnerChoice, useOwners } from './owner-choice.tsx'

const PATH = '/api/v1/operator/reconciliation/{id}/assign'

type Props = { difference: Difference; session: Session; done: () => void }

const ownerOf = ({ owner }: Difference) => owner?.id ?? 'nobody'

export function AssignDifference({ difference, session, done }: Props) {
  const { id } = difference
  const isMine = difference.owner?.id === session.user.id
  const turn = async () => {
    const body = { owner: isMine ? 'nobody' : 'me', from: ownerOf(difference) }
    await send('POST', PATH, { params: { id }, body }).finally(done)
    toast(isMine ? strings.unassigned : strings.taken)
  }
  return (
    <>
      <OthersNotice difference={difference} session={session} />
      <div class="actions">
        <AtOnceButton label={isMine ? strings.release : strings.take} run={turn} />
        <OpenButton label={strings.assign}>
          {(close) => <AssignForm {...{ difference, session, done, close }} />}
        </OpenButton>
      </div>
    </>
  )
}

function AssignForm({ difference, session, done, close }: Props & { close: () => void }) {
  const { id, amount, currency } = difference
  const owners = useOwners()
  return (
    <ActionDialog
      title={strings.assignTitle(money(amount, currency))}
      action={strings.assign}
      isReady={owners.data !== undefined}
      run={(form, headers) => {
        const body = { owner: form.text('owner'), from: ownerOf(difference) }
        return send('POST', PATH, { params: { id }, body, headers })
      }}
      message={({ owner }) => (owner ? strings.assignedTo(owner.email) : strings.unassigned)}
      done={done}
      close={close}
    >
      <OwnerChoice owners={owners} session={session} chosen={difference.owner?.id} />
    </ActionDialog>
  )
}

export function OthersNotice({ difference, session }: Omit<Props, 'done'>) {
  const { owner } = difference
  if (!owner || owner.id === session.user.id) return null
  return (
    <p class="notice after-facts">
      {owner.hasAccess ? strings.owned(owner.email) : strings.ownerGone(owner.email)}
    </p>
  )
}
