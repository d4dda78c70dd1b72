// Sums in suspense, by reason and by age. Each links to its items.

import { suspenseStrings as strings } from '../../copy.ts'
import { getData, type Query, type Schemas } from '../api.ts'
import { count, money } from '../format.ts'
import { useLoaded, useReload } from '../loading.ts'
import { hrefOf } from '../routing.ts'
import { Link } from './link.tsx'
import { Failed, Skeleton } from './states.tsx'
import { whyOf } from './suspense-item.tsx'
import { Money } from './values.tsx'

type Total = Schemas['SuspenseTotal']

const PATH = '/api/v1/suspense/summary'

type Props = { asked: Query; version: number; query: Query }

export function SuspenseTotals({ asked, version, query }: Props) {
  const { data, problem, reload } = useLoaded(JSON.stringify(asked), (signal) =>
    getData(PATH, {}, { query: asked, signal }),
  )
  useReload(version, reload)
  const failed = problem && <Failed problem={problem} retry={reload} />
  if (!data) return failed ?? <Skeleton kind="stats" lines={2} />
  if (data.totals.length === 0) return failed ?? null
  const linkTo = (more: Query) => hrefOf('suspense', undefined, { ...query, ...more })
  return (
    <section class="card suspense-totals" aria-labelledby="suspense-totals">
      <header class="card-top">
        <h2 id="suspense-totals">{strings.totals}</h2>
        <p class="suspense-total">{data.totals.map((total) => sumOf(total)).join(' + ')}</p>
      </header>
      {failed}
      {!data.isComplete && <p class="notice">{strings.tooMany}</p>}
      <div class="suspense-parts">
        <Parts
          title={strings.byReason}
          parts={data.byReason.map((part) => ({
            ...part,
            name: whyOf(part.reason),
            href: linkTo({ reason: part.reason }),
          }))}
        />
        <Parts
          title={strings.byAge}
          parts={data.byAge.map((part) => ({
            ...part,
            name: strings.ages[part.age],
            href: linkTo({ age: part.age }),
          }))}
        />
      </div>
    </section>
  )
}

function sumOf({ count: items, amount, currency }: Total): string {
  return strings.sumOf(count(items), items === 1, money(amount, currency))
}

type Part = Total & { name: string; href: string }

function Parts({ title, parts }: { title: string; parts: readonly Part[] }) {
  return (
    <table>
      <caption>{title}</caption>
      <thead class="hidden">
        <tr>
          <th scope="col">{title}</th>
          <th scope="col">{strings.items}</th>
          <th scope="col">{strings.amount}</th>
        </tr>
      </thead>
      <tbody>
        {parts.map(({ name, href, count: items, amount, currency }) => (
          <tr key={`${name} ${currency}`}>
            <th scope="row">
              <Link href={href}>{name}</Link>
            </th>
            <td>{count(items)}</td>
            <td>
              <Money amount={amount} currency={currency} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
