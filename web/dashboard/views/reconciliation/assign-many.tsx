// Assigns many differences to one user or to nobody, and lists failures with their reasons.

import { useState } from 'preact/hooks'
import { differencesStrings as strings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { count } from '../../format.ts'
import { DialogForm } from '../../parts/dialog.tsx'
import { useSending } from '../../parts/forms.tsx'
import { toast } from '../../parts/toasts.tsx'
import type { Session } from '../../session.ts'
import { OwnerChoice, useOwners } from './owner-choice.tsx'
import { type Failure, Outcome } from './resolve-many.tsx'

const PATH = '/api/v1/operator/reconciliation/assign'
const AT_ONCE = 500

type Props = { ids: readonly string[]; session: Session; done: () => void }

export function AssignChosen({ ids, session, done }: Props) {
  const [asked, setAsked] = useState<readonly string[] | undefined>()
  return (
    <>
      {ids.length > 0 && (
        <button type="button" class="button" onClick={() => setAsked(ids)}>
          {strings.assignChosen} ({count(ids.length)})
        </button>
      )}
      {asked && (
        <AssignMany ids={asked} session={session} close={() => setAsked(undefined)} done={done} />
      )}
    </>
  )
}

function AssignMany({ ids, session, close, done }: Props & { close: () => void }) {
  const owners = useOwners()
  const [failed, setFailed] = useState<readonly Failure[] | undefined>()
  const sending = useSending(async (form) => {
    const owner = form.text('owner')
    const failures: Failure[] = []
    for (let at = 0; at < ids.length; at += AT_ONCE) {
      const some = ids.slice(at, at + AT_ONCE).map(Number)
      const results = await send('POST', PATH, { body: { ids: some, owner } })
      for (const { id, ok, message } of results) {
        if (!ok) failures.push({ id: `${id}`, message: message ?? '' })
      }
    }
    if (failures.length > 0) setFailed(failures)
    else {
      close()
      toast(strings.manyAssigned(ids.length))
    }
    done()
  })
  if (failed) {
    return (
      <Outcome
        title={strings.assignMany(ids.length)}
        done={strings.manyAssigned(ids.length - failed.length)}
        notDone={strings.manyNotAssigned(failed.length)}
        failed={failed}
        close={close}
      />
    )
  }
  return (
    <DialogForm
      title={strings.assignMany(ids.length)}
      action={strings.assign}
      isReady={owners.data !== undefined}
      sending={sending}
      close={close}
    >
      <OwnerChoice owners={owners} session={session} chosen={session.user.id} />
    </DialogForm>
  )
}
