// A delivery attempt: its request headers and the response.

import { webhooksStrings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { count } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Badge, Time } from '../../parts/values.tsx'
import { goTo, hrefOf } from '../../routing.ts'
import { fillChecker } from './checker.tsx'

export type Attempt = Schemas['DeliveryAttempt']

const { deliveries: strings } = webhooksStrings

// The outcome of an attempt in words: the status and time of the response, or the error.
export function describeAttempt({ status, latencyMs, error, chaos }: Attempt): string {
  if (status !== null) {
    const answer = strings.answered(status, count(latencyMs))
    return chaos === 'repeated' ? strings.repeated(answer) : answer
  }
  return error ?? strings.noAnswer
}

const isAccepted = ({ status }: Attempt) => status !== null && status >= 200 && status < 300

// An attempt in one line, which unfolds to its request headers and the response. `body` is the JSON exactly
// as it was sent.
export function AttemptShown({ attempt, body }: { attempt: Attempt; body: string }) {
  const { requestHeaders } = attempt
  const headers = requestHeaders && headerText(requestHeaders)
  // Opens the signature checker with this request.
  const openInChecker = () => {
    fillChecker({ headers: headers ?? '', body })
    goTo(hrefOf('webhooks', undefined, { tab: 'checker' }))
  }
  return (
    <details class="attempt">
      <summary>
        <Badge
          state={strings.attempt(attempt.attempt)}
          tone={isAccepted(attempt) ? 'good' : 'bad'}
        />
        <span class="attempt-words">{describeAttempt(attempt)}</span>
        <Time at={attempt.attemptedAt} />
      </summary>
      <h4>{strings.request}</h4>
      {headers ? (
        <>
          <CodeBlock label={strings.request} text={headers} />
          <Button onClick={openInChecker}>{strings.check}</Button>
        </>
      ) : (
        <p class="muted">{strings.noRequest}</p>
      )}
      <h4>{strings.answer}</h4>
      <AttemptResponse attempt={attempt} />
    </details>
  )
}

// The start of the response. `responseStart` is null if the service has erased it or never stored it.
function AttemptResponse({ attempt: { status, error, responseStart } }: { attempt: Attempt }) {
  if (status === null) return <p class="muted">{error ?? strings.noAnswer}</p>
  if (responseStart === null) return <p class="muted">{strings.erased}</p>
  if (responseStart === '') return <p class="muted">{strings.emptyAnswer}</p>
  return <CodeBlock label={strings.answer} text={responseStart} isWrapped />
}

function headerText(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}
