// The lines of a settlement, in the order in which the money moved.

import { settlementsStrings as strings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { humanize, money } from '../../format.ts'
import { usePages } from '../../loading.ts'
import { Icon } from '../../parts/icons.tsx'
import { Link } from '../../parts/link.tsx'
import { Pending } from '../../parts/states.tsx'
import { Pager } from '../../parts/table.tsx'
import { Money, Time } from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'
import type { Settlement } from './amounts.tsx'

type Line = Schemas['SettlementLine']
type Part = keyof typeof strings.lineParts

const PATH = '/api/v1/settlements/{reference}/lines'
const PARTS = Object.keys(strings.lineParts) as Part[]

export function SettlementLines({ settlement }: { settlement: Settlement }) {
  const { reference, currency } = settlement
  const pages = usePages(PATH, { reference }, { limit: '20' })
  const { data, problem, reload } = pages
  if (problem || !data) return <Pending {...{ data, problem, reload }} kind="rows" lines={4} />
  if (data.data.length === 0 && pages.isFirst) return <p class="muted">{strings.noLines}</p>
  return (
    <>
      <ol class="entries" aria-label={strings.lines}>
        {data.data.map((line, at) => (
          <Entry key={`${pages.number} ${at}`} line={line} currency={currency} />
        ))}
      </ol>
      <Pager pages={pages} isOldestFirst />
    </>
  )
}

function Entry({ line, currency }: { line: Line; currency: string }) {
  const { kind, net, postedAt } = line
  const isIn = net >= 0
  const parts = PARTS.filter((part) => line[part] !== 0)
  const shown = parts.map((part) => `${strings.lineParts[part]} ${money(line[part], currency)}`)
  return (
    <li>
      <span class={`entry-mark ${isIn ? 'in' : 'out'}`}>
        <Icon name={isIn ? 'credits' : 'payouts'} />
      </span>
      <div class="entry-text">
        <p>
          <What line={line} name={strings.kinds[kind] ?? humanize(kind)} />
        </p>
        <p class="muted small">{aboutOf(line).join(' · ')}</p>
        {parts.length > 1 && <p class="muted small">{shown.join(' · ')}</p>}
      </div>
      <div class="entry-end">
        <Money amount={net} currency={currency} />
        <Time at={postedAt} />
      </div>
    </li>
  )
}

function What({ line: { creditId, payoutReference }, name }: { line: Line; name: string }) {
  if (creditId === null && payoutReference === null) return <>{name}</>
  const href =
    creditId === null ? hrefOf('payouts', payoutReference ?? '') : hrefOf('credits', `${creditId}`)
  return <Link href={href}>{name}</Link>
}

function aboutOf(line: Line): string[] {
  const { subaccountCode, merchantRef, paymentReference, collectionAccountNumber } = line
  const about = [
    merchantRef ?? paymentReference ?? collectionAccountNumber ?? line.payoutReference,
    subaccountCode,
  ]
  return about.filter((each) => each !== null)
}
