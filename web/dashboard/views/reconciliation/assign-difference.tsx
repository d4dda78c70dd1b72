// Whose a difference is, and what changes it: taking it, or giving it to another or to nobody. If it
// became somebody else's meanwhile, that is said instead.

import { useState } from 'preact/hooks'
import { differencesStrings as strings } from '../../../copy.ts'
import { problemFrom, send } from '../../api.ts'
import { money } from '../../format.ts'
import { staying } from '../../in-flight.ts'
import { DialogForm } from '../../parts/dialog.tsx'
import { textOf, useSending } from '../../parts/forms.tsx'
import { toast } from '../../parts/toasts.tsx'
import type { Session } from '../../session.ts'
import type { Difference } from './difference-list.tsx'
import { OwnerChoice, useOwners } from './owner-choice.tsx'

const PATH = '/api/v1/operator/reconciliation/{id}/assign'

type Props = { difference: Difference; session: Session; done: () => void }

const ownerOf = ({ owner }: Difference) => owner?.id ?? 'nobody'

export function AssignDifference({ difference, session, done }: Props) {
  const [isAsked, setAsked] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const isMine = difference.owner?.id === session.user.id
  const turn = async () => {
    if (isBusy) return
    setBusy(true)
    try {
      const body = { owner: isMine ? 'nobody' : 'me', from: ownerOf(difference) }
      await staying(() => send('POST', PATH, { params: { id: difference.id }, body }))
      toast(isMine ? strings.unassigned : strings.taken)
    } catch (error) {
      toast(problemFrom(error).message, 'bad')
    }
    setBusy(false)
    done()
  }
  // One button, never `disabled`: the focus stays on it.
  return (
    <>
      <OthersNotice difference={difference} session={session} />
      <div class="actions">
        <button type="button" class="button" aria-disabled={isBusy} onClick={turn}>
          {isMine ? strings.release : strings.take}
        </button>
        <button type="button" class="button" onClick={() => setAsked(true)}>
          {strings.assign}
        </button>
        {isAsked && (
          <AssignForm
            difference={difference}
            session={session}
            done={done}
            close={() => setAsked(false)}
          />
        )}
      </div>
    </>
  )
}

function AssignForm({ difference, session, done, close }: Props & { close: () => void }) {
  const { id, amount, currency } = difference
  const owners = useOwners()
  const sending = useSending(async (given, headers) => {
    const body = { owner: textOf(given, 'owner'), from: ownerOf(difference) }
    const { owner } = await send('POST', PATH, { params: { id }, body, headers })
    close()
    toast(owner ? strings.assignedTo(owner.email) : strings.unassigned)
    done()
  })
  return (
    <DialogForm
      title={strings.assignTitle(money(amount, currency))}
      action={strings.assign}
      isReady={owners.data !== undefined}
      sending={sending}
      close={close}
    >
      <OwnerChoice owners={owners} session={session} chosen={difference.owner?.id} />
    </DialogForm>
  )
}

// Where somebody else works on it.
export function OthersNotice({ difference, session }: Omit<Props, 'done'>) {
  const { owner } = difference
  if (!owner || owner.id === session.user.id) return null
  return (
    <p class="notice after-facts">
      {owner.hasAccess ? strings.owned(owner.email) : strings.ownerGone(owner.email)}
    </p>
  )
}
