// What became of a transfer that the sandbox's bank sent: what the bank was answered, what that means,
// and the events it made, as they are heard.

import type { Schemas } from '../api.ts'
import { money } from '../format.ts'
import type { LiveEvent } from '../live.ts'
import { follow, hrefOf } from '../routing.ts'
import { STRINGS } from '../strings.ts'
import { Icon } from './icons.tsx'
import { Badge, Copyable, Money } from './values.tsx'

type Step = Schemas['SandboxTransferStep']
export type Sent = Schemas['SandboxTransfer']

const { sandboxBank: said, suspense } = STRINGS

type Props = { sent: Sent; events: readonly LiveEvent[]; isLive: boolean }

export function TransferStory({ sent, events, isLive }: Props) {
  const sessions = sent.steps.map(({ sessionId }) => sessionId)
  const heard = events.filter(({ data }) => {
    const text = JSON.stringify(data)
    return sessions.some((sessionId) => text.includes(sessionId))
  })
  const isSuspended = sent.steps.some(({ amountInSuspense }) => amountInSuspense > 0)
  return (
    <div class="story">
      <div class="headline">
        <Money amount={sent.amount} />
        <span class="muted">{said.kinds[sent.kind]?.[0]}</span>
      </div>
      <ol class="story-steps">
        {sent.steps.map((step) => (
          <li key={step.step}>
            <Icon name={step.step === 'reversal' ? 'reversal' : 'credits'} />
            <div>
              <p>
                {said.steps[step.step]} <Badge state={step.outcome} />{' '}
                <span class="muted small">{said.answered(step.responseCode)}</span>
              </p>
              <p class="muted">{meaningOf(step)}</p>
            </div>
          </li>
        ))}
        {heard.map(({ type, sequence }) => (
          <li key={sequence}>
            <Icon name="event" />
            <p>{said.heard(type)}</p>
          </li>
        ))}
      </ol>
      {isLive && heard.length === 0 && <p class="muted small">{said.listening}</p>}
      <Copyable text={sent.sessionId} />
      <p class="buttons">
        <a class="button" href={hrefOf('credits', `${sent.creditId}`)} onClick={follow}>
          {said.see}
        </a>
        {isSuspended && (
          <a class="button" href={hrefOf('suspense')} onClick={follow}>
            {said.seeSuspense}
          </a>
        )}
      </p>
    </div>
  )
}

function meaningOf({ step, outcome, reason, amountInSuspense }: Step): string {
  if (outcome === 'rejected') return said.rejected
  if (step === 'again') return said.duplicate
  if (step === 'reversal') return said.reversed
  if (reason === null) return said.booked
  const why = (suspense.reasons[reason] ?? reason).toLowerCase()
  return outcome === 'booked' ? said.partly(money(amountInSuspense), why) : said.suspended(why)
}
