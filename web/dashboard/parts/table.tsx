// A list as a table. A click or Enter opens a row, arrows and j/k move between rows, x selects the focused
// row. On a narrow page each row is a card. The heading of the sorted column reverses the order.

import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { appStrings } from '../../copy.ts'
import { isInFlight } from '../in-flight.ts'
import type { Loaded, Paged } from '../loading.ts'
import { goTo } from '../routing.ts'
import { Dropdown, Link } from './controls.tsx'
import { Icon } from './icons.tsx'
import { Failed, Skeleton } from './states.tsx'
import { Term, termNamed } from './term.tsx'
import { Money, Time } from './values.tsx'

export type Column<Row> = {
  name: string
  // The place in the card on a narrow page. A column without a place is hidden there. A column in the place
  // `line` shows its label.
  place?: 'lead' | 'amount' | 'second' | 'state' | 'time' | 'line'
  isAmount?: boolean
  isOrder?: boolean // The list is sorted by this column.
  fields?: readonly string[] // The columns of the export with the same data.
  show: (row: Row) => ComponentChildren
}

// A column that shows the amount in this field. A row may have a `currency`.
export function amountColumn<Row extends object>(
  name: string,
  field = 'amount' as keyof Row,
): Column<Row> {
  const show = (row: Row) => (
    <Money
      amount={row[field] as number}
      currency={'currency' in row ? (row.currency as string) : null}
    />
  )
  return { name, place: 'amount', isAmount: true, show, fields: [`${String(field)}`, 'currency'] }
}

// A column of one field, which has the same name in the export. Shows the value, or what `show` makes of it.
export function fieldColumn<Row, Field extends keyof Row & string>(
  name: string,
  field: Field,
  place?: Column<Row>['place'],
  show = (value: Row[Field]) => value as ComponentChildren,
): Column<Row> {
  const column = { name, show: (row: Row) => show(row[field]), fields: [field] }
  return place ? { ...column, place } : column
}

// Creates the column by which the list is sorted.
export function orderColumn<Row>(name: string, field: keyof Row): Column<Row> {
  const show = (row: Row) => <Time at={row[field] as string} />
  return { name, place: 'time', isOrder: true, show, fields: [`${String(field)}`] }
}

export type Choosing<Row> = {
  chosen: ReadonlySet<string>
  choose: (keys: ReadonlySet<string>) => void
  mayChoose: (row: Row) => boolean
  nameOf: (row: Row) => string
}

export type Turning = { isOldestFirst: boolean; turn: () => void }

type Props<Row> = {
  caption: string
  columns: readonly Column<Row>[]
  pages: Paged<Row>
  keyOf: (row: Row) => string
  hrefOf: (row: Row) => string
  openKey: string | undefined
  empty: ComponentChildren
  isOldestFirst?: boolean | undefined
  turning?: Turning | undefined
  choosing?: Choosing<Row>
}

// Shows the table with its pager, or a skeleton, an error or `empty` in its place.
export function ListTable<Row>(props: Props<Row>) {
  const { caption, columns, pages, empty, turning, isOldestFirst, ...rows } = props
  const { data, problem, isLoading, reload } = pages
  const failed = problem && <Failed problem={problem} retry={reload} />
  if (!data && failed) return failed
  if (!data && !turning) return <Skeleton kind="rows" lines={10} />
  if (data?.data.length === 0 && pages.isFirst && !data.hasMore) {
    return (
      <>
        {failed}
        {empty}
      </>
    )
  }
  return (
    <>
      {failed}
      <div class="listing">
        <table class="list" aria-busy={isLoading}>
          <caption class="hidden">{caption}</caption>
          <thead>
            <tr>
              {props.choosing && (
                <ChooseAll rows={data?.data ?? []} keyOf={props.keyOf} choosing={props.choosing} />
              )}
              {columns.map((column) => (
                <Heading key={column.name} column={column} turning={turning} />
              ))}
            </tr>
          </thead>
          {data && <Rows columns={columns} rows={data.data} {...rows} />}
        </table>
      </div>
      {/* The headings stay while the rows load, so that a pressed heading keeps the focus. */}
      {!data && <Skeleton kind="rows" lines={10} />}
      <Pager pages={pages} isOldestFirst={turning?.isOldestFirst ?? isOldestFirst} />
    </>
  )
}

