// One attempt to deliver an event: the request as it was sent, the answer as it was received.

import type { Schemas } from '../../api.ts'
import { count } from '../../format.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Badge, Time } from '../../parts/values.tsx'
import { goTo, hrefOf } from '../../routing.ts'
import { WEBHOOK_STRINGS } from '../../webhook-strings.ts'
import { prefill } from './checker-draft.ts'

export type Attempt = Schemas['DeliveryAttempt']

const { deliveries: said } = WEBHOOK_STRINGS

export function attemptWords({ status, latencyMs, error }: Attempt): string {
  if (status !== null) return said.answered(status, count(latencyMs))
  return said.unanswered(error ?? said.noAnswer)
}

const isTaken = ({ status }: Attempt) => status !== null && status >= 200 && status < 300

export function AttemptShown({ attempt, body }: { attempt: Attempt; body: string }) {
  const { requestHeaders } = attempt
  const headers = requestHeaders && headerText(requestHeaders)
  const check = () => {
    prefill({ headers: headers ?? '', body })
    goTo(hrefOf('webhooks', undefined, { tab: 'checker' }))
  }
  return (
    <details class="attempt">
      <summary>
        <Badge state={said.attempt(attempt.attempt)} tone={isTaken(attempt) ? 'good' : 'bad'} />
        <span class="attempt-words">{attemptWords(attempt)}</span>
        <Time at={attempt.attemptedAt} />
      </summary>
      <h4>{said.request}</h4>
      {headers ? (
        <>
          <CodeBlock label={said.request} text={headers} />
          <button type="button" class="button" onClick={check}>
            {said.check}
          </button>
        </>
      ) : (
        <p class="muted">{said.noRequest}</p>
      )}
      <h4>{said.answer}</h4>
      <Answer attempt={attempt} />
    </details>
  )
}

function Answer({ attempt: { status, error, responseStart } }: { attempt: Attempt }) {
  if (status === null) return <p class="muted">{error ?? said.noAnswer}</p>
  if (responseStart === null) return <p class="muted">{said.erased}</p>
  if (responseStart === '') return <p class="muted">{said.emptyAnswer}</p>
  return <CodeBlock label={said.answer} text={responseStart} isWrapped />
}

function headerText(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}
