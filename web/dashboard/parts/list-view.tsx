// A list with filters, a table and a drawer. Events refresh the first page only. A change that the user makes
// in this view refreshes any page, and so does a pending row.

import type { ComponentChildren } from 'preact'
import { appStrings } from '../../copy.ts'
import type { Data, GetPath, PagePath, Params, Query, Row, Schemas } from '../api.ts'
import { count, money } from '../format.ts'
import { useEvents, useThrottled } from '../live.ts'
import {
  type Paged,
  useData,
  usePages,
  usePendingRefresh,
  useRefreshKey,
  useReload,
  useSteadyRefresh,
} from '../loading.ts'
import { closeTo, goTo, hrefOf, type Place } from '../routing.ts'
import type { ViewProps } from '../session.ts'
import { BulkBar } from './bulk.tsx'
import { Link } from './controls.tsx'
import { Detail } from './drawer.tsx'
import { AllColumnsLinks, ExportSelected } from './exports.tsx'
import { type Filter, Filters, filterQuery, withoutFilters } from './filters.tsx'
import type { IconName } from './icons.tsx'
import { useSavedViews } from './saved-views.tsx'
import { Empty, Failed } from './states.tsx'
import {
  type Choosing,
  type Column,
  exportedFields,
  ListTable,
  mayHide,
  type Turning,
  useChosenAmong,
  useColumns,
} from './table.tsx'

type Tools = { refreshKey: number; close: () => void; changed: () => void }

type Props<P extends PagePath, One extends GetPath> = ViewProps & {
  view: string
  icon: IconName
  path: P
  extraQuery?: Query // Query parameters in addition to the filters.
  file?: string // The path of its exports, without an extension.
  summary?: SummaryPath
  caption: string
  columns: readonly Column<Row<P>>[]
  filters?: readonly Filter[]
  keyOf: (row: Row<P>) => string
  isAbout?: RegExp // Event types that refresh the list.
  isPending?: (row: Row<P>) => boolean // Whether the row will change without an event.
  emptyState: {
    title: string
    text: ComponentChildren
    isMadeByApi?: boolean // Shows a link to the API reference.
    sample?: ComponentChildren
  }
  // Always rendered at the same place in the tree, so that an open form in it stays open.
  add?: ComponentChildren | ((changed: () => void) => ComponentChildren)
  isPolled?: boolean // Reloads every few seconds while visible, for changes without events.
  refreshKey?: number // A new value refreshes the list.
  isOldestFirst?: boolean
  choosing?: Choosing<Row<P>>
  // If set, rows can be selected, for these actions and for a CSV file of the selected rows.
  bulk?:
    | {
        nameOf: (row: Row<P>) => string
        sumOf?: (rows: readonly Row<P>[]) => string
        // Cells of export columns that are not fields of the row.
        cells?: (row: Row<P>) => Record<string, string>
        actions?: (rows: readonly Row<P>[], endSelection: () => void) => ComponentChildren
      }
    | undefined
  // The drawer of the open row, which loads the object by its key. A view that needs another drawer renders
  // it with `detail`.
  drawer?: {
    title: string
    path: One
    isLoadedOnce?: boolean // Events and changes do not reload the object.
    show: (item: Data<One>, tools: Tools) => ComponentChildren
    timeline?: (key: string, refreshKey: number) => ComponentChildren
  }
  detail?: (
    view: Tools & { open: string; rows: readonly Row<P>[] | undefined },
  ) => ComponentChildren
}

