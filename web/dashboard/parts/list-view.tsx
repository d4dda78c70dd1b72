// A list with filters, a table and a drawer. The first page refreshes on events; every page refreshes after
// a change made here, and while a row is pending.

import type { ComponentChildren } from 'preact'
import { appStrings } from '../../copy.ts'
import {
  csvLink,
  type Data,
  type GetPath,
  type PagePath,
  type Params,
  type Query,
  type Row,
} from '../api.ts'
import { useEvents, useThrottled } from '../live.ts'
import { usePages, useReload } from '../loading.ts'
import { closeTo, goTo, hrefOf, type Place } from '../routing.ts'
import { usePendingRefresh, useVersion } from '../steady-refresh.ts'
import type { ViewProps } from '../view-props.ts'
import { ArchivedNote, isArchivedWindow } from './archived-note.tsx'
import { Detail } from './detail.tsx'
import { type Filter, Filters, filterQuery, withoutFilters } from './filters.tsx'
import type { IconName } from './icons.tsx'
import { Link } from './link.tsx'
import { ListSummary, type SummaryPath } from './list-summary.tsx'
import { Empty } from './states.tsx'
import { type Choosing, type Column, ListTable, type Turning } from './table.tsx'

type Tools = { version: number; close: () => void; changed: () => void }

type Props<P extends PagePath, One extends GetPath> = ViewProps & {
  view: string
  icon: IconName
  path: P
  also?: Query // Beside the filters.
  csv?: string
  summary?: SummaryPath
  caption: string
  columns: readonly Column<Row<P>>[]
  filters?: readonly Filter[]
  keyOf: (row: Row<P>) => string
  isAbout?: RegExp // Event types that refresh the list.
  isPending?: (row: Row<P>) => boolean // The row changes without an event.
  none: {
    title: string
    text: ComponentChildren
    isMadeByApi?: boolean // Links to the API reference.
    sample?: ComponentChildren
  }
  add?: ComponentChildren // Always in the same place, so that a form open in it stays open.
  version?: number // A new one refreshes the list.
  isOldestFirst?: boolean
  choosing?: Choosing<Row<P>>
  // The drawer of the open row: loaded by the key, or drawn by `detail`.
  one?: {
    title: string
    path: One
    isFixed?: boolean // Loaded once.
    show: (item: Data<One>, tools: Tools) => ComponentChildren
    timeline?: (key: string, version: number) => ComponentChildren
  }
  detail?: (
    view: Tools & { open: string; rows: readonly Row<P>[] | undefined },
  ) => ComponentChildren
}

export function ListView<P extends PagePath, One extends GetPath>(props: Props<P, One>) {
  const { view, path, filters = [], place, session, isAbout, add } = props
  const filtered = filterQuery(filters, place.query)
  const isFiltered = Object.values(filtered).some(Boolean)
  const turning = props.columns.some(({ isOrder }) => isOrder) ? turningOf(view, place) : undefined
  const asked = turning?.isOldestFirst ? { ...filtered, order: 'oldest' } : filtered
  const pages = usePages(path, {} as Params<P>, { ...props.also, ...asked })
  const [version, bump] = useVersion()
  const changed = () => {
    bump()
    pages.reload()
  }
  const refresh = useThrottled(() => (pages.isFirst ? changed() : bump()))
  useReload(props.version ?? 0, changed)
  const mayListen = isAbout !== undefined && session.scopes.includes('webhooks:read')
  useEvents(({ type }) => isAbout?.test(type) && refresh(), mayListen, refresh)
  const pending = pages.data?.data.filter((row) => props.isPending?.(row)) ?? []
  usePendingRefresh(pending.map(props.keyOf).join(' '), pages.reload)
  const close = () => closeTo(hrefOf(view, undefined, place.query))
  const unfiltered = hrefOf(view, undefined, withoutFilters(filters, place.query))
  const archivedBefore = pages.data?.archivedBefore
  const isEnd = turning?.isOldestFirst ? pages.isFirst : pages.data?.hasMore === false
  const csv = archivedBefore && isArchivedWindow(archivedBefore, filtered) ? undefined : props.csv
  const isNone = !isFiltered && pages.data?.data.length === 0 && pages.isFirst
  return (
    <>
      {add && <div class="above">{add}</div>}
      {filters.length > 0 && (
        <Filters
          view={view}
          filters={filters}
          query={place.query}
          {...(csv ? { csv: csvLink(csv, asked) } : {})}
        />
      )}
      {props.summary && !isNone && (
        <ListSummary path={props.summary} query={filtered} version={version} />
      )}
      <ListTable
        caption={props.caption}
        columns={props.columns}
        {...{ pages, turning, isOldestFirst: props.isOldestFirst }}
        keyOf={props.keyOf}
        hrefOf={(row) => hrefOf(view, props.keyOf(row), place.query)}
        openKey={place.open}
        {...(props.choosing ? { choosing: props.choosing } : {})}
        empty={
          <Nothing none={props.none} icon={props.icon} unfiltered={isFiltered ? unfiltered : ''} />
        }
      />
      {archivedBefore && isEnd && <ArchivedNote before={archivedBefore} query={filtered} />}
      {place.open !== undefined && (
        <OpenRow
          props={props}
          open={place.open}
          rows={pages.data?.data}
          {...{ version, close, changed }}
        />
      )}
    </>
  )
}

type NothingProps = Pick<Props<PagePath, GetPath>, 'none' | 'icon'> & { unfiltered: string }

function Nothing({ none, icon, unfiltered }: NothingProps) {
  if (unfiltered !== '') {
    return (
      <Empty icon="search" title={appStrings.filters.nothing}>
        <Link href={unfiltered}>{appStrings.filters.clearAll}</Link>
      </Empty>
    )
  }
  return (
    <Empty icon={icon} title={none.title}>
      <p>
        {none.text} {none.isMadeByApi && <a href="/docs">{appStrings.reference}</a>}
      </p>
      {none.sample}
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
  const { one } = props
  if (!one) return <>{props.detail?.(view)}</>
  const [, name = ''] = /{(\w+)}/.exec(one.path) ?? [] // The only parameter of the path.
  return (
    <Detail
      key={open}
      title={one.title}
      path={one.path}
      params={{ [name]: open } as Params<One>}
      version={one.isFixed ? 0 : version}
      close={close}
      show={(item) => one.show(item, view)}
      timeline={one.timeline?.(open, version)}
    />
  )
}

// The order is in the address, like the filters.
function turningOf(view: string, { open, query }: Place): Turning {
  const isOldestFirst = query.order === 'oldest'
  const order = isOldestFirst ? undefined : 'oldest'
  const turn = () => goTo(hrefOf(view, open, { ...query, order }), { replace: true })
  return { isOldestFirst, turn }
}
