// A client's usage: today's credits in the list, by day in its drawer.

import { appStrings, clientsStrings as strings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { day } from '../../format.ts'
import { useData } from '../../loading.ts'
import { Pending } from '../../parts/states.tsx'
import { Money } from '../../parts/values.tsx'
import { CLIENT } from './client-fields.tsx'

const USE = `${CLIENT}/use` as const
const REST = ['payments', 'advices', 'accounts', 'webhooks'] as const

export function UsageToday({ clientId }: { clientId: string }) {
  const { data, problem } = useData(USE, { clientId }, { days: '1' })
  const today = data?.days.at(-1)
  if (!today) return <>{problem && appStrings.nothing}</>
  return (
    <>
      {today.credits > 0 && (
        <span class="muted small">{`${strings.used.credits(today.credits)} · `}</span>
      )}
      <Money amount={today.gross} />
    </>
  )
}

export function ClientUsage({ clientId }: { clientId: string }) {
  const { data, problem, reload } = useData(USE, { clientId })
  if (problem || !data) return <Pending {...{ data, problem, reload }} kind="rows" lines={7} />
  return (
    <ul class="attempts">
      {data.days.toReversed().map((each) => (
        <UsageDay key={each.from} of={each} />
      ))}
    </ul>
  )
}

function UsageDay({ of }: { of: Schemas['ClientUsageDay'] }) {
  const rest = REST.filter((name) => of[name] > 0).map((name) => strings.used[name](of[name]))
  const isIdle = rest.length === 0 && of.credits === 0
  return (
    <li>
      <div class="session">
        <p>{day(of.from)}</p>
        <p class="muted small">{isIdle ? strings.noUsage : rest.join(' · ')}</p>
      </div>
      {of.credits > 0 && (
        <div>
          <Money amount={of.gross} />
          <p class="muted small">{strings.used.credits(of.credits)}</p>
        </div>
      )}
    </li>
  )
}
