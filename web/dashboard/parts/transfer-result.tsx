// The result of a sandbox transfer: each response to the bank, what it means, and the events it caused.

import { sandboxBankStrings as strings, suspenseStrings } from '../../copy.ts'
import type { Schemas } from '../api.ts'
import { money, shownTime } from '../format.ts'
import type { LiveEvent } from '../live.ts'
import { hrefOf } from '../routing.ts'
import { Icon } from './icons.tsx'
import { Link } from './link.tsx'
import { Badge, Copyable, Money } from './values.tsx'

type Step = Schemas['SandboxTransferStep']
export type Sent = Schemas['SandboxTransfer']

type Props = { sent: Sent; events: readonly LiveEvent[]; isLive: boolean }

export function TransferResult({ sent, events, isLive }: Props) {
  const reports = [...sent.steps, ...sent.scheduled]
  const sessions = reports.map(({ sessionId }) => sessionId)
  const related = events.filter(({ data }) => {
    const text = JSON.stringify(data)
    return sessions.some((sessionId) => text.includes(sessionId))
  })
  const isSuspended = sent.steps.some(({ amountInSuspense }) => amountInSuspense > 0)
  return (
    <div class="story">
      <div class="headline">
        <Money amount={sent.amount} />
        <span class="muted">{strings.kinds[sent.kind]?.[0]}</span>
      </div>
      <ol class="story-steps">
        {sent.steps.map((step, index) => (
          <li key={`${index} ${step.step}`}>
            <Icon name={step.step === 'reversal' ? 'reversal' : 'credits'} />
            <div>
              <p>
                {strings.steps[step.step]} <Badge state={step.outcome} />{' '}
                <span class="muted small">{strings.answered(step.responseCode)}</span>
              </p>
              <p class="muted">{explain(step)}</p>
            </div>
          </li>
        ))}
        {sent.scheduled.map(({ step, sessionId, dueAt }) => (
          <li key={sessionId}>
            <Icon name={step === 'reversal' ? 'reversal' : 'credits'} />
            <p>{dueAt === null ? strings.lost : strings.later[step]?.(shownTime(dueAt))}</p>
          </li>
        ))}
        {related.map(({ type, sequence }) => (
          <li key={sequence}>
            <Icon name="event" />
            <p>{strings.event(type)}</p>
          </li>
        ))}
      </ol>
      {isLive && related.length === 0 && <p class="muted small">{strings.listening}</p>}
      <Copyable text={sent.sessionId} />
      <p class="buttons">
        {sent.creditId !== null && (
          <Link class="button" href={hrefOf('credits', `${sent.creditId}`)}>
            {strings.see}
          </Link>
        )}
        {isSuspended && (
          <Link class="button" href={hrefOf('suspense')}>
            {strings.seeSuspense}
          </Link>
        )}
      </p>
    </div>
  )
}

function explain({ step, outcome, reason, amountInSuspense }: Step): string {
  if (outcome === 'rejected') return strings.rejected
  if (step === 'again') return strings.duplicate
  if (step === 'reversal') return strings.reversed
  if (reason === null) return strings.booked
  const why = (suspenseStrings.reasons[reason] ?? reason).toLowerCase()
  return outcome === 'booked'
    ? strings.partly(money(amountInSuspense), why)
    : strings.suspended(why)
}
