// A list with filters, a table and a drawer. Events refresh the first page only. A change that the user makes
// in this view refreshes any page, and so does a pending row.

import type { ComponentChildren } from 'preact'
import { appStrings } from '../../copy.ts'
import {
  type Data,
  type GetPath,
  getData,
  type PagePath,
  type Params,
  type Query,
  type Row,
  type Schemas,
} from '../api.ts'
import { count, money } from '../format.ts'
import { useEvents, useThrottled } from '../live.ts'
import { type Paged, useLoaded, usePages, useReload } from '../loading.ts'
import { closeTo, goTo, hrefOf, type Place } from '../routing.ts'
import { usePendingRefresh, useSteadyRefresh, useVersion } from '../steady-refresh.ts'
import type { ViewProps } from '../view-props.ts'
import { BulkBar } from './bulk.tsx'
import { mayHide, useColumns } from './column-choice.tsx'
import { Detail } from './drawer.tsx'
import { AllColumnsLinks } from './export-links.tsx'
import { ExportSelected } from './export-selected.tsx'
import { type Filter, Filters, filterQuery, withoutFilters } from './filters.tsx'
import type { IconName } from './icons.tsx'
import { Link } from './link.tsx'
import { useSavedViews } from './saved-views.tsx'
import { Empty, Failed } from './states.tsx'
import {
  type Choosing,
  type Column,
  exportedFields,
  ListTable,
  type Turning,
  useChosenAmong,
} from './table.tsx'

type Tools = { version: number; close: () => void; changed: () => void }

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
  version?: number // A new version refreshes the list.
  isOldestFirst?: boolean
  choosing?: Choosing<Row<P>>
  // If set, rows can be selected, for these actions and for a CSV file of the selected rows.
  bulk?:
    | {
        nameOf: (row: Row<P>) => string
        sumOf?: (rows: readonly Row<P>[]) => string
        // Cells of export columns that are not fields of the row.
        cells?: (row: Row<P>) => Record<string, string>
        actions?: (rows: readonly Row<P>[], end: () => void) => ComponentChildren
      }
    | undefined
  // The drawer of the open row, which loads the object by its key. A view that needs another drawer renders
  // it with `detail`.
  drawer?: {
    title: string
    path: One
    isFixed?: boolean // Loads the object only once.
    show: (item: Data<One>, tools: Tools) => ComponentChildren
    timeline?: (key: string, version: number) => ComponentChildren
  }
  detail?: (
    view: Tools & { open: string; rows: readonly Row<P>[] | undefined },
  ) => ComponentChildren
}

