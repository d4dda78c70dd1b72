// Asks the banks of a payment for its transfer, by the session id where the customer has a receipt, and
// watches for their answers, of which there are no events.

import { useEffect, useRef, useState } from 'preact/hooks'
import { paymentsStrings as strings } from '../../copy.ts'
import { getData, send } from '../api.ts'
import { DialogForm } from './dialog.tsx'
import { Field, textOf, useSending } from './forms.tsx'
import { toast } from './toasts.tsx'

type Props = { reference: string; changed: () => void }

const PATH = '/api/v1/payments/{reference}'
const WATCH_EVERY_MS = 2_000
const WATCHES_MAX = 60

export function RequeryButton(props: Props) {
  const [isAsked, setAsked] = useState(false)
  const watch = useWatch(props)
  return (
    <>
      <button type="button" class="button" onClick={() => setAsked(true)}>
        {strings.requery}
      </button>
      {isAsked && <RequeryForm {...props} watch={watch} close={() => setAsked(false)} />}
    </>
  )
}

async function countQueries(reference: string): Promise<number> {
  const { entries } = await getData(`${PATH}/timeline`, { reference })
  return entries.filter(({ kind }) => kind === 'requery').length
}

type Watch = (before: number, wanted: number) => void

// Until as many answers as wanted have come, for two minutes at most.
function useWatch({ reference, changed }: Props): Watch {
  const timer = useRef(0)
  useEffect(() => () => window.clearInterval(timer.current), [])
  return (before, wanted) => {
    let known = before
    let left = WATCHES_MAX
    window.clearInterval(timer.current)
    const mine = window.setInterval(async () => {
      if (--left === 0) window.clearInterval(mine)
      const queries = await countQueries(reference).catch(() => known)
      if (queries >= before + wanted) window.clearInterval(mine)
      if (queries <= known || mine !== timer.current) return
      known = queries
      changed()
    }, WATCH_EVERY_MS)
    timer.current = mine
  }
}

type FormProps = Props & { watch: Watch; close: () => void }

function RequeryForm({ reference, changed, watch, close }: FormProps) {
  const sending = useSending(async (given, headers) => {
    const sessionId = textOf(given, 'sessionId')
    const before = await countQueries(reference)
    const { questions } = await send('POST', `${PATH}/requery`, {
      params: { reference },
      body: sessionId === '' ? {} : { sessionId },
      headers,
    })
    watch(before, questions.length)
    close()
    toast(strings.requeried)
    changed()
  })
  return (
    <DialogForm
      title={strings.requeryTitle}
      action={strings.requery}
      sending={sending}
      close={close}
    >
      <p class="muted">{strings.requeryText}</p>
      <Field label={strings.sessionId} hint={strings.sessionIdHint}>
        {(id) => <input id={id} name="sessionId" maxLength={64} autocomplete="off" />}
      </Field>
    </DialogForm>
  )
}
