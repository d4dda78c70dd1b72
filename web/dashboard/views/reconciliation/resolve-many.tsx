// Resolves many differences the same way, in batches with progress, and lists failures with their reasons.
// After an error it continues; a batch with an unknown outcome is sent again with its key.

import { useState } from 'preact/hooks'
import { reconciliationStrings, differencesStrings as strings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { count } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogForm } from '../../parts/dialog.tsx'
import { newKey, useSending } from '../../parts/forms.tsx'
import { ACTIONS, type Action, ActionFields } from './resolve-difference.tsx'

const PATH = '/api/v1/operator/reconciliation/resolve'
const AT_ONCE = 20
const MANY = ['note', 'book'] as const // Matches are confirmed where the user sees them.

export type Failure = { id: string; message: string }
type Reached = { count: number; failures: readonly Failure[]; asked: string; key: string }
type Props = { ids: readonly string[]; action?: Action; close: () => void; done: () => void }

export function ResolveChosen({ ids, done }: Pick<Props, 'ids' | 'done'>) {
  const [asked, setAsked] = useState<readonly string[] | undefined>()
  return (
    <>
      {ids.length > 0 && (
        <button type="button" class="button primary" onClick={() => setAsked(ids)}>
          {strings.bulk} ({count(ids.length)})
        </button>
      )}
      {asked && <ResolveMany ids={asked} close={() => setAsked(undefined)} done={done} />}
    </>
  )
}

export function ResolveMany({ ids, action, close, done }: Props) {
  const [reached, setReached] = useState<Reached>({ count: 0, failures: [], asked: '', key: '' })
  const sending = useSending(async (form) => {
    const body = {
      action: action ?? form.choice('action', ACTIONS),
      reason: form.text('reason'),
    }
    const asked = JSON.stringify(body)
    let at = reached.asked === asked ? reached : { ...reached, asked, key: newKey() }
    setReached(at)
    try {
      while (at.count < ids.length) {
        const some = ids.slice(at.count, at.count + AT_ONCE).map(Number)
        const headers = { 'idempotency-key': at.key }
        const results = await send('POST', PATH, { body: { ids: some, ...body }, headers })
        const refused = results.filter(({ ok }) => !ok)
        const failures = refused.map(({ id, message }) => ({ id: `${id}`, message: message ?? '' }))
        at = {
          count: at.count + some.length,
          failures: [...at.failures, ...failures],
          asked,
          key: newKey(),
        }
        setReached(at)
      }
    } finally {
      if (at.count > 0) done()
    }
  })
  const { failures } = reached
  if (reached.count === ids.length) {
    return (
      <Outcome
        title={strings.resolveMany(ids.length)}
        done={strings.bulkDone(ids.length - failures.length)}
        notDone={strings.bulkFailed(failures.length)}
        failed={failures}
        close={close}
      />
    )
  }
  const isMatch = action === 'match'
  return (
    <DialogForm
      title={strings.resolveMany(ids.length)}
      action={isMatch ? reconciliationStrings.confirm : strings.resolve}
      sending={sending}
      close={close}
    >
      <p class="muted">{isMatch ? strings.actionTexts.match : strings.chosenMany}</p>
      <ActionFields
        actions={isMatch ? [] : MANY}
        reason={isMatch ? reconciliationStrings.confirmReason : ''}
      />
      {(sending.isBusy || reached.count > 0) && (
        <div class="import-progress">
          <progress aria-label={strings.working} value={reached.count} max={ids.length} />
          <p class="muted small" aria-live="polite">
            {strings.progress(count(reached.count), count(ids.length))}
          </p>
        </div>
      )}
      <Failures text={strings.bulkFailed(failures.length)} failed={failures} />
    </DialogForm>
  )
}

function Failures({ text, failed }: { text: string; failed: readonly Failure[] }) {
  if (failed.length === 0) return null
  return (
    <div role="alert">
      <p>{text}</p>
      <ul class="decided">
        {failed.map(({ id, message }) => (
          <li key={id}>{strings.failedOne(id, message)}</li>
        ))}
      </ul>
    </div>
  )
}

type OutcomeProps = {
  title: string
  done: string
  notDone: string
  failed: readonly Failure[]
  close: () => void
}

export function Outcome({ title, done, notDone, failed, close }: OutcomeProps) {
  return (
    <Dialog title={title} close={close}>
      <div class="form">
        <p>{done}</p>
        <Failures text={notDone} failed={failed} />
        <div class="form-end">
          <Button style="primary" onClick={close}>
            {strings.done}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
