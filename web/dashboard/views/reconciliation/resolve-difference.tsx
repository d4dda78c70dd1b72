// Resolves one or many differences: books them, notes them, or confirms the suggested match. Each resolution
// has a reason.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { reconciliationStrings, differencesStrings as strings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { count, money } from '../../format.ts'
import { ActionDialog, OpenButton } from '../../parts/action.tsx'
import { DialogForm, NoticeDialog } from '../../parts/dialog.tsx'
import { newKey, TextAreaField, useSending } from '../../parts/forms.tsx'
import type { Session } from '../../session.ts'
import type { Difference } from './movement.tsx'
import { OthersNotice } from './movement.tsx'

const READINGS = ['charge', 'reversal'] as const

export const ACTIONS = ['match', 'book', 'note'] as const
export type Action = (typeof ACTIONS)[number]

const PATH = '/api/v1/operator/reconciliation/{id}/resolve'
const REASON_MAX = 500

type Props = { difference: Difference; session: Session; onDone: () => void }

export function ResolveDifference(props: Props) {
  return (
    <div class="actions">
      <OpenButton label={strings.resolve} style="primary">
        {(close) => <ResolveForm {...props} close={close} />}
      </OpenButton>
    </div>
  )
}

// Resolves the difference at once, or requests it where another user must approve. A debit that can be booked
// in several ways (`readings`) needs a choice of one of them.
function ResolveForm({ difference, session, onDone, close }: Props & { close: () => void }) {
  const { id, amount, currency, actions, payout } = difference
  const [action, choose] = useState<string>(ACTIONS.find((name) => actions.includes(name)) ?? '')
  const hasReadings = action === 'book' && difference.readings.length > 0
  return (
    <ActionDialog
      title={strings.resolveTitle(money(amount, currency))}
      action={strings.resolve}
      run={(form, headers) => {
        const action = form.choice('action', ACTIONS)
        const reading = hasReadings ? { reading: form.choice('reading', READINGS) } : {}
        const body = { action, ...reading, reason: form.text('reason') }
        return send('POST', PATH, { params: { id }, body, headers })
      }}
      message={({ state }) => (state === 'asked' ? strings.askedDone : strings.resolved)}
      onDone={onDone}
      close={close}
    >
      <OthersNotice difference={difference} session={session} />
      <ActionFields
        actions={ACTIONS.filter((action) => actions.includes(action))}
        bookText={strings.payoutBookings[payout?.booking ?? '']}
        choose={choose}
      >
        {hasReadings && <ReadingFields difference={difference} />}
      </ActionFields>
    </ActionDialog>
  )
}

