// Payouts that wait for approval or for a bank. Shows nothing without any.

import { payoutsStrings as strings, suspenseStrings } from '../../../copy.ts'
import { getPage, type Query } from '../../api.ts'
import { useLoaded, useReload } from '../../loading.ts'
import { Link } from '../../parts/link.tsx'
import { Failed } from '../../parts/states.tsx'
import { Money, Time } from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'

const SHOWN_MAX = 5

type Props = {
  title: string
  path: '/api/v1/payouts' | '/api/v1/operator/payouts'
  query: Query
  tab?: string
  version: number
}

export function WaitingPayouts({ title, path, query, tab, version }: Props) {
  const { data, problem, reload } = useLoaded(`${path} waiting`, (signal) =>
    getPage(path, {}, { query: { ...query, limit: `${SHOWN_MAX}` }, signal }),
  )
  useReload(version, reload)
  const failed = problem && <Failed problem={problem} retry={reload} />
  if (!data || data.data.length === 0) return failed ?? null
  return (
    <section class="card waiting" aria-labelledby="waiting">
      <header class="card-top">
        <h2 id="waiting">{title}</h2>
        <span class="badge warn">{data.hasMore ? `${SHOWN_MAX}+` : data.data.length}</span>
        {data.hasMore && (
          <Link href={hrefOf('payouts', undefined, { ...query, tab })}>{strings.see}</Link>
        )}
      </header>
      {failed}
      <ul class="feed">
        {data.data.map((payout) => (
          <li key={payout.reference}>
            <Link class="waiting-row" href={hrefOf('payouts', payout.reference, { tab })}>
              <span class="waiting-what">{strings.to(payout.toAccountName)}</span>
              <span class="muted waiting-why">
                {suspenseStrings.person(payout.requestedBy)}: {payout.narration}
              </span>
              <Money amount={payout.amount} currency={payout.currency} />
              <Time at={payout.requestedAt} />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
