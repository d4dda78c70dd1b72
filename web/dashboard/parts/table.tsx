// A list as a table: rows open by a press anywhere or by Enter, arrows and j/k move between them, and
// pages are turned below. On a narrow page each row becomes a small card. The heading of the column
// that a list is in the order of turns the list round. Where rows can be selected, x selects the one
// that has the focus.

import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import type { Paged } from '../loading.ts'
import { follow, goTo } from '../routing.ts'
import { appStrings } from '../strings/app.ts'
import { Icon } from './icons.tsx'
import { Failed, Skeleton } from './states.tsx'
import { Money } from './values.tsx'

export type Column<Row> = {
  name: string
  // Where it stands on a narrow page; without: it is left out there.
  // A line has its name before it.
  place?: 'lead' | 'amount' | 'second' | 'state' | 'time' | 'line'
  isAmount?: boolean
  isOrder?: boolean // The list comes in its order, and can be turned round.
  show: (row: Row) => ComponentChildren
}

// The sum that a row is about.
export function amountColumn<Row extends { amount: number; currency: string }>(
  name: string,
): Column<Row> {
  const show = ({ amount, currency }: Row) => <Money amount={amount} currency={currency} />
  return { name, place: 'amount', isAmount: true, show }
}

export type Turning = { isOldestFirst: boolean; turn: () => void }

// Rows that are acted on together.
export type Selection<Row> = {
  has: (row: Row) => boolean
  set: (rows: readonly Row[], isSelected: boolean) => void
  nameOf: (row: Row) => string
}

type Props<Row> = {
  caption: string
  columns: readonly Column<Row>[]
  pages: Paged<Row>
  keyOf: (row: Row) => string
  hrefOf: (row: Row) => string
  openKey: string | undefined
  empty: ComponentChildren
  turning?: Turning
  selection?: Selection<Row> | undefined
}

export function ListTable<Row>(props: Props<Row>) {
  const { caption, columns, pages, empty, turning, ...rows } = props
  const { data, problem, isLoading, reload } = pages
  if (problem) return <Failed problem={problem} retry={reload} />
  if (!data && !turning) return <Skeleton kind="rows" lines={10} />
  if (data?.data.length === 0 && pages.isFirst && !data.hasMore) return <>{empty}</>
  return (
    <>
      <div class="listing">
        <table class="list" aria-busy={isLoading}>
          <caption class="hidden">{caption}</caption>
          <thead>
            <tr>
              {rows.selection && <PickAll rows={data?.data ?? []} selection={rows.selection} />}
              {columns.map((column) => (
                <Heading key={column.name} column={column} turning={turning} />
              ))}
            </tr>
          </thead>
          {data && <Rows columns={columns} rows={data.data} {...rows} />}
        </table>
      </div>
      {/* The headings stay meanwhile, and with them the focus of whoever turned the list. */}
      {!data && <Skeleton kind="rows" lines={10} />}
      <Pager pages={pages} isOldestFirst={turning?.isOldestFirst} />
    </>
  )
}

function PickAll<Row>({ rows, selection }: { rows: readonly Row[]; selection: Selection<Row> }) {
  const picked = rows.filter(selection.has).length
  return (
    <th scope="col" class="pick">
      <label>
        <span class="hidden">{appStrings.select.all}</span>
        <input
          type="checkbox"
          checked={rows.length > 0 && picked === rows.length}
          ref={(box) => {
            if (box) box.indeterminate = picked > 0 && picked < rows.length
          }}
          onChange={(event) => selection.set(rows, event.currentTarget.checked)}
        />
      </label>
    </th>
  )
}

function Heading<Row>({
  column: { name, place, isAmount, isOrder },
  turning,
}: {
  column: Column<Row>
  turning: Turning | undefined
}) {
  const style = cellClass(place, isAmount)
  if (!isOrder || !turning) {
    return (
      <th scope="col" class={style}>
        {name}
      </th>
    )
  }
  const { isOldestFirst, turn } = turning
  return (
    <th scope="col" class={style} aria-sort={isOldestFirst ? 'ascending' : 'descending'}>
      <button
        type="button"
        class="turn"
        title={isOldestFirst ? appStrings.order.toNewest : appStrings.order.toOldest}
        onClick={turn}
      >
        {name}
        <Icon name="fold" />
      </button>
    </th>
  )
}

function Rows<Row>({
  columns,
  rows,
  keyOf,
  hrefOf,
  openKey,
  selection,
}: Pick<Props<Row>, 'columns' | 'keyOf' | 'hrefOf' | 'openKey' | 'selection'> & {
  rows: readonly Row[]
}) {
  const body = useRef<HTMLTableSectionElement>(null)
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key]
    const isPick = event.key === 'x' && selection !== undefined
    if (step === undefined && !isPick) return
    const links = [...(body.current?.querySelectorAll<HTMLElement>('a.row-link') ?? [])]
    const at = links.indexOf(event.target as HTMLElement)
    if (at === -1) return
    const row = rows[at]
    if (isPick && row) return selection.set([row], !selection.has(row))
    if (step === undefined) return
    event.preventDefault()
    links[at + step]?.focus()
  }
  return (
    <tbody ref={body} onKeyDown={press}>
      {rows.map((row) => (
        <tr
          key={keyOf(row)}
          data-open={keyOf(row) === openKey}
          onClick={(event) => {
            const isElsewhere = (event.target as HTMLElement).closest('a, button, .pick')
            if (!isElsewhere && !window.getSelection()?.toString()) goTo(hrefOf(row))
          }}
        >
          {selection && (
            <td class="pick">
              <label>
                <span class="hidden">{appStrings.select.one(selection.nameOf(row))}</span>
                <input
                  type="checkbox"
                  checked={selection.has(row)}
                  onChange={(event) => selection.set([row], event.currentTarget.checked)}
                />
              </label>
            </td>
          )}
          {columns.map(({ name, show, isAmount, place }, at) => (
            <td key={name} class={cellClass(place, isAmount)} data-name={name}>
              {at === 0 ? (
                <a class="row-link" href={hrefOf(row)} onClick={follow}>
                  {show(row)}
                </a>
              ) : (
                show(row)
              )}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  )
}

function cellClass(place: string | undefined, isAmount: boolean | undefined): string {
  return `${place ? `at-${place}` : 'wide-only'}${isAmount ? ' amount' : ''}`
}

type PagerProps<Row> = { pages: Paged<Row>; isOldestFirst?: boolean | undefined }

export function Pager<Row>({ pages, isOldestFirst = false }: PagerProps<Row>) {
  const { newer, older } = appStrings.pages
  const { isFirst, data, number, goBack, goFurther, isLoading } = pages
  if (isFirst && !data?.hasMore) return null
  return (
    <nav class="pager" aria-label={appStrings.pages.label}>
      <button type="button" class="button" disabled={isFirst || isLoading} onClick={goBack}>
        <Icon name="back" />
        {isOldestFirst ? older : newer}
      </button>
      <span class="muted" aria-live="polite">
        {appStrings.pages.number(number)}
      </span>
      <button
        type="button"
        class="button"
        disabled={!data?.hasMore || isLoading}
        onClick={goFurther}
      >
        {isOldestFirst ? newer : older}
        <Icon name="onward" />
      </button>
    </nav>
  )
}
