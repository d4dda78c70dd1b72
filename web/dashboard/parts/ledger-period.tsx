// A ledger account over chosen days: opening balance, transfers by side, closing balance.

import { ledgerStrings as strings } from '../../copy.ts'
import type { Schemas } from '../api.ts'
import { getData } from '../api.ts'
import { humanize } from '../format.ts'
import { useLoaded, usePages } from '../loading.ts'
import { hrefOf } from '../routing.ts'
import { useBankNames } from './bank-name.tsx'
import { Link } from './link.tsx'
import type { Days } from './statement-links.tsx'
import { Pending } from './states.tsx'
import { Pager } from './table.tsx'
import { Money, Time } from './values.tsx'

type Transfer = Schemas['LedgerTransfer']

const PATH = '/api/v1/ledger/accounts/{id}'

type Props = { id: number; currency: string; days: Days }

export function LedgerPeriod({ id, currency, days }: Props) {
  const isWrong = days.from !== '' && days.to !== '' && days.to <= days.from
  if (isWrong) return <p class="fault">{strings.wrongDays}</p>
  return (
    <>
      <Totals id={id} days={days} />
      <Transfers id={id} currency={currency} days={days} />
    </>
  )
}

function Totals({ id, days }: Omit<Props, 'currency'>) {
  const { data, problem, reload } = useLoaded(JSON.stringify([id, days]), (signal) =>
    getData(`${PATH}/totals`, { id }, { query: days, signal }),
  )
  if (problem || !data) return <Pending {...{ data, problem, reload }} kind="text" lines={4} />
  return (
    <dl class="sums">
      {(['opening', 'debits', 'credits', 'closing'] as const).map((name) => (
        <div key={name}>
          <dt>{strings.sums[name]}</dt>
          <dd>
            <Money amount={data[name]} currency={data.currency} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Transfers({ id, currency, days }: Props) {
  const pages = usePages(`${PATH}/transfers`, { id }, { limit: '20', ...days })
  const { data, problem, reload } = pages
  if (problem || !data) return <Pending {...{ data, problem, reload }} kind="rows" lines={6} />
  if (data.data.length === 0 && pages.isFirst && !data.hasMore) {
    return <p class="muted">{strings.noTransfers}</p>
  }
  return (
    <>
      <table class="entries">
        <caption class="hidden">{strings.transfers}</caption>
        <thead>
          <tr>
            <th scope="col">{strings.transfer}</th>
            <th scope="col" class="amount">
              {strings.debit}
            </th>
            <th scope="col" class="amount">
              {strings.creditSide}
            </th>
          </tr>
        </thead>
        <tbody>
          {data.data.map((transfer) => (
            <Entry key={transfer.id} transfer={transfer} currency={currency} />
          ))}
        </tbody>
      </table>
      <Pager pages={pages} />
    </>
  )
}

function Entry({ transfer, currency }: { transfer: Transfer; currency: string }) {
  const { reason, side, amount, creditId, postedAt } = transfer
  const what = strings.reasons[reason] ?? humanize(reason)
  const sum = <Money amount={amount} currency={currency} />
  return (
    <tr>
      <td>
        {creditId === null ? (
          <p>{what}</p>
        ) : (
          <p>
            <Link href={hrefOf('credits', `${creditId}`)}>{what}</Link>
          </p>
        )}
        <p class="muted small">
          <Other transfer={transfer} />
        </p>
        <p class="muted small">
          <Time at={postedAt} />
        </p>
      </td>
      <td class="amount">{side === 'debit' && sum}</td>
      <td class="amount">{side === 'credit' && sum}</td>
    </tr>
  )
}

function Other({ transfer: { otherAccountId, otherKind, otherBankCode } }: { transfer: Transfer }) {
  const nameBank = useBankNames()
  const kind = (strings.kinds[otherKind] ?? humanize(otherKind)).toLowerCase()
  const bank = otherBankCode && nameBank(otherBankCode)
  const other = strings.other(bank ? strings.ofBank(kind, bank) : kind)
  if (otherAccountId === null) return <>{other}</>
  return <Link href={hrefOf('ledger', `${otherAccountId}`)}>{other}</Link>
}
