// Replays the events of a period, in batches, with progress.

import { useState } from 'preact/hooks'
import { appStrings, webhooksStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { count, ZONE_OFFSET } from '../../format.ts'
import { DialogForm } from '../../parts/dialog.tsx'
import { Field, newKey, textOf, useSending } from '../../parts/forms.tsx'
import { toast } from '../../parts/toasts.tsx'

const { actions: strings } = webhooksStrings
const REPLAY = '/api/v1/webhook-endpoints/{id}/replay'

export function ReplayForm({ id, close }: { id: string; close: () => void }) {
  const [progress, setProgress] = useState('')
  const [fault, setFault] = useState('')
  const sending = useSending(async (given) => {
    const [from, to] = [isoOf(textOf(given, 'from')), isoOf(textOf(given, 'to'))]
    if (from >= to) return setFault(strings.backwards)
    setFault('')
    let queued = 0
    for (let next: string | null = from; next !== null; ) {
      const headers = { 'idempotency-key': newKey() }
      const body = { from: next, to }
      const part: Schemas['Replay'] = await send('POST', REPLAY, { params: { id }, body, headers })
      queued += part.queued
      next = part.nextFrom
      setProgress(strings.replaying(count(queued)))
    }
    toast(queued === 0 ? strings.replayedNone : strings.replayed(count(queued)))
    close()
  })
  return (
    <DialogForm title={strings.replay} action={strings.replayStart} sending={sending} close={close}>
      <p class="muted">
        {strings.replayText} {appStrings.zone}
      </p>
      <Field label={strings.from}>
        {(id) => <input id={id} name="from" type="datetime-local" required />}
      </Field>
      <Field label={strings.to}>
        {(id) => <input id={id} name="to" type="datetime-local" required />}
      </Field>
      <p role="alert" class="fault">
        {fault}
      </p>
      <p role="status">{sending.isBusy && progress}</p>
    </DialogForm>
  )
}

// What is typed is West Africa Time; `required` has seen to it that it is a time.
function isoOf(typed: string): string {
  return new Date(`${typed}${ZONE_OFFSET}`).toISOString()
}
