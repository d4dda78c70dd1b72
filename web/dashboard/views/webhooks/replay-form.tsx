// Replays the events of a period, in batches with progress. After an error it continues; a batch with an
// unknown outcome is sent again with its key, so nothing is queued twice.

import { useRef, useState } from 'preact/hooks'
import { appStrings, webhooksStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { count, ZONE_OFFSET } from '../../format.ts'
import { DialogForm } from '../../parts/dialog.tsx'
import { InputField, newKey, useSending } from '../../parts/forms.tsx'
import { toast } from '../../parts/toasts.tsx'

const { actions: strings } = webhooksStrings
const REPLAY = '/api/v1/webhook-endpoints/{id}/replay'

type Reached = { from: string; to: string; next: string | null; queued: number; key: string }

export function ReplayForm({ id, close }: { id: string; close: () => void }) {
  const [progress, setProgress] = useState('')
  const [fault, setFault] = useState('')
  const reached = useRef<Reached | undefined>(undefined)
  const sending = useSending(async (form) => {
    const [from, to] = [isoOf(form.text('from')), isoOf(form.text('to'))]
    if (from >= to) return setFault(strings.backwards)
    setFault('')
    const before = reached.current
    let at: Reached =
      before?.from === from && before.to === to
        ? before
        : { from, to, next: from, queued: 0, key: newKey() }
    while (at.next !== null) {
      reached.current = at
      const headers = { 'idempotency-key': at.key }
      const body = { from: at.next, to }
      const part: Schemas['Replay'] = await send('POST', REPLAY, { params: { id }, body, headers })
      at = { from, to, next: part.nextFrom, queued: at.queued + part.queued, key: newKey() }
      setProgress(strings.replaying(count(at.queued)))
    }
    toast(at.queued === 0 ? strings.replayedNone : strings.replayed(count(at.queued)))
    close()
  })
  return (
    <DialogForm title={strings.replay} action={strings.replayStart} sending={sending} close={close}>
      <p class="muted">
        {strings.replayText} {appStrings.zone}
      </p>
      <InputField label={strings.from} name="from" type="datetime-local" required />
      <InputField label={strings.to} name="to" type="datetime-local" required />
      <p role="alert" class="fault">
        {fault}
      </p>
      <p role="status">{progress}</p>
    </DialogForm>
  )
}

// The form takes West Africa Time.
function isoOf(typed: string): string {
  return new Date(`${typed}${ZONE_OFFSET}`).toISOString()
}