// The page of a list. A view describes the list with the props above.
export function ListView<P extends PagePath, One extends GetPath>(props: Props<P, One>) {
  const { view, path, filters = [], place, add } = props
  const filtered = filterQuery(filters, place.query)
  const isFiltered = Object.values(filtered).some(Boolean)
  const turning = props.columns.some(({ isOrder }) => isOrder) ? orderOf(view, place) : undefined
  const query = turning?.isOldestFirst ? { ...filtered, order: 'oldest' } : filtered
  const pages = usePages(path, {} as Params<P>, { ...props.extraQuery, ...query })
  const { refreshKey, changed } = useRefreshing(props, pages)
  const close = () => closeTo(hrefOf(view, undefined, place.query))
  const unfiltered = hrefOf(view, undefined, withoutFilters(filters, place.query))
  const { columns, hidden, hide, choice } = useColumns(path, props.columns)
  const views = useSavedViews({ path, view, place, filters, hidden, hide })
  const { selection, choosing } = useSelection(JSON.stringify(query), pages, props)
  const file = props.file ? { path: props.file, query } : undefined
  const fields = exportedFields(columns)
  const tools = (
    <>
      {choice(file && fields && <AllColumnsLinks {...file} />)}
      {views.choice}
    </>
  )
  const isEmptyList = !isFiltered && pages.data?.data.length === 0 && pages.isFirst
  return (
    <>
      {add && <div class="above">{typeof add === 'function' ? add(changed) : add}</div>}
      {filters.length === 0 && !isEmptyList && mayHide(props.columns) && (
        <div class="list-tools">{tools}</div>
      )}
      {filters.length > 0 && (
        <Filters
          {...{ view, filters, tools }}
          query={place.query}
          {...(file ? { file: { ...file, columns: fields } } : {})}
        />
      )}
      {views.notice}
      {props.summary && !isEmptyList && (
        <ListSummary path={props.summary} query={filtered} refreshKey={refreshKey} />
      )}
      {props.bulk && selection.selectedRows.length > 0 && (
        <SelectionBar<P>
          name={view}
          bulk={props.bulk}
          {...{ ...selection, columns, fields, changed }}
        />
      )}
      <ListTable
        caption={props.caption}
        columns={columns}
        {...{ pages, turning, isOldestFirst: props.isOldestFirst }}
        keyOf={props.keyOf}
        hrefOf={(row) => hrefOf(view, props.keyOf(row), place.query)}
        openKey={place.open}
        {...selectionFor(props, choosing)}
        empty={
          <EmptyList
            emptyState={props.emptyState}
            icon={props.icon}
            unfiltered={isFiltered ? unfiltered : ''}
          />
        }
      />
      {place.open !== undefined && (
        <OpenRow
          props={props}
          open={place.open}
          {...{ rows: pages.data?.data, refreshKey, close, changed }}
        />
      )}
    </>
  )
}

// Refreshes the list: an event reloads it on the first page only, a change that the user makes in this view
// on any page. `isAbout` matches the types of the events that concern the list; only users with the scope
// `webhooks:read` get events.
function useRefreshing<P extends PagePath, One extends GetPath>(
  { isAbout, isPending, isPolled, keyOf, session, refreshKey: outerRefreshKey = 0 }: Props<P, One>,
  pages: Paged<Row<P>>,
) {
  const [refreshKey, increaseRefreshKey] = useRefreshKey()
  // Reloads the rows and, by the new key, the open drawer and the summary.
  const changed = () => {
    increaseRefreshKey()
    pages.reload()
  }
  const refresh = useThrottled(() => (pages.isFirst ? changed() : increaseRefreshKey()))
  useReload(outerRefreshKey, changed)
  useSteadyRefresh(() => isPolled && changed())
  const mayListen = isAbout !== undefined && session.scopes.includes('webhooks:read')
  useEvents(({ type }) => isAbout?.test(type) && refresh(), mayListen, refresh)
  const pending = pages.data?.data.filter((row) => isPending?.(row)) ?? []
  usePendingRefresh(pending.map(keyOf).join(' '), pages.reload)
  return { refreshKey, changed }
}

type SelectionBarProps<P extends PagePath> = {
  name: string
  bulk: NonNullable<Props<P, GetPath>['bulk']>
  selectedRows: readonly Row<P>[]
  columns: readonly Column<Row<P>>[]
  fields: readonly string[] | undefined
  clearSelection: () => void
  changed: () => void
}

// The bar over the list while rows are selected: their sum, the actions, and the export.
function SelectionBar<P extends PagePath>(props: SelectionBarProps<P>) {
  const { name, bulk, selectedRows, columns, fields, clearSelection, changed } = props
  const endSelection = () => {
    clearSelection()
    changed()
  }
  const { cells } = bulk
  return (
    <BulkBar count={selectedRows.length} sum={bulk.sumOf?.(selectedRows)} clear={clearSelection}>
      {bulk.actions?.(selectedRows, endSelection)}
      {fields && (
        <ExportSelected
          {...{ name, fields, columns }}
          rows={selectedRows}
          {...(cells ? { cells } : {})}
        />
      )}
    </BulkBar>
  )
}

// A view may select rows in its own way; otherwise they are selected for the bulk actions.
function selectionFor<P extends PagePath, One extends GetPath>(
  { choosing, bulk }: Pick<Props<P, One>, 'bulk' | 'choosing'>,
  bulkSelection: Choosing<Row<P>>,
) {
  if (choosing) return { choosing }
  return bulk ? { choosing: bulkSelection } : {}
}

const NONE: ReadonlyMap<string, never> = new Map<string, never>()

