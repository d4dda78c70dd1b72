// The day by bank and by merchant, each adding up to the day's sums.

import { useState } from 'preact/hooks'
import { todayStrings as strings } from '../../copy.ts'
import type { Schemas } from '../api.ts'
import { count } from '../format.ts'
import { useData, useReload } from '../loading.ts'
import { Segments } from './segments.tsx'
import { Pending } from './states.tsx'
import { Money } from './values.tsx'

type Bank = Schemas['OverviewBank']
type Sums = Omit<Bank, 'bankCode' | 'bankName'>
type By = 'banks' | 'merchants'

const LESS = ['reversed', 'returned', 'refunded', 'suspended', 'fees'] as const

export function Breakdown({ version }: { version: number }) {
  const { data, problem, reload } = useData('/api/v1/overview/breakdown', {})
  useReload(version, reload)
  const [by, setBy] = useState<By>('banks')
  return (
    <section class="card breakdown" aria-labelledby="breakdown">
      <header class="card-top">
        <h2 id="breakdown">{strings.breakdown}</h2>
        <Segments
          label={strings.breakdown}
          options={['banks', 'merchants'] as const}
          names={strings.by}
          chosen={by}
          choose={setBy}
        />
      </header>
      <Pending {...{ data, problem, reload }} kind="rows" lines={3} />
      {data && (
        <Shares
          name={strings.by[by]}
          rows={
            by === 'banks'
              ? data.banks.map((bank) => [nameOfBank(bank), bank])
              : data.merchants.map((merchant) => [nameOfMerchant(merchant), merchant])
          }
        />
      )}
    </section>
  )
}

const nameOfBank = ({ bankName, bankCode }: Bank) => bankName ?? bankCode ?? strings.unknownBank

function nameOfMerchant({ merchantCode, isRest }: Schemas['OverviewMerchant']): string {
  if (isRest) return strings.restOfMerchants
  return merchantCode ?? strings.payments
}

// A scrolling region must be reachable by keyboard.
const SCROLLED = { tabIndex: 0 }

function Shares({ name, rows }: { name: string; rows: readonly (readonly [string, Sums])[] }) {
  if (rows.length === 0) return <p class="muted breakdown-none">{strings.nothingYet}</p>
  // Every deduction has a column, so that each row adds up.
  const less = LESS.filter((each) => rows.some(([, sums]) => sums[each] !== 0))
  const amounts = ['gross', ...less, 'net'] as const
  return (
    <section class="listing" aria-label={name} {...SCROLLED}>
      <table class="list">
        <caption class="hidden">{strings.breakdown}</caption>
        <thead>
          <tr>
            <th scope="col">{name}</th>
            <th scope="col" class="amount">
              {strings.credits}
            </th>
            {amounts.map((each) => (
              <th key={each} scope="col" class="amount">
                {strings.columns[each]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([who, sums]) => (
            <tr key={who}>
              <td class="at-lead">{who}</td>
              <td class="amount at-line" data-name={strings.credits}>
                {count(sums.credits)}
              </td>
              {amounts.map((each) => (
                <td key={each} class="amount at-line" data-name={strings.columns[each]}>
                  <Money amount={sums[each]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
