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
import { Field, useSending } from '../../parts/forms.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import type { Session } from '../../session.ts'
import { type Difference, OthersNotice } from './movement.tsx'
import { type Failure, Outcome } from './resolve-difference.tsx'

const PATH = '/api/v1/operator/reconciliation/{id}/assign'

type Props = { difference: Difference; session: Session; onDone: () => void }

const ownerOf = ({ owner }: Difference) => owner?.id ?? 'nobody'

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

export function TakeDifference({ difference, session, onDone }: Props) {
  const { id } = difference
  const isMine = difference.owner?.id === session.user.id
  const turn = async () => {
    const assign = (owner: string, from: string) =>
      send('POST', PATH, { params: { id }, body: { owner, from } }).finally(onDone)
    const before = ownerOf(difference)
    const { owner } = await assign(isMine ? 'nobody' : 'me', before)
    offerUndo(isMine ? strings.unassigned : strings.taken, () =>
      assign(before, owner?.id ?? 'nobody'),
    )
  }
  return <AtOnceButton label={isMine ? strings.release : strings.take} run={turn} />
}

function AssignForm({ difference, session, onDone, close }: Props & { close: () => void }) {
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
      onDone={onDone}
      close={close}
    >
      <OwnerChoice owners={owners} session={session} chosen={difference.owner?.id} />
    </ActionDialog>
  )
}

const MANY_PATH = '/api/v1/operator/reconciliation/assign'
const AT_ONCE = 500

type ManyProps = { ids: readonly string[]; session: Session; onDone: () => void }

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

function AssignMany({ ids, session, close, onDone }: ManyProps & { close: () => void }) {
  const owners = useOwners()
  const [failed, setFailed] = useState<readonly Failure[] | undefined>()
  const sending = useSending(async (form) => {
    const owner = form.text('owner')
    const failures: Failure[] = []
    for (let at = 0; at < ids.length; at += AT_ONCE) {
      const some = ids.slice(at, at + AT_ONCE).map(Number)
      const results = await send('POST', MANY_PATH, { body: { ids: some, owner } })
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
      <Outcome
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

const OWNERS = '/api/v1/operator/reconciliation/owners'

const useOwners = () => useData(OWNERS, {})

export function useOwnerFilter({ user }: Session): Filter {
  const { data } = useOwners()
  const others = (data ?? []).filter(({ id }) => id !== user.id)
  const choices = Object.fromEntries([
    ['me', strings.me],
    ['nobody', strings.nobody],
    ...others.map(({ id, email, hasAccess }) => [
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

function OwnerChoice({ owners, session, chosen }: OwnerChoiceProps) {
  const { data, problem, reload } = owners
  if (problem && !data) return <Failed problem={problem} retry={reload} />
  if (!data) return <Skeleton kind="text" lines={2} />
  const fit = data.filter(({ hasAccess }) => hasAccess)
  return (
    <Field label={strings.assignTo} hint={strings.assignHint}>
      {(id) => (
        <select id={id} name="owner">
          <option value="nobody">{strings.nobody}</option>
          {fit.map((owner) => (
            <option key={owner.id} value={owner.id} selected={owner.id === chosen}>
              {owner.id === session.user.id ? strings.you(owner.email) : owner.email}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
