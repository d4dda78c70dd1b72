// The age of open differences by bank, and suspense.

import { appStrings, differencesStrings, reconciliationStrings as strings } from '../../../copy.ts'
import type { Data } from '../../api.ts'
import { count, money } from '../../format.ts'
import { groupBy } from '../../grouping.ts'
import { useData, useReload } from '../../loading.ts'
import { useBankNames } from '../../parts/bank-name.tsx'
import { Link } from '../../parts/link.tsx'
import { Pending } from '../../parts/states.tsx'
import { hrefOf } from '../../routing.ts'

const PATH = '/api/v1/operator/reconciliation/ageing'

type Bucket = keyof typeof strings.buckets
type Sum = Data<typeof PATH>['suspense'][number]
type Row = { name: string; sums: readonly Sum[]; hrefOf: (bucket: Bucket) => string }

const BUCKETS = Object.keys(strings.buckets) as Bucket[]

export function Ageing({ version }: { version: number }) {
  const { data, problem, reload } = useData(PATH, {})
  useReload(version, reload)
  const nameBank = useBankNames()
  return (
    <section aria-labelledby="ageing">
      <h2 id="ageing" class="section">
        {strings.ageing}
      </h2>
      <Pending {...{ data, problem, reload }} kind="rows" lines={2} />
      {data && <AgeingTable rows={rowsOf(data, nameBank)} />}
      <p class="muted small under-list">
        {strings.ageingText} {data && <Unowned data={data} />}
      </p>
    </section>
  )
}

function Unowned({ data }: { data: Data<typeof PATH> }) {
  const unowned = data.differences.reduce((sum, { unowned }) => sum + unowned, 0)
  if (unowned === 0) return null
  const query = { tab: 'differences', state: 'open', owner: 'nobody' }
  return (
    <Link href={hrefOf('reconciliation', undefined, query)}>
      {differencesStrings.unowned(unowned)}
    </Link>
  )
}

function rowsOf(data: Data<typeof PATH>, nameBank: (code: string) => string): Row[] {
  const banks = groupBy(data.differences, ({ bankCode, currency }) => `${bankCode} ${currency}`)
  const suspense = groupBy(data.suspense, ({ currency }) => currency)
  const ofBanks = [...banks].map(([key, sums]): Row => {
    const [bankCode = '', currency] = key.split(' ')
    const name = `${nameBank(bankCode)}${currency === 'NGN' ? '' : `, ${currency}`}`
    const query = { tab: 'differences', state: 'open', bankCode }
    return {
      name,
      sums,
      hrefOf: (bucket) => hrefOf('reconciliation', undefined, { ...query, bucket }),
    }
  })
  const ofSuspense = [...suspense].map(([currency, sums]): Row => {
    const name = currency === 'NGN' ? strings.ageingOf.suspense : strings.suspenseOf(currency)
    return { name, sums, hrefOf: () => hrefOf('accounting', undefined, { tab: 'suspense' }) }
  })
  return [...ofBanks, ...ofSuspense]
}

function AgeingTable({ rows }: { rows: readonly Row[] }) {
  if (rows.length === 0) return <p class="muted">{strings.nothingOpen}</p>
  return (
    <div class="listing">
      <table class="list ageing">
        <caption class="hidden">{strings.ageing}</caption>
        <thead>
          <tr>
            <th scope="col">{strings.bank}</th>
            {BUCKETS.map((bucket) => (
              <th key={bucket} scope="col" class="amount">
                {strings.buckets[bucket]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <td class="at-lead">{row.name}</td>
              {BUCKETS.map((bucket) => (
                <td key={bucket} class="at-line amount" data-name={strings.buckets[bucket]}>
                  <Cell
                    sum={row.sums.find((sum) => sum.bucket === bucket)}
                    href={row.hrefOf(bucket)}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Cell({ sum, href }: { sum: Sum | undefined; href: string }) {
  if (!sum || sum.count === 0) return <span class="muted">{appStrings.nothing}</span>
  return (
    <Link href={href}>
      {count(sum.count)} · {money(sum.amount, sum.currency)}
    </Link>
  )
}
