// The limits that hold, as the service is set up.

import { count, money } from '../../format.ts'
import { useData } from '../../loading.ts'
import { type Fact, Facts } from '../../parts/drawer.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { SETTINGS_STRINGS } from '../../settings-strings.ts'

const { limits: said } = SETTINGS_STRINGS
const PATH = '/api/v1/limits'

const limit = (value: number | null, show: (value: number) => string = count) =>
  value === null ? said.none : show(value)

const span = (seconds: number) =>
  seconds % 60 === 0 ? said.minutes(count(seconds / 60)) : said.seconds(count(seconds))

export function Limits() {
  const { data, problem, reload } = useData(PATH, {})
  if (problem) return <Failed problem={problem} retry={reload} />
  if (!data) return <Skeleton kind="page" lines={8} />
  const { requestsPerMinute: rates, newAccounts } = data
  return (
    <>
      <Group
        title={said.rates}
        text={said.ratesText}
        facts={(['client', 'simulate', 'address', 'initiate', 'login'] as const).map((name) => [
          said[name],
          limit(rates[name]),
        ])}
      />
      <Group
        title={said.accounts}
        text={said.accountsText}
        facts={[
          [said.perCredit, limit(newAccounts.perCredit, money)],
          [said.perDay, limit(newAccounts.perDay, money)],
        ]}
      />
      <Group
        title={said.others}
        facts={[
          [said.endpoints, count(data.webhookEndpoints)],
          [said.expiry, span(data.expirySeconds)],
          [said.grace, span(data.graceSeconds)],
          [said.token, span(data.tokenSeconds)],
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