// A debit smaller than its credit can be booked in two ways. Neither is preselected, because one is
// irreversible.
function ReadingFields({ difference }: Pick<Props, 'difference'>) {
  const { amount, currency, credit } = difference
  const [debit, credited] = [money(-amount, currency), money(credit?.amount ?? 0, currency)]
  return (
    <fieldset class="picker">
      <legend>{strings.reading}</legend>
      {READINGS.map((reading) => (
        <label key={reading} class="choice">
          <input type="radio" name="reading" value={reading} required />
          <span class="choice-text">
            {strings.readings[reading](debit, credited)}
            <span class="muted small">{strings.readingTexts[reading]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

type FieldsProps = {
  actions: readonly Action[]
  reason?: string
  bookText?: string | undefined
  choose?: (action: Action) => void
  children?: ComponentChildren
}

// The choice of action with its explanation, and the reason.
function ActionFields(props: FieldsProps) {
  const { actions, reason = '', bookText, choose, children } = props
  return (
    <>
      {actions.length > 0 && (
        <fieldset class="picker">
          <legend>{strings.how}</legend>
          {actions.map((action, index) => (
            <label key={action} class="choice">
              <input
                type="radio"
                name="action"
                value={action}
                defaultChecked={index === 0}
                required
                onChange={() => choose?.(action)}
              />
              <span class="choice-text">
                {strings.actions[action]}
                <span class="muted small">
                  {(action === 'book' && bookText) || strings.actionTexts[action]}
                </span>
              </span>
            </label>
          ))}
        </fieldset>
      )}
      {children}
      <TextAreaField
        label={strings.why}
        hint={strings.whyHint}
        name="reason"
        rows={3}
        maxLength={REASON_MAX}
        required
        defaultValue={reason}
      />
    </>
  )
}

const MANY_PATH = '/api/v1/operator/reconciliation/resolve'
const BATCH_MAX = 20
// Matches are left out, because the user should confirm a match only where the page shows both sides.
const ACTIONS_FOR_MANY = ['note', 'book'] as const

export type Failure = { id: string; message: string }
type Progress = { count: number; failures: readonly Failure[]; text: string; key: string }
type FailureProps = {
  ids: readonly string[]
  action?: Action
  close: () => void
  onDone: () => void
}

// The button for the selected differences. The batch stays as it was when the dialog opened.
export function ResolveChosen({ ids, onDone }: Pick<FailureProps, 'ids' | 'onDone'>) {
  const [batch, setBatch] = useState<readonly string[] | undefined>()
  return (
    <>
      {ids.length > 0 && (
        <button type="button" class="button primary" onClick={() => setBatch(ids)}>
          {strings.bulk} ({count(ids.length)})
        </button>
      )}
      {batch && <ResolveMany ids={batch} close={() => setBatch(undefined)} onDone={onDone} />}
    </>
  )
}

// Resolves many differences in the same way, in batches with progress, and lists those that failed with the
// reasons. After an error the user presses the button again: the batch whose result is unknown is sent with
// the same key.
export function ResolveMany({ ids, action, close, onDone }: FailureProps) {
  const [progress, setProgress] = useState<Progress>({ count: 0, failures: [], text: '', key: '' })
  // Sends the batches that have no result yet, each under its own idempotency key.
  const sending = useSending(async (form) => {
    const body = {
      action: action ?? form.choice('action', ACTIONS),
      reason: form.text('reason'),
    }
    const text = JSON.stringify(body)
    // If the user changed the action or the reason after an error, the batch is another request and needs a
    // new key.
    let current = progress.text === text ? progress : { ...progress, text, key: newKey() }
    setProgress(current)
    try {
      while (current.count < ids.length) {
        const batch = ids.slice(current.count, current.count + BATCH_MAX).map(Number)
        const headers = { 'idempotency-key': current.key }
        const results = await send('POST', MANY_PATH, { body: { ids: batch, ...body }, headers })
        const refused = results.filter(({ ok }) => !ok)
        const failures = refused.map(({ id, message }) => ({ id: `${id}`, message: message ?? '' }))
        current = {
          count: current.count + batch.length,
          failures: [...current.failures, ...failures],
          text,
          key: newKey(),
        }
        setProgress(current)
      }
    } finally {
      if (current.count > 0) onDone()
    }
  })
  const { failures } = progress
  if (progress.count === ids.length) {
    return (
      <BulkOutcome
        title={strings.resolveMany(ids.length)}
        summary={strings.bulkDone(ids.length - failures.length)}
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
        actions={isMatch ? [] : ACTIONS_FOR_MANY}
        reason={isMatch ? reconciliationStrings.confirmReason : ''}
      />
      {(sending.isBusy || progress.count > 0) && (
        <div class="import-progress">
          <progress aria-label={strings.working} value={progress.count} max={ids.length} />
          <p class="muted small" aria-live="polite">
            {strings.progress(count(progress.count), count(ids.length))}
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

type BulkOutcomeProps = {
  title: string
  summary: string
  notDone: string
  failed: readonly Failure[]
  close: () => void
}

export function BulkOutcome({ title, summary, notDone, failed, close }: BulkOutcomeProps) {
  return (
    <NoticeDialog title={title} closeLabel={strings.done} close={close}>
      <p>{summary}</p>
      <Failures text={notDone} failed={failed} />
    </NoticeDialog>
  )
}
