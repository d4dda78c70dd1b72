// One day of a bank: the proof, the differences, and both sides (statement lines and ledger items).

import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { bankStatementsStrings, reconciliationStrings as strings } from '../../../copy.ts'
import type { PagePath, Params, Query, Row } from '../../api.ts'
import { addDays, count, longDay, today } from '../../format.ts'
import { useData, usePages, useRefreshKey, useReload } from '../../loading.ts'
import { CloseDay } from '../../parts/close-day.tsx'
import { Link } from '../../parts/controls.tsx'
import { type Filter, Filters } from '../../parts/filters.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Failed, Pending, Skeleton } from '../../parts/states.tsx'
import { ListTable, onePage, Pager } from '../../parts/table.tsx'
import { closeTo, hrefOf, type Place } from '../../routing.ts'
import { mayAccount, type Session, type ViewProps } from '../../session.ts'
import { AssignChosen } from './assign-difference.tsx'
import { DifferenceDrawer } from './difference.tsx'
import { ImportStatement } from './import-statement.tsx'
import {
  DIFFERENCE_COLUMNS,
  differenceSelection,
  type Item,
  ItemLink,
  itemDetails,
  itemKind,
  itemText,
  type Line,
  lineDetails,
  lineKind,
  lineText,
  Movement,
} from './movement.tsx'
import { type DayProof, DayStatus, PROOF, Proof, statusOf } from './proof.tsx'
import { ResolveChosen } from './resolve-difference.tsx'
import { Suggestions } from './suggestions.tsx'

// One bank’s day: the proof, the import if the statement is missing, suggestions, differences, and all lines
// beside all items.
export function BankDay(props: ViewProps & { bankCode: string; day: string }) {
  const { place, session, bankCode, day } = props
  const { currency } = place.query
  const [refreshKey, refresh] = useRefreshKey()
  const { data, problem, reload } = useData(PROOF, {}, { bankCode, day, currency }, refreshKey)
  // Stays set after the import, so that the result of the import stays open.
  const wasMissing = useRef(false)
  wasMissing.current ||= data?.statement === null
  const mayChange = mayAccount(session)
  const failed = problem && <Failed problem={problem} retry={reload} />
  if (!data) return failed ?? <Skeleton kind="page" lines={8} />
  return (
    <>
      {failed}
      <DayTop proof={data} mayClose={mayChange} changed={refresh} />
      <Proof proof={data} />
      {wasMissing.current && mayChange && (
        <ImportStatement
          label={bankStatementsStrings.import}
          bankCode={bankCode}
          onDone={refresh}
        />
      )}
      {mayChange && <Suggestions proof={data} session={session} onDone={refresh} />}
      <DayDifferences proof={data} place={place} session={session} onDone={refresh} />
      <DaySides proof={data} place={place} refreshKey={refreshKey} />
      {place.open !== undefined && (
        <DifferenceDrawer
          id={place.open}
          session={session}
          refreshKey={refreshKey}
          close={() => closeTo(hrefOf('reconciliation', undefined, place.query))}
          changed={refresh}
        />
      )}
    </>
  )
}

// The bank, the status of its day, and links to the day before and after.
function DayTop(props: { proof: DayProof; mayClose: boolean; changed: () => void }) {
  const { proof, mayClose, changed } = props
  const { bankCode, bankName, currency, day, isClosed } = proof
  const hrefOfDay = (other: string) =>
    hrefOf('reconciliation', undefined, { bankCode, day: other, currency })
  return (
    <header class="day-top">
      <Link class="back-link" href={hrefOf('reconciliation')}>
        <Icon name="back" />
        {strings.backToDays}
      </Link>
      <div class="day-title">
        <h2>{bankName}</h2>
        <DayStatus status={statusOf(proof)} />
        {isClosed && (
          <span class="badge">
            <Icon name="lock" />
            {strings.closed}
          </span>
        )}
        <p class="muted">{longDay(day)}</p>
      </div>
      <div class="day-steps">
        <Link class="button" href={hrefOfDay(addDays(day, -1))}>
          <Icon name="back" />
          {strings.previousDay}
        </Link>
        {day < today() && (
          <Link class="button" href={hrefOfDay(addDays(day, 1))}>
            {strings.nextDay}
            <Icon name="onward" />
          </Link>
        )}
        {mayClose && !isClosed && day < today() && <CloseDay day={day} onDone={changed} />}
      </div>
    </header>
  )
}

