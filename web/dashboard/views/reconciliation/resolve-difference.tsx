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

function ResolveForm({ difference, session, onDone, close }: Props & { close: () => void }) {
  const { id, amount, currency, actions, payout } = difference
  const [action, choose] = useState<string>(ACTIONS.find((each) => actions.includes(each)) ?? '')
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
  const [debit, whole] = [money(-amount, currency), money(credit?.amount ?? 0, currency)]
  return (
    <fieldset class="picker">
      <legend>{strings.reading}</legend>
      {READINGS.map((reading) => (
        <label key={reading} class="choice">
          <input type="radio" name="reading" value={reading} required />
          <span class="choice-text">
            {strings.readings[reading](debit, whole)}
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

function ActionFields(props: FieldsProps) {
  const { actions, reason = '', bookText, choose, children } = props
  return (
    <>
      {actions.length > 0 && (
        <fieldset class="picker">
          <legend>{strings.how}</legend>
          {actions.map((action, at) => (
            <label key={action} class="choice">
              <input
                type="radio"
                name="action"
                value={action}
                defaultChecked={at === 0}
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
const AT_ONCE = 20
// Without `match`: the user confirms a match only where the page shows it.
const MANY = ['note', 'book'] as const

export type Failure = { id: string; message: string }
type Reached = { count: number; failures: readonly Failure[]; text: string; key: string }
type FailureProps = {
  ids: readonly string[]
  action?: Action
  close: () => void
  onDone: () => void
}

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

// Resolves many differences the same way, in batches with progress, and lists failures with their reasons.
// After an error it continues; a batch with an unknown outcome is sent again with its key.
export function ResolveMany({ ids, action, close, onDone }: FailureProps) {
  const [reached, setReached] = useState<Reached>({ count: 0, failures: [], text: '', key: '' })
  const sending = useSending(async (form) => {
    const body = {
      action: action ?? form.choice('action', ACTIONS),
      reason: form.text('reason'),
    }
    const text = JSON.stringify(body)
    let at = reached.text === text ? reached : { ...reached, text, key: newKey() }
    setReached(at)
    try {
      while (at.count < ids.length) {
        const some = ids.slice(at.count, at.count + AT_ONCE).map(Number)
        const headers = { 'idempotency-key': at.key }
        const results = await send('POST', MANY_PATH, { body: { ids: some, ...body }, headers })
        const refused = results.filter(({ ok }) => !ok)
        const failures = refused.map(({ id, message }) => ({ id: `${id}`, message: message ?? '' }))
        at = {
          count: at.count + some.length,
          failures: [...at.failures, ...failures],
          text,
          key: newKey(),
        }
        setReached(at)
      }
    } finally {
      if (at.count > 0) onDone()
    }
  })
  const { failures } = reached
  if (reached.count === ids.length) {
    return (
      <Outcome
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
  summary: string
  notDone: string
  failed: readonly Failure[]
  close: () => void
}

export function Outcome({ title, summary, notDone, failed, close }: OutcomeProps) {
  return (
    <NoticeDialog title={title} closeLabel={strings.done} close={close}>
      <p>{summary}</p>
      <Failures text={notDone} failed={failed} />
    </NoticeDialog>
  )
}
