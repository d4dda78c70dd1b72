// Assigns one or many differences to the user or to another user, or removes their owner. The service refuses
// a difference whose owner has changed since the page read it.

import { useState } from 'preact/hooks'
import { differencesStrings as strings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { count, money } from '../../format.ts'
import { useData } from '../../loading.ts'
import { ActionDialog, AtOnceButton, OpenButton, offerUndo } from '../../parts/action.tsx'
import { DialogForm } from '../../parts/dialog.tsx'
import type { Filter } from '../../parts/filters.tsx'
import { SelectField, useSending } from '../../parts/forms.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import type { Session } from '../../session.ts'
import { type Difference, OthersNotice } from './movement.tsx'
import { BulkOutcome, type Failure } from './resolve-difference.tsx'

const PATH = '/api/v1/operator/reconciliation/{id}/assign'

type Props = { difference: Difference; session: Session; onDone: () => void }

const ownerId = ({ owner }: Difference) => owner?.id ?? 'nobody'

// Takes or releases the difference, or assigns it to another user, after a warning if somebody else owns it.
export function AssignDifference({ difference, session, onDone }: Props) {
  return (
    <>
      <OthersNotice difference={difference} session={session} />
      <div class="actions">
        <TakeDifference {...{ difference, session, onDone }} />
        <OpenButton label={strings.assign}>
          {(close) => <AssignForm {...{ difference, session, onDone, close }} />}
        </OpenButton>
      </div>
    </>
  )
}

// Makes the user the owner, or removes them as the owner. The toast offers to undo it.
export function TakeDifference({ difference, session, onDone }: Props) {
  const { id } = difference
  const isMine = difference.owner?.id === session.user.id
  // `from` is the owner that the page shows: the service refuses the change if there is another by now.
  const takeOrRelease = async () => {
    const assign = (owner: string, from: string) =>
      send('POST', PATH, { params: { id }, body: { owner, from } }).finally(onDone)
    const previousOwner = ownerId(difference)
    const { owner } = await assign(isMine ? 'nobody' : 'me', previousOwner)
    offerUndo(isMine ? strings.unassigned : strings.taken, () =>
      assign(previousOwner, owner?.id ?? 'nobody'),
    )
  }
  return <AtOnceButton label={isMine ? strings.release : strings.take} run={takeOrRelease} />
}

// Makes another user the owner. `from` is the owner that the page shows: the service refuses the change if
// there is another by now.
function AssignForm({ difference, session, onDone, close }: Props & { close: () => void }) {
  const { id, amount, currency } = difference
  const owners = useOwners()
  return (
    <ActionDialog
      title={strings.assignTitle(money(amount, currency))}
      action={strings.assign}
      isReady={owners.data !== undefined}
      run={(form, headers) => {
        const body = { owner: form.text('owner'), from: ownerId(difference) }
        return send('POST', PATH, { params: { id }, body, headers })
      }}
      message={({ owner }) => (owner ? strings.assignedTo(owner.email) : strings.unassigned)}
      onDone={onDone}
      close={close}
    >
      <OwnerChoice owners={owners} session={session} chosen={difference.owner?.id} />
    </ActionDialog>
  )
}

const MANY_PATH = '/api/v1/operator/reconciliation/assign'
const BATCH_MAX = 500

type ManyProps = { ids: readonly string[]; session: Session; onDone: () => void }

// Assigns the selected differences; the batch stays as it was when the dialog opened.
export function AssignChosen({ ids, session, onDone }: ManyProps) {
  const [batch, setBatch] = useState<readonly string[] | undefined>()
  return (
    <>
      {ids.length > 0 && (
        <button type="button" class="button" onClick={() => setBatch(ids)}>
          {strings.assignChosen} ({count(ids.length)})
        </button>
      )}
      {batch && (
        <AssignMany
          ids={batch}
          session={session}
          close={() => setBatch(undefined)}
          onDone={onDone}
        />
      )}
    </>
  )
}

// Asks for the owner of all these differences. If some are refused, their list replaces the form.
function AssignMany({ ids, session, close, onDone }: ManyProps & { close: () => void }) {
  const owners = useOwners()
  const [failed, setFailed] = useState<readonly Failure[] | undefined>()
  // Assigns the differences in batches, and lists those that could not be assigned.
  const sending = useSending(async (form) => {
    const owner = form.text('owner')
    const failures: Failure[] = []
    for (let start = 0; start < ids.length; start += BATCH_MAX) {
      const batch = ids.slice(start, start + BATCH_MAX).map(Number)
      const results = await send('POST', MANY_PATH, { body: { ids: batch, owner } })
      for (const { id, ok, message } of results) {
        if (!ok) failures.push({ id: `${id}`, message: message ?? '' })
      }
    }
    if (failures.length > 0) setFailed(failures)
    else {
      close()
      toast(strings.manyAssigned(ids.length))
    }
    onDone()
  })
  if (failed) {
    return (
      <BulkOutcome
        title={strings.assignMany(ids.length)}
        summary={strings.manyAssigned(ids.length - failed.length)}
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

const OWNERS_PATH = '/api/v1/operator/reconciliation/owners'

const useOwners = () => useData(OWNERS_PATH, {})

// The filter by owner. It also offers owners who no longer have access.
export function useOwnerFilter({ user }: Session): Filter {
  const { data } = useOwners()
  const otherOwners = (data ?? []).filter(({ id }) => id !== user.id)
  const choices = Object.fromEntries([
    ['me', strings.me],
    ['nobody', strings.nobody],
    ...otherOwners.map(({ id, email, hasAccess }) => [
      id,
      hasAccess ? email : strings.withoutAccess(email),
    ]),
  ])
  return { name: 'owner', label: strings.owner, choices }
}

type OwnerChoiceProps = {
  owners: ReturnType<typeof useOwners>
  session: Session
  chosen: string | undefined
}

// The choice of an owner among the users who still have access.
function OwnerChoice({ owners, session, chosen }: OwnerChoiceProps) {
  const { data, problem, reload } = owners
  if (problem && !data) return <Failed problem={problem} retry={reload} />
  if (!data) return <Skeleton kind="text" lines={2} />
  const eligibleOwners = data
    .filter(({ hasAccess }) => hasAccess)
    .map(({ id, email }) => [id, id === session.user.id ? strings.you(email) : email] as const)
  return (
    <SelectField
      label={strings.assignTo}
      hint={strings.assignHint}
      name="owner"
      options={[['nobody', strings.nobody], ...eligibleOwners]}
      chosen={chosen}
    />
  )
}