export function ListView<P extends PagePath, One extends GetPath>(props: Props<P, One>) {
  const { view, path, filters = [], place, add } = props
  const filtered = filterQuery(filters, place.query)
  const isFiltered = Object.values(filtered).some(Boolean)
  const turning = props.columns.some(({ isOrder }) => isOrder) ? turningOf(view, place) : undefined
  const query = turning?.isOldestFirst ? { ...filtered, order: 'oldest' } : filtered
  const pages = usePages(path, {} as Params<P>, { ...props.extraQuery, ...query })
  const { version, changed } = useRefreshing(props, pages)
  const close = () => closeTo(hrefOf(view, undefined, place.query))
  const unfiltered = hrefOf(view, undefined, withoutFilters(filters, place.query))
  const { columns, hidden, hide, choice } = useColumns(path, props.columns)
  const views = useSavedViews({ path, view, place, filters, hidden, hide })
  const { picked, choosing, drop } = useChoosing(JSON.stringify(query), pages, props)
  const file = props.file ? { path: props.file, query } : undefined
  const fields = exportedFields(columns)
  const tools = (
    <>
      {choice(file && fields && <AllColumnsLinks {...file} />)}
      {views.choice}
    </>
  )
  const isNone = !isFiltered && pages.data?.data.length === 0 && pages.isFirst
  return (
    <>
      {add && <div class="above">{typeof add === 'function' ? add(changed) : add}</div>}
      {filters.length === 0 && !isNone && mayHide(props.columns) && (
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
      {props.summary && !isNone && (
        <ListSummary path={props.summary} query={filtered} version={version} />
      )}
      {props.bulk && picked.length > 0 && (
        <Selected<P>
          name={view}
          bulk={props.bulk}
          {...{ picked, columns, fields, drop, changed }}
        />
      )}
      <ListTable
        caption={props.caption}
        columns={columns}
        {...{ pages, turning, isOldestFirst: props.isOldestFirst }}
        keyOf={props.keyOf}
        hrefOf={(row) => hrefOf(view, props.keyOf(row), place.query)}
        openKey={place.open}
        {...choosingOf(props, choosing)}
        empty={
          <Nothing
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
          {...{ rows: pages.data?.data, version, close, changed }}
        />
      )}
    </>
  )
}

// Events refresh the first page only. Changes that the user makes in this view refresh any page.
function useRefreshing<P extends PagePath, One extends GetPath>(
  { isAbout, isPending, isPolled, keyOf, session, version: outer = 0 }: Props<P, One>,
  pages: Paged<Row<P>>,
) {
  const [version, bump] = useVersion()
  const changed = () => {
    bump()
    pages.reload()
  }
  const refresh = useThrottled(() => (pages.isFirst ? changed() : bump()))
  useReload(outer, changed)
  useSteadyRefresh(() => isPolled && changed())
  const mayListen = isAbout !== undefined && session.scopes.includes('webhooks:read')
  useEvents(({ type }) => isAbout?.test(type) && refresh(), mayListen, refresh)
  const pending = pages.data?.data.filter((row) => isPending?.(row)) ?? []
  usePendingRefresh(pending.map(keyOf).join(' '), pages.reload)
  return { version, changed }
}

type SelectedProps<P extends PagePath> = {
  name: string
  bulk: NonNullable<Props<P, GetPath>['bulk']>
  picked: readonly Row<P>[]
  columns: readonly Column<Row<P>>[]
  fields: readonly string[] | undefined
  drop: () => void
  changed: () => void
}

function Selected<P extends PagePath>(props: SelectedProps<P>) {
  const { name, bulk, picked, columns, fields, drop, changed } = props
  const end = () => {
    drop()
    changed()
  }
  const { cells } = bulk
  return (
    <BulkBar count={picked.length} sum={bulk.sumOf?.(picked)} clear={drop}>
      {bulk.actions?.(picked, end)}
      {fields && (
        <ExportSelected
          {...{ name, fields, columns }}
          rows={picked}
          {...(cells ? { cells } : {})}
        />
      )}
    </BulkBar>
  )
}

function choosingOf<P extends PagePath, One extends GetPath>(
  { choosing, bulk }: Pick<Props<P, One>, 'bulk' | 'choosing'>,
  ofBulk: Choosing<Row<P>>,
) {
  if (choosing) return { choosing }
  return bulk ? { choosing: ofBulk } : {}
}

const NONE: ReadonlyMap<string, never> = new Map<string, never>()

// Keeps the selected rows themselves, because the selection survives paging.
function useChoosing<P extends PagePath, One extends GetPath>(
  filterKey: string,
  { data }: { data: { data: Row<P>[] } | undefined },
  { bulk, keyOf }: Pick<Props<P, One>, 'bulk' | 'keyOf'>,
) {
  const [rows, keep] = useChosenAmong<ReadonlyMap<string, Row<P>>>(filterKey, NONE)
  const choosing: Choosing<Row<P>> = {
    chosen: new Set(rows.keys()),
    choose: (keys) => {
      const listed = (data?.data ?? []).map((row) => [keyOf(row), row] as const)
      keep(new Map([...rows, ...listed].filter(([key]) => keys.has(key))))
    },
    mayChoose: () => true,
    nameOf: (row) => bulk?.nameOf(row) ?? '',
  }
  return { picked: [...rows.values()], choosing, drop: () => keep(NONE) }
}

type NothingProps = Pick<Props<PagePath, GetPath>, 'emptyState' | 'icon'> & { unfiltered: string }

function Nothing({ emptyState, icon, unfiltered }: NothingProps) {
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

function OpenRow<P extends PagePath, One extends GetPath>(view: OpenProps<P, One>) {
  const { props, open, version, close } = view
  const { drawer } = props
  if (!drawer) return <>{props.detail?.(view)}</>
  const [, name = ''] = /{(\w+)}/.exec(drawer.path) ?? [] // The path has exactly one parameter.
  return (
    <Detail
      key={open}
      title={drawer.title}
      path={drawer.path}
      params={{ [name]: open } as Params<One>}
      version={drawer.isFixed ? 0 : version}
      close={close}
      show={(item) => drawer.show(item, view)}
      timeline={drawer.timeline?.(open, version)}
    />
  )
}

// The sort order is stored in the URL, like the filters.
function turningOf(view: string, { open, query }: Place): Turning {
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

type SummaryPathProps = { path: SummaryPath; query: Query; version: number }

// Shows how many items match the filters, and their sum. If the count is not exact, shows no sum.
function ListSummary({ path, query, version }: SummaryPathProps) {
  const { data, problem, reload } = useLoaded(JSON.stringify([path, query]), (signal) =>
    getData(path, {}, { query, signal }),
  )
  useReload(version, reload)
  return (
    <>
      {problem && data && <Failed problem={problem} retry={reload} />}
      <p class="summary muted" role="status" aria-label={appStrings.summary.label}>
        {data && <Text summary={data} />}
      </p>
    </>
  )
}

function Text({ summary: { count: found, isExact, totals } }: { summary: Summary }) {
  const { items, more, least, narrow, paid } = appStrings.summary
  const number = count(found)
  if (!isExact || !totals) {
    return (
      <>
        <span>{found >= COUNTED_MAX ? more(number) : least(number)}</span>
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
          {paidOf(total) !== undefined && (
            <span class="muted">{` (${money(paidOf(total) as number, total.currency)} ${paid})`}</span>
          )}
        </strong>
      ))}
    </>
  )
}

const paidOf = (total: Total) => ('amountPaid' in total ? total.amountPaid : undefined)