// Writes how many differences the day has, such as "Differences: 1 open · 4 not matched yet · 2 reconciling".
// Leaves out zeros.
function countsText({ openDifferences, waitingDifferences, notedDifferences }: DayProof): string {
  const parts = [
    openDifferences > 0 && strings.open(count(openDifferences)),
    waitingDifferences > 0 && strings.waiting(count(waitingDifferences)),
    notedDifferences > 0 && strings.noted(count(notedDifferences)),
  ]
  return `${strings.tabs.differences}: ${parts.filter(Boolean).join(' · ')}`
}

type DayDifferencesProps = { proof: DayProof; place: Place; session: Session; onDone: () => void }

// The differences of the day, which the user can open, or select to assign or resolve together.
function DayDifferences({ proof, place, session, onDone }: DayDifferencesProps) {
  const { differences, moreDifferences, bankCode } = proof
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set())
  const ids = differences.map(({ id }) => `${id}`).filter((id) => chosen.has(id))
  const loaded = { data: differences, problem: undefined, isLoading: false, reload: onDone }
  const hasAny = differences.length > 0
  const mayResolve = mayAccount(session)
  // Called after an action on the selected differences, which ends the selection.
  const changed = () => {
    choose(new Set())
    onDone()
  }
  // Stays rendered after the last difference is resolved, so that its outcome remains readable.
  return (
    <section {...(hasAny ? { 'aria-labelledby': 'differences' } : {})}>
      <header class={hasAny ? 'grid-top' : ''}>
        {hasAny && <h2 id="differences">{countsText(proof)}</h2>}
        <div class="buttons">
          <AssignChosen ids={ids} session={session} onDone={changed} />
          <ResolveChosen ids={ids} onDone={changed} />
        </div>
      </header>
      {hasAny && (
        <ListTable
          caption={strings.tabs.differences}
          columns={DIFFERENCE_COLUMNS.filter(({ name }) => name !== strings.bank)}
          pages={onePage(loaded)}
          keyOf={({ id }) => `${id}`}
          hrefOf={({ id }) => hrefOf('reconciliation', `${id}`, place.query)}
          openKey={place.open}
          {...(mayResolve ? { choosing: differenceSelection(chosen, choose) } : {})}
          empty={null}
        />
      )}
      {moreDifferences && (
        <p class="muted under-list">
          {strings.moreDifferences}{' '}
          <Link href={hrefOf('reconciliation', undefined, { tab: 'differences', bankCode })}>
            {strings.seeAll}
          </Link>
        </p>
      )}
    </section>
  )
}

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

// The statement lines of the bank beside the items of the books, the unmatched ones first.
function DaySides(props: { proof: DayProof; place: Place; refreshKey: number }) {
  const { proof, place, refreshKey } = props
  const { bankCode, day, currency } = proof
  const { isMatched, lineKind: kindOfLine, itemKind: kindOfItem, search } = place.query
  const common = { bankCode, day, currency, search }
  // The unmatched group and the matched one; the filter by `isMatched` leaves only one of them.
  const groups = ['false', 'true'].filter((value) => !isMatched || value === isMatched)
  const context = { proof, place }
  return (
    <section aria-labelledby="sides">
      <h2 id="sides" class="section">
        {strings.sides}
      </h2>
      <Filters view="reconciliation" filters={FILTERS} query={place.query} />
      <div class="sides">
        <section class="card" aria-labelledby="bank-side">
          <h3 id="bank-side">{strings.bankSide}</h3>
          {groups.map((matchedValue) => (
            <MatchGroup
              key={matchedValue}
              path={LINES}
              query={{ ...common, kind: kindOfLine, isMatched: matchedValue }}
              refreshKey={refreshKey}
              show={(line) => <LineRow key={line.lineId} line={line} {...context} />}
            />
          ))}
        </section>
        <section class="card" aria-labelledby="book-side">
          <h3 id="book-side">{strings.bookSide}</h3>
          {groups.map((matchedValue) => (
            <MatchGroup
              key={matchedValue}
              path={ITEMS}
              query={{ ...common, kind: kindOfItem, isMatched: matchedValue }}
              refreshKey={refreshKey}
              show={(item) => <ItemRow key={`${item.kind} ${item.id}`} item={item} {...context} />}
            />
          ))}
        </section>
      </div>
    </section>
  )
}

