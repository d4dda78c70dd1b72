// What all lists share: filters, table, drawer. The first page refreshes on events, any page after what
// was changed here and while something on it is pending.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { appStrings } from '../../copy.ts'
import { csvLink, type PagePath, type Params, type Query, type Row } from '../api.ts'
import { useEvents, useThrottled } from '../live.ts'
import { usePages, useReload } from '../loading.ts'
import { closeTo, follow, goTo, hrefOf, type Place } from '../routing.ts'
import { usePendingRefresh } from '../steady-refresh.ts'
import type { ViewProps } from '../view-props.ts'
import { ArchivedNote, isArchivedWindow } from './archived-note.tsx'
import { type Filter, Filters, filterQuery, withoutFilters } from './filters.tsx'
import type { IconName } from './icons.tsx'
import { ListSummary, type SummaryPath } from './list-summary.tsx'
import { Empty } from './states.tsx'
import { type Choosing, type Column, ListTable, type Turning } from './table.tsx'

type Props<P extends PagePath> = ViewProps & {
  view: string
  icon: IconName
  path: P
  params: Params<P>
  also?: Query // What is asked for beside the filters.
  csv?: string
  summary?: SummaryPath // Of what counts and adds up the list.
  caption: string
  columns: readonly Column<Row<P>>[]
  filters?: readonly Filter[]
  keyOf: (row: Row<P>) => string
  isAbout?: RegExp // Event types that refresh the list.
  isPending?: (row: Row<P>) => boolean // It changes without an event.
  none: {
    title: string
    text: ComponentChildren
    isMadeByApi?: boolean // It leads to how.
    sample?: ComponentChildren // What makes some to try things out with.
  }
  add?: ComponentChildren // What makes one. Always at one place: a form that is open in it stays.
  version?: number // Another one refreshes the list.
  isOldestFirst?: boolean // Without a column that turns it round.
  choosing?: Choosing<Row<P>>
  detail: (shown: {
    open: string
    rows: readonly Row<P>[] | undefined // Of the page, when it has loaded.
    version: number
    close: () => void
    changed: () => void // To call when it was changed here.
  }) => ComponentChildren
}

export function ListView<P extends PagePath>(props: Props<P>) {
  const { view, path, filters = [], place, session, isAbout, add } = props
  const filtered = filterQuery(filters, place.query)
  const isFiltered = Object.values(filtered).some(Boolean)
  const turning = props.columns.some(({ isOrder }) => isOrder) ? turningOf(view, place) : undefined
  const asked = turning?.isOldestFirst ? { ...filtered, order: 'oldest' } : filtered
  const pages = usePages(path, props.params, { ...props.also, ...asked })
  const [version, setVersion] = useState(0)
  const bump = () => setVersion((before) => before + 1)
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
          isFiltered ? (
            <Empty icon="search" title={appStrings.filters.nothing}>
              <a href={unfiltered} onClick={follow}>
                {appStrings.filters.clearAll}
              </a>
            </Empty>
          ) : (
            <Empty icon={props.icon} title={props.none.title}>
              <p>
                {props.none.text}{' '}
                {props.none.isMadeByApi && <a href="/docs">{appStrings.reference}</a>}
              </p>
              {props.none.sample}
            </Empty>
          )
        }
      />
      {archivedBefore && isEnd && <ArchivedNote before={archivedBefore} query={filtered} />}
      {place.open !== undefined &&
        props.detail({ open: place.open, rows: pages.data?.data, version, close, changed })}
    </>
  )
}

// The order is kept in the address, as filters are.
function turningOf(view: string, { open, query }: Place): Turning {
  const isOldestFirst = query.order === 'oldest'
  const order = isOldestFirst ? undefined : 'oldest'
  const turn = () => goTo(hrefOf(view, open, { ...query, order }), { replace: true })
  return { isOldestFirst, turn }
}
