// Resolves many differences the same way, some at a time so that it can be seen how far it is. What
// could not be resolved is listed with its reason.

import { useState } from 'preact/hooks'
import { reconciliationStrings, differencesStrings as strings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { count } from '../../format.ts'
import { Dialog, DialogForm } from '../../parts/dialog.tsx'
import { choiceOf, textOf, useSending } from '../../parts/forms.tsx'
import { ACTIONS, type Action, ActionFields } from './resolve-difference.tsx'

const PATH = '/api/v1/operator/reconciliation/resolve'
const AT_ONCE = 20
const MANY = ['note', 'book'] as const // A match is confirmed where it is seen.

export type Failure = { id: string; message: string }
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
  const [reached, setReached] = useState(0)
  const [failed, setFailed] = useState<readonly Failure[] | undefined>()
  const sending = useSending(async (given) => {
    const body = {
      action: action ?? choiceOf(given, 'action', ACTIONS),
      reason: textOf(given, 'reason'),
    }
    const failures: Failure[] = []
    for (let at = 0; at < ids.length; at += AT_ONCE) {
      const some = ids.slice(at, at + AT_ONCE).map(Number)
      const results = await send('POST', PATH, { body: { ids: some, ...body } })
      for (const { id, ok, message } of results) {
        if (!ok) failures.push({ id: `${id}`, message: message ?? '' })
      }
      setReached(Math.min(at + AT_ONCE, ids.length))
    }
    setFailed(failures)
    done()
  })
  if (failed) {
    return (
      <Outcome
        title={strings.resolveMany(ids.length)}
        done={strings.bulkDone(ids.length - failed.length)}
        notDone={strings.bulkFailed(failed.length)}
        failed={failed}
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
      {sending.isBusy && (
        <div class="import-progress">
          <progress aria-label={strings.working} value={reached} max={ids.length} />
          <p class="muted small" aria-live="polite">
            {strings.progress(count(reached), count(ids.length))}
          </p>
        </div>
      )}
    </DialogForm>
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
        {failed.length > 0 && (
          <div role="alert">
            <p>{notDone}</p>
            <ul class="decided">
              {failed.map(({ id, message }) => (
                <li key={id}>{strings.failedOne(id, message)}</li>
              ))}
            </ul>
          </div>
        )}
        <div class="form-end">
          <button type="button" class="button primary" onClick={close}>
            {strings.done}
          </button>
        </div>
      </div>
    </Dialog>
  )
}
