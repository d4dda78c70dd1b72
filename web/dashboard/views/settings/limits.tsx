// The limits in force.

import { settingsStrings } from '../../../copy.ts'
import { count, money } from '../../format.ts'
import { useData } from '../../loading.ts'
import { type Fact, Facts } from '../../parts/drawer.tsx'
import { Pending } from '../../parts/states.tsx'

const { limits: strings } = settingsStrings
const PATH = '/api/v1/limits'

const limit = (value: number | null, show: (value: number) => string = count) =>
  value === null ? strings.none : show(value)

const span = (seconds: number) =>
  seconds % 60 === 0 ? strings.minutes(count(seconds / 60)) : strings.seconds(count(seconds))

export function Limits() {
  const { data, problem, reload } = useData(PATH, {})
  if (problem || !data) return <Pending {...{ data, problem, reload }} kind="page" lines={8} />
  const { requestsPerMinute: rates, newAccounts } = data
  return (
    <>
      <Group
        title={strings.rates}
        text={strings.ratesText}
        facts={(['client', 'simulate', 'address', 'initiate', 'login'] as const).map((name) => [
          strings[name],
          limit(rates[name]),
        ])}
      />
      <Group
        title={strings.accounts}
        text={strings.accountsText}
        facts={[
          [strings.perCredit, limit(newAccounts.perCredit, money)],
          [strings.perDay, limit(newAccounts.perDay, money)],
        ]}
      />
      <Group
        title={strings.others}
        facts={[
          [strings.endpoints, count(data.webhookEndpoints)],
          [strings.expiry, span(data.expirySeconds)],
          [strings.grace, span(data.graceSeconds)],
          [strings.token, span(data.tokenSeconds)],
        ]}
      />
    </>
  )
}

function Group({ title, text, facts }: { title: string; text?: string; facts: readonly Fact[] }) {
  return (
    <section class="card panel limits" aria-label={title}>
      <h2>{title}</h2>
      {text && <p class="muted">{text}</p>}
      <Facts facts={facts} />
    </section>
  )
}
