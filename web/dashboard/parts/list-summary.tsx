// How many items match the filters, and their sum. Shows no sum of a partial count.

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

// The service counts up to this many exactly.
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

const paidOf = (total: Total) => ('amountPaid' in total ? total.amountPaid : undefined)
