// Both sides of a day: statement lines and ledger items, unmatched first.

import type { ComponentChildren } from 'preact'
import { bankStatementsStrings, reconciliationStrings as strings } from '../../../copy.ts'
import type { PagePath, Params, Query, Row } from '../../api.ts'
import { usePages, useReload } from '../../loading.ts'
import { type Filter, Filters } from '../../parts/filters.tsx'
import { Link } from '../../parts/link.tsx'
import { Pending } from '../../parts/states.tsx'
import { Pager } from '../../parts/table.tsx'
import { hrefOf, type Place } from '../../routing.ts'
import {
  aboutItem,
  aboutLine,
  type Item,
  ItemLink,
  itemKind,
  itemText,
  type Line,
  lineKind,
  lineText,
  Movement,
} from './movement.tsx'
import type { DayProof } from './proof.tsx'

const LINES = '/api/v1/operator/reconciliation/lines'
const ITEMS = '/api/v1/operator/reconciliation/items'

const FILTERS: readonly Filter[] = [
  {
    name: 'isMatched',
    label: strings.status,
    choices: bankStatementsStrings.matchedChoices,
  },
  { name: 'lineKind', label: strings.lineKind, choices: strings.lineKinds },
  { name: 'itemKind', label: strings.itemKind, choices: strings.itemKinds },
  { name: 'search', label: strings.search, placeholder: strings.searchHint },
]

type Props = { proof: DayProof; place: Place; version: number }

export function DaySides({ proof, place, version }: Props) {
  const { bankCode, day, currency } = proof
  const { isMatched, lineKind: kindOfLine, itemKind: kindOfItem, search } = place.query
  const asked = { bankCode, day, currency, search }
  const groups = ['false', 'true'].filter((each) => !isMatched || each === isMatched)
  const shown = { proof, place }
  return (
    <section aria-labelledby="sides">
      <h2 id="sides" class="section">
        {strings.sides}
      </h2>
      <Filters view="reconciliation" filters={FILTERS} query={place.query} />
      <div class="sides">
        <section class="card" aria-labelledby="bank-side">
          <h3 id="bank-side">{strings.bankSide}</h3>
          {groups.map((each) => (
            <Group
              key={each}
              path={LINES}
              query={{ ...asked, kind: kindOfLine, isMatched: each }}
              version={version}
              show={(line) => <LineRow key={line.lineId} line={line} {...shown} />}
            />
          ))}
        </section>
        <section class="card" aria-labelledby="book-side">
          <h3 id="book-side">{strings.bookSide}</h3>
          {groups.map((each) => (
            <Group
              key={each}
              path={ITEMS}
              query={{ ...asked, kind: kindOfItem, isMatched: each }}
              version={version}
              show={(item) => <ItemRow key={`${item.kind} ${item.id}`} item={item} {...shown} />}
            />
          ))}
        </section>
      </div>
    </section>
  )
}

type GroupProps<P extends PagePath> = {
  path: P
  query: Query
  version: number
  show: (row: Row<P>) => ComponentChildren
}

function Group<P extends typeof LINES | typeof ITEMS>(props: GroupProps<P>) {
  const { path, query, version, show } = props
  const pages = usePages(path, {} as Params<P>, { ...query, limit: '20' })
  const { data, problem, reload } = pages
  useReload(version, reload)
  const isUnmatched = query.isMatched === 'false'
  const none = isUnmatched ? strings.noUnmatched : strings.noMatched
  return (
    <>
      <h4 class={isUnmatched ? 'unmatched' : ''}>
        {isUnmatched ? strings.unmatched : strings.matched}
      </h4>
      <Pending {...{ data, problem, reload }} kind="rows" lines={3} />
      {data?.data.length === 0 && pages.isFirst && (
        <p class="muted none">{query.search ? strings.nothingFits : none}</p>
      )}
      <ul class="movements">{data?.data.map(show)}</ul>
      <Pager pages={pages} isOldestFirst />
    </>
  )
}

type RowProps = { proof: DayProof; place: Place }

function LineRow({ line, proof, place }: RowProps & { line: Line }) {
  const found = proof.differences.find((each) => each.line?.lineId === line.lineId)
  const withItems = line.items.map((item) => `${itemKind(item.kind)} ${itemText(item)}`)
  return (
    <Movement
      title={lineText(line)}
      kind={lineKind(line.kind)}
      amount={line.amount}
      currency={proof.currency}
      about={[...aboutLine(line), line.rule && matchedBy(line.rule), ...withItems]}
      end={found && <ResolveLink difference={found} place={place} />}
    />
  )
}

function ItemRow({ item, proof, place }: RowProps & { item: Item }) {
  const found = proof.differences.find(
    (each) => each.item?.kind === item.kind && each.item.id === item.id,
  )
  const rule = item.lines[0]?.rule
  const lines = item.lines.map(lineText)
  return (
    <Movement
      title={itemText(item)}
      kind={itemKind(item.kind)}
      amount={item.amount}
      currency={proof.currency}
      about={[...aboutItem(item), rule && matchedBy(rule), ...lines]}
      end={found ? <ResolveLink difference={found} place={place} /> : <ItemLink item={item} />}
    />
  )
}

const matchedBy = (rule: string) => strings.matchedBy(strings.rules[rule] ?? rule)

type LinkProps = { difference: DayProof['differences'][number]; place: Place }

function ResolveLink({ difference: { id, actions }, place }: LinkProps) {
  return (
    <Link href={hrefOf('reconciliation', `${id}`, place.query)}>
      {actions.length > 0 ? strings.resolve : strings.view}
    </Link>
  )
}
