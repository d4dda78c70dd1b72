// How many items of a list fit its filters, and what they come to. Beyond what the service counts
// exactly, no sum is shown: it would be taken for that of all.

import { appStrings } from '../../copy.ts'
import { getData, type Query, type Schemas } from '../api.ts'
import { count, money } from '../format.ts'
import { useLoaded, useReload } from '../loading.ts'
import { Failed } from './states.tsx'

export type SummaryPath =
  | '/api/v1/payments/summary'
  | '/api/v1/credits/summary'
  | '/api/v1/accounts/static/summary'
  | '/api/v1/payouts/summary'
  | '/api/v1/operator/payouts/summary'

type Total = Schemas['ListTotal'] | Schemas['PaymentTotal']
type Summary = { count: number; isExact: boolean; totals: Total[] | null }

// The service counts so many; what it says of fewer is that it did not read all.
const COUNTED_MAX = 10_000

type Props = { path: SummaryPath; query: Query; version: number }

export function ListSummary({ path, query, version }: Props) {
  const { data, problem, reload } = useLoaded(JSON.stringify([path, query]), (signal) =>
    getData(path, {}, { query, signal }),
  )
  useReload(version, reload)
  return (
    <>
      {problem && data && <Failed problem={problem} retry={reload} />}
      <p class="summary muted" role="status" aria-label={appStrings.summary.label}>
        {data && <Text summary={data} />}
      </p>
    </>
  )
}

function Text({ summary: { count: found, isExact, totals } }: { summary: Summary }) {
  const { items, more, least, narrow, paid } = appStrings.summary
  const number = count(found)
  if (!isExact || !totals) {
    return (
      <>
        <span>{found >= COUNTED_MAX ? more(number) : least(number)}</span>
        <span>{narrow}</span>
      </>
    )
  }
  return (
    <>
      <span>{items(number)}</span>
      {totals.map((total) => (
        <strong key={total.currency} class="money">
          {money(total.amount, total.currency)}
          {paidOf(total) !== undefined && (
            <span class="muted">{` (${money(paidOf(total) as number, total.currency)} ${paid})`}</span>
          )}
        </strong>
      ))}
    </>
  )
}

// Of payments alone.
const paidOf = (total: Total) => ('amountPaid' in total ? total.amountPaid : undefined)
