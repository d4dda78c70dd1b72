// Sending the events of a range of time again, so many at a time, with how far it got.

import { useState } from 'preact/hooks'
import { send } from '../../api.ts'
import { count, ZONE_OFFSET } from '../../format.ts'
import { DialogForm } from '../../parts/dialog.tsx'
import { Field, newKey, textOf, useSending } from '../../parts/forms.tsx'
import { toast } from '../../parts/toasts.tsx'
import { STRINGS } from '../../strings.ts'
import { WEBHOOK_STRINGS } from '../../webhook-strings.ts'

const { actions: said } = WEBHOOK_STRINGS

type Queued = { queued: number; nextFrom: string | null }

export function ReplayForm({ path, close }: { path: string; close: () => void }) {
  const [progress, setProgress] = useState('')
  const [fault, setFault] = useState('')
  const sending = useSending(async (given) => {
    const [from, to] = [isoOf(textOf(given, 'from')), isoOf(textOf(given, 'to'))]
    if (from >= to) return setFault(said.backwards)
    setFault('')
    let queued = 0
    for (let next: string | null = from; next !== null; ) {
      const headers = { 'idempotency-key': newKey() }
      const part: Queued = await send('POST', `${path}/replay`, {
        body: { from: next, to },
        headers,
      })
      queued += part.queued
      next = part.nextFrom
      setProgress(said.replaying(count(queued)))
    }
    toast(queued === 0 ? said.replayedNone : said.replayed(count(queued)))
    close()
  })
  return (
    <DialogForm title={said.replay} action={said.replayStart} sending={sending} close={close}>
      <p class="muted">
        {said.replayText} {STRINGS.zone}
      </p>
      <Field label={said.from}>
        {(id) => <input id={id} name="from" type="datetime-local" required />}
      </Field>
      <Field label={said.to}>
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