type MatchGroupProps<P extends PagePath> = {
  path: P
  query: Query
  refreshKey: number
  show: (row: Row<P>) => ComponentChildren
}

// The matched or the unmatched lines or items of the day, page by page.
function MatchGroup<P extends typeof LINES | typeof ITEMS>(props: MatchGroupProps<P>) {
  const { path, query, refreshKey, show } = props
  const pages = usePages(path, {} as Params<P>, { ...query, limit: '20' })
  const { data, problem, reload } = pages
  useReload(refreshKey, reload)
  const isUnmatched = query.isMatched === 'false'
  const emptyText = isUnmatched ? strings.noUnmatched : strings.noMatched
  return (
    <>
      <h4 class={isUnmatched ? 'unmatched' : ''}>
        {isUnmatched ? strings.unmatched : strings.matched}
      </h4>
      <Pending {...{ data, problem, reload }} kind="rows" lines={3} />
      {data?.data.length === 0 && pages.isFirst && (
        <p class="muted none">{query.search ? strings.nothingFits : emptyText}</p>
      )}
      <ul class="movements">{data?.data.map(show)}</ul>
      <Pager pages={pages} isOldestFirst />
    </>
  )
}

type RowProps = { proof: DayProof; place: Place }

// A statement line with the items that it is matched with, or a link to its difference.
function LineRow({ line, proof, place }: RowProps & { line: Line }) {
  const difference = proof.differences.find((other) => other.line?.lineId === line.lineId)
  const itemTexts = line.items.map((item) => `${itemKind(item.kind)} ${itemText(item)}`)
  return (
    <Movement
      title={lineText(line)}
      kind={lineKind(line.kind)}
      amount={line.amount}
      currency={proof.currency}
      about={[
        ...lineDetails(line),
        line.rule && matchedBy(line.rule),
        ...itemTexts,
        line.payer?.score != null && strings.payerAlike(line.payer.score),
      ]}
      end={difference && <ResolveLink difference={difference} place={place} />}
    />
  )
}

// An item of the books with the lines that it is matched with, or a link to its difference.
function ItemRow({ item, proof, place }: RowProps & { item: Item }) {
  const difference = proof.differences.find(
    (other) => other.item?.kind === item.kind && other.item.id === item.id,
  )
  const rule = item.lines[0]?.rule
  const lines = item.lines.map(lineText)
  return (
    <Movement
      title={itemText(item)}
      kind={itemKind(item.kind)}
      amount={item.amount}
      currency={proof.currency}
      about={[...itemDetails(item), rule && matchedBy(rule), ...lines]}
      end={
        difference ? (
          <ResolveLink difference={difference} place={place} />
        ) : (
          <ItemLink item={item} />
        )
      }
    />
  )
}

const matchedBy = (rule: string) => strings.matchedBy(strings.rules[rule] ?? rule)

// Links to the difference. The text says whether the difference can be resolved (`actions`) or only viewed.
function ResolveLink(props: { difference: DayProof['differences'][number]; place: Place }) {
  const { difference, place } = props
  const { id, actions } = difference
  return (
    <Link href={hrefOf('reconciliation', `${id}`, place.query)}>
      {actions.length > 0 ? strings.resolve : strings.view}
    </Link>
  )
}
