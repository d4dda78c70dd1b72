// Queries the banks for the transfer of a payment, by session id if the customer has a receipt. The answers
// raise no events, so the button watches for them.

import { useEffect, useRef } from 'preact/hooks'
import { paymentsStrings as strings } from '../../copy.ts'
import { getData, send } from '../api.ts'
import { Action } from './action.tsx'
import { InputField } from './forms.tsx'

type Props = { reference: string; changed: () => void }

const PATH = '/api/v1/payments/{reference}'
const WATCH_EVERY_MS = 2_000
const WATCHES_MAX = 60

export function RequeryButton(props: Props) {
  const { reference, changed } = props
  const watch = useWatch(props)
  return (
    <Action
      title={strings.requeryTitle}
      action={strings.requery}
      text={strings.requeryText}
      run={async (form, headers) => {
        const sessionId = form.text('sessionId')
        const body = sessionId === '' ? {} : { sessionId }
        const before = await countQueries(reference)
        const path = `${PATH}/requery` as const
        const { questions } = await send('POST', path, { params: { reference }, body, headers })
        watch(before, questions.length)
      }}
      message={strings.requeried}
      done={changed}
    >
      <InputField
        label={strings.sessionId}
        hint={strings.sessionIdHint}
        name="sessionId"
        maxLength={64}
      />
    </Action>
  )
}

async function countQueries(reference: string): Promise<number> {
  const { entries } = await getData(`${PATH}/timeline`, { reference })
  return entries.filter(({ kind }) => kind === 'requery').length
}

// Watches until as many answers as questions have come, for two minutes at most.
function useWatch({ reference, changed }: Props) {
  const timer = useRef(0)
  useEffect(() => () => window.clearInterval(timer.current), [])
  return (before: number, questions: number) => {
    let known = before
    let left = WATCHES_MAX
    window.clearInterval(timer.current)
    const mine = window.setInterval(async () => {
      if (--left === 0) window.clearInterval(mine)
      const queries = await countQueries(reference).catch(() => known)
      if (queries >= before + questions) window.clearInterval(mine)
      if (queries <= known || mine !== timer.current) return
      known = queries
      changed()
    }, WATCH_EVERY_MS)
    timer.current = mine
  }
}