function Heading<Row>(props: { column: Column<Row>; turning: Turning | undefined }) {
  const { column, turning } = props
  const { name, place, isAmount, isOrder } = column
  const style = cellClass(place, isAmount)
  if (!isOrder || !turning) {
    const term = termNamed(name)
    return (
      <th scope="col" class={style}>
        {term ? <Term term={term} text={name} /> : name}
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
  choosing,
}: Pick<Props<Row>, 'columns' | 'keyOf' | 'hrefOf' | 'openKey' | 'choosing'> & {
  rows: readonly Row[]
}) {
  const body = useRef<HTMLTableSectionElement>(null)
  const linksIn = () => [...(body.current?.querySelectorAll<HTMLElement>('a.row-link') ?? [])]
  const lastOpen = useRef(openKey)
  // Focuses the row that was open last, unless a field has the focus.
  useEffect(() => {
    const at = rows.findIndex((row) => keyOf(row) === lastOpen.current)
    lastOpen.current = openKey
    const isElsewhere = document.activeElement?.matches('input, select, textarea, dialog *')
    if (openKey === undefined && !isElsewhere) linksIn()[at]?.focus()
  }, [openKey])
  // Arrows and j/k move the focus to the next or previous row; x selects the focused row or undoes that.
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key]
    const isChoice = event.key === 'x' && choosing !== undefined
    if ((step === undefined && !isChoice) || event.ctrlKey || event.metaKey || event.altKey) return
    const links = linksIn()
    const at = links.indexOf(event.target as HTMLElement)
    const row = rows[at]
    if (row === undefined) return
    event.preventDefault()
    if (step !== undefined) links[at + step]?.focus()
    else if (choosing?.mayChoose(row)) choosing.choose(toggled(choosing.chosen, keyOf(row)))
  }
  return (
    <tbody ref={body} onKeyDown={press}>
      {rows.map((row) => (
        <tr
          key={keyOf(row)}
          data-open={keyOf(row) === openKey}
          onClick={(event) => {
            const isElsewhere = (event.target as HTMLElement).closest('a, button, .at-choose')
            const isMarking = window.getSelection()?.toString()
            if (!isElsewhere && !isMarking && !isInFlight()) goTo(hrefOf(row))
          }}
        >
          {choosing && <ChooseOne row={row} keyOf={keyOf} choosing={choosing} />}
          {columns.map(({ name, show, isAmount, place }, at) => (
            <td key={name} class={cellClass(place, isAmount)} data-name={name}>
              {at === 0 ? (
                <Link class="row-link" href={hrefOf(row)}>
                  {show(row)}
                </Link>
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

type ChoosingProps<Row> = { keyOf: (row: Row) => string; choosing: Choosing<Row> }

// The checkbox for all rows of this page. Rows selected on other pages stay selected.
function ChooseAll<Row>(props: ChoosingProps<Row> & { rows: readonly Row[] }) {
  const { rows, keyOf, choosing } = props
  const { chosen, choose, mayChoose } = choosing
  const keys = rows.filter(mayChoose).map(keyOf)
  const areAll = keys.length > 0 && keys.every((key) => chosen.has(key))
  const others = [...chosen].filter((key) => !keys.includes(key))
  return (
    <th scope="col" class="at-choose">
      <label class="choose-all">
        <input
          type="checkbox"
          checked={areAll}
          disabled={keys.length === 0}
          onChange={() => choose(new Set(areAll ? others : [...others, ...keys]))}
        />
        <span>{appStrings.choose.all}</span>
      </label>
    </th>
  )
}

function ChooseOne<Row>({ row, keyOf, choosing }: ChoosingProps<Row> & { row: Row }) {
  const { chosen, choose, mayChoose, nameOf } = choosing
  const key = keyOf(row)
  const toggle = () => choose(toggled(chosen, key))
  return (
    <td class="at-choose">
      {mayChoose(row) && (
        <input
          type="checkbox"
          aria-label={appStrings.choose.one(nameOf(row))}
          checked={chosen.has(key)}
          onChange={toggle}
        />
      )}
    </td>
  )
}

function toggled(chosen: ReadonlySet<string>, key: string): ReadonlySet<string> {
  return new Set(chosen.has(key) ? [...chosen].filter((other) => other !== key) : [...chosen, key])
}

function cellClass(place: string | undefined, isAmount: boolean | undefined): string {
  return `${place ? `at-${place}` : 'wide-only'}${isAmount ? ' amount' : ''}`
}

type PagerProps<Row> = { pages: Paged<Row>; isOldestFirst?: boolean | undefined }

// The buttons for the page before and after. A list of one page has none. While a page loads, the pager stays
// as it was.
export function Pager<Row>({ pages, isOldestFirst = false }: PagerProps<Row>) {
  const { newer, older } = appStrings.pages
  const { isFirst, data, number, goBack, goFurther } = pages
  const isPaged = useRef(false)
  if (data) isPaged.current = !isFirst || data.hasMore
  if (!isPaged.current) return null
  // Buttons are never `disabled`, which would lose the focus while a page loads.
  return (
    <nav class="pager" aria-label={appStrings.pages.label}>
      <button
        type="button"
        class="button"
        aria-disabled={isFirst}
        onClick={() => isFirst || goBack()}
      >
        <Icon name="back" />
        {isOldestFirst ? older : newer}
      </button>
      <span class="muted" aria-live="polite">
        {appStrings.pages.number(number)}
      </span>
      <button
        type="button"
        class="button"
        aria-disabled={!data?.hasMore}
        onClick={() => data?.hasMore && goFurther()}
      >
        {isOldestFirst ? newer : older}
        <Icon name="onward" />
      </button>
    </nav>
  )
}

// Presents a list that the service returns whole as the only page of a paged list.
export function onePage<Item>({ data, ...loaded }: Loaded<Item[]>): Paged<Item> {
  const page = data && { data, hasMore: false, nextCursor: null }
  const still = { number: 1, isFirst: true, goFurther: () => {}, goBack: () => {} }
  return { ...loaded, ...still, data: page }
}

// Returns the export columns with the data of the given list columns, or undefined if a list column has no
// counterpart in the export.
export function exportedFields<Row>(columns: readonly Column<Row>[]): string[] | undefined {
  if (columns.some(({ fields }) => fields === undefined)) return undefined
  return [...new Set(columns.flatMap(({ fields = [] }) => fields))]
}

// The selected rows of a list. The selection survives paging, but ends when the filters change, so that a
// user never acts on hidden rows.
export function useChosenAmong<Chosen>(
  filterKey: string,
  none: Chosen,
): [chosen: Chosen, choose: (chosen: Chosen) => void] {
  const [choice, setChoice] = useState({ filterKey, chosen: none })
  useEffect(() => {
    setChoice((before) => (before.filterKey === filterKey ? before : { filterKey, chosen: none }))
  }, [filterKey])
  return [
    choice.filterKey === filterKey ? choice.chosen : none,
    (chosen) => setChoice({ filterKey, chosen }),
  ]
}

const { columns: strings } = appStrings

const keyOf = (list: string) => `manilla-columns ${list}`
// A list with so few columns offers no choice of columns.
const SHORT_LIST_MAX = 3

export const mayHide = ({ length }: { length: number }) => length > SHORT_LIST_MAX

// The first column links to the row, and the sorted column reverses the order, so neither can be hidden.
const isFixed = ({ isOrder }: { isOrder?: boolean }, index: number) =>
  index === 0 || isOrder === true

// Returns the visible columns of a list, and the dropdown that chooses them.
export function useColumns<Row>(list: string, columns: readonly Column<Row>[]) {
  const [hidden, setHidden] = useState<readonly string[]>(
    () => window.localStorage.getItem(keyOf(list))?.split('\n') ?? [],
  )
  const isVisible = (column: Column<Row>, index: number) =>
    isFixed(column, index) || !hidden.includes(column.name)
  // Stores the names of the hidden columns in this browser. No hidden columns is the default.
  const hide = (names: readonly string[]) => {
    if (names.length === 0) window.localStorage.removeItem(keyOf(list))
    else window.localStorage.setItem(keyOf(list), names.join('\n'))
    setHidden(names)
  }
  const toggle = (name: string) =>
    hide(hidden.includes(name) ? hidden.filter((other) => other !== name) : [...hidden, name])
  const choice = (files: ComponentChildren) =>
    mayHide(columns) && (
      <Dropdown id="columns" icon="columns" label={strings.label} style="column-choice">
        {() => (
          <>
            {columns.map((column, index) => (
              <label key={column.name}>
                <input
                  type="checkbox"
                  checked={isVisible(column, index)}
                  disabled={isFixed(column, index)}
                  onChange={() => toggle(column.name)}
                />
                {column.name}
              </label>
            ))}
            <p class="muted">{strings.device}</p>
            {files}
          </>
        )}
      </Dropdown>
    )
  return { columns: columns.filter(isVisible), hidden, hide, choice }
}