// Stores the selected rows themselves, not their keys, because the selection survives paging. It ends when
// the filters change.
function useSelection<P extends PagePath, One extends GetPath>(
  filterKey: string,
  { data }: { data: { data: Row<P>[] } | undefined },
  { bulk, keyOf }: Pick<Props<P, One>, 'bulk' | 'keyOf'>,
) {
  const [rows, setRows] = useChosenAmong<ReadonlyMap<string, Row<P>>>(filterKey, NONE)
  const choosing: Choosing<Row<P>> = {
    chosen: new Set(rows.keys()),
    choose: (keys) => {
      const listed = (data?.data ?? []).map((row) => [keyOf(row), row] as const)
      setRows(new Map([...rows, ...listed].filter(([key]) => keys.has(key))))
    },
    mayChoose: () => true,
    nameOf: (row) => bulk?.nameOf(row) ?? '',
  }
  const clearSelection = () => setRows(NONE)
  return { selection: { selectedRows: [...rows.values()], clearSelection }, choosing }
}

type EmptyListProps = Pick<Props<PagePath, GetPath>, 'emptyState' | 'icon'> & { unfiltered: string }

// Shown instead of rows. If filters are the reason, it offers to clear them.
function EmptyList({ emptyState, icon, unfiltered }: EmptyListProps) {
  if (unfiltered !== '') {
    return (
      <Empty icon="search" title={appStrings.filters.nothing}>
        <Link href={unfiltered}>{appStrings.filters.clearAll}</Link>
      </Empty>
    )
  }
  return (
    <Empty icon={icon} title={emptyState.title}>
      <p>
        {emptyState.text} {emptyState.isMadeByApi && <a href="/docs">{appStrings.reference}</a>}
      </p>
      {emptyState.sample}
    </Empty>
  )
}

type OpenProps<P extends PagePath, One extends GetPath> = Tools & {
  props: Props<P, One>
  open: string
  rows: readonly Row<P>[] | undefined
}

// The drawer of the open row: the list's own, or one that the view renders.
function OpenRow<P extends PagePath, One extends GetPath>(view: OpenProps<P, One>) {
  const { props, open, refreshKey, close } = view
  const { drawer } = props
  if (!drawer) return <>{props.detail?.(view)}</>
  const [, name = ''] = /{(\w+)}/.exec(drawer.path) ?? [] // The path has exactly one parameter.
  return (
    <Detail
      key={open}
      title={drawer.title}
      path={drawer.path}
      params={{ [name]: open } as Params<One>}
      refreshKey={drawer.isLoadedOnce ? 0 : refreshKey}
      close={close}
      show={(item) => drawer.show(item, view)}
      timeline={drawer.timeline?.(open, refreshKey)}
    />
  )
}

// The order of the list, which is stored in the URL like the filters, and `turn`, which reverses it when the
// user clicks the column.
function orderOf(view: string, { open, query }: Place): Turning {
  const isOldestFirst = query.order === 'oldest'
  const order = isOldestFirst ? undefined : 'oldest'
  const turn = () => goTo(hrefOf(view, open, { ...query, order }), { replace: true })
  return { isOldestFirst, turn }
}

type SummaryPath =
  | '/api/v1/payments/summary'
  | '/api/v1/credits/summary'
  | '/api/v1/accounts/static/summary'
  | '/api/v1/payouts/summary'
  | '/api/v1/operator/payouts/summary'

type Total = Schemas['ListTotal'] | Schemas['PaymentTotal']
type Summary = { count: number; isExact: boolean; totals: Total[] | null }

// The service counts exactly only up to this number.
const COUNTED_MAX = 10_000

// Shows how many items match the filters, and their sum. If the count is not exact, shows no sum.
//
// A failed reload leaves the old summary on the page, so its failure is shown above the summary. If the first
// load fails, there is no summary that could be out of date, and nothing is shown (`problem && data`).
function ListSummary(props: { path: SummaryPath; query: Query; refreshKey: number }) {
  const { path, query, refreshKey } = props
  const { data, problem, reload } = useData(path, {}, query, refreshKey)
  return (
    <>
      {problem && data && <Failed problem={problem} retry={reload} />}
      <p class="summary muted" role="status" aria-label={appStrings.summary.label}>
        {data && <SummaryText summary={data} />}
      </p>
    </>
  )
}

// Says "more than" from the number up to which the service counts, and "at least" if the service stopped
// counting earlier.
function SummaryText({ summary: { count: itemCount, isExact, totals } }: { summary: Summary }) {
  const { items, more, least, narrow, paid } = appStrings.summary
  const number = count(itemCount)
  if (!isExact || !totals) {
    return (
      <>
        <span>{itemCount >= COUNTED_MAX ? more(number) : least(number)}</span>
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
          {amountPaid(total) !== undefined && (
            <span class="muted">{` (${money(amountPaid(total) as number, total.currency)} ${paid})`}</span>
          )}
        </strong>
      ))}
    </>
  )
}

const amountPaid = (total: Total) => ('amountPaid' in total ? total.amountPaid : undefined)
