// Suspense desk: sums by reason and age, requests awaiting a decision, and the items, to resolve one by one
// or many at once.

import { useEffect, useState } from 'preact/hooks'
import { appStrings, suspenseStrings as strings } from '../../copy.ts'
import { csvLink, type Query } from '../api.ts'
import { humanize } from '../format.ts'
import { useEvents, useThrottled } from '../live.ts'
import { useData, usePage, usePages } from '../loading.ts'
import { useChosenAmong } from '../parts/chosen-rows.ts'
import { Filters, filterQuery, withoutFilters } from '../parts/filters.tsx'
import { Link } from '../parts/link.tsx'
import { MakerCheckerSetting, SETTINGS } from '../parts/maker-checker-setting.tsx'
import { Empty, Failed } from '../parts/states.tsx'
import { BulkBar } from '../parts/suspense-bulk.tsx'
import { toAmount, useSuspenseFilters } from '../parts/suspense-filters.ts'
import type { Item } from '../parts/suspense-form.tsx'
import { ItemDrawer, whyOf } from '../parts/suspense-item.tsx'
import { WaitingRequests } from '../parts/suspense-requests.tsx'
import { SuspenseTotals } from '../parts/suspense-totals.tsx'
import { amountColumn, type Choosing, type Column, ListTable } from '../parts/table.tsx'
import { Time } from '../parts/values.tsx'
import { closeTo, goTo, hrefOf } from '../routing.ts'
import type { ViewProps } from '../view-props.ts'

const PATH = '/api/v1/suspense'
const REQUESTS = `${PATH}/requests`
const STATES = ['open', 'assigned', 'returning', 'returned', 'reversed']
const LOOK_AGAIN_MS = 15_000 // Requests of colleagues raise no event.

const COLUMNS: readonly Column<Item>[] = [
  {
    name: strings.payer,
    place: 'lead',
    show: ({ sourceAccountName }) => sourceAccountName ?? strings.unnamed,
  },
  {
    name: strings.payerNumber,
    show: ({ sourceAccountNumberMasked: masked }) => <code>{masked}</code>,
  },
  { name: strings.why, place: 'second', show: ({ reason }) => whyOf(reason) },
  { name: strings.number, show: ({ accountNumber }) => <code>{accountNumber}</code> },
  { name: strings.since, show: ({ openedAt }) => <Time at={openedAt} /> },
  {
    name: strings.age,
    place: 'time',
    show: ({ ageSeconds, openedAt }) => (
      <time dateTime={openedAt}>{strings.ageOf(ageSeconds)}</time>
    ),
  },
  amountColumn(strings.amount),
]

export default function Suspense({ session, place }: ViewProps) {
  const state = STATES.includes(place.query.state ?? '') ? (place.query.state as string) : 'open'
  const filters = useSuspenseFilters()
  const filtered = filterQuery(filters, place.query)
  const isFiltered = Object.entries(filtered).some(([name, value]) => value && name !== 'order')
  const { order, ...which } = withAmounts({ ...filtered, state })
  const pages = usePages(PATH, {}, { ...which, order })
  const settings = useData(SETTINGS, {})
  const waiting = useWaiting()
  const { version, changed, refresh } = useRefreshing(pages, [waiting, settings])
  const mayListen = session.scopes.includes('webhooks:read')
  useEvents(({ type }) => /^(?:credit|payment)\./.test(type) && refresh(), mayListen, refresh)
  const isMakerChecker = settings.data?.makerChecker ?? false
  const requests = waiting.data?.data ?? []
  const mayPick = state === 'open' && session.scopes.includes('suspense:write')
  const { picked, choosing, drop } = useChoosing(JSON.stringify(which), pages)
  return (
    <>
      {settings.problem && <Failed problem={settings.problem} retry={settings.reload} />}
      <WaitingRequests requests={requests.filter(({ itemId }) => itemId !== null)} />
      <SuspenseTotals asked={which} version={version} query={place.query} />
      <States chosen={state} query={place.query} />
      <Filters
        view="suspense"
        filters={filters}
        query={place.query}
        csv={csvLink(`${PATH}.csv`, { ...which, order })}
      />
      {mayPick && settings.data && picked.length > 0 && (
        <BulkBar
          items={picked}
          isMakerChecker={isMakerChecker}
          mayType={session.role === 'operator'}
          clear={drop}
          done={changed}
        />
      )}
      <ListTable
        caption={appStrings.views.suspense}
        columns={COLUMNS}
        pages={pages}
        keyOf={({ id }) => `${id}`}
        hrefOf={({ id }) => hrefOf('suspense', `${id}`, place.query)}
        openKey={place.open}
        {...(mayPick ? { choosing } : {})}
        empty={<Nothing isFiltered={isFiltered} query={withoutFilters(filters, place.query)} />}
      />
      {settings.data && (
        <MakerCheckerSetting
          isOn={isMakerChecker}
          session={session}
          request={requests.find(({ itemId }) => itemId === null)}
          changed={() => [settings, waiting].forEach(({ reload }) => void reload())}
        />
      )}
      {place.open !== undefined && settings.data && (
        <ItemDrawer
          key={place.open}
          id={place.open}
          {...{ session, isMakerChecker, version }}
          close={() => closeTo(hrefOf('suspense', undefined, place.query))}
          changed={changed}
        />
      )}
    </>
  )
}

type Reloaded = { reload: () => void }

// Events refresh only the first page; changes made here refresh any.
function useRefreshing(pages: Reloaded & { isFirst: boolean }, others: readonly Reloaded[]) {
  const [version, setVersion] = useState(0)
  const reloadOthers = () => {
    setVersion((before) => before + 1)
    for (const { reload } of others) reload()
  }
  const changed = () => {
    reloadOthers()
    pages.reload()
  }
  const refresh = useThrottled(() => (pages.isFirst ? changed() : reloadOthers()))
  return { version, changed, refresh }
}

function useWaiting() {
  const waiting = usePage(REQUESTS, { state: 'open', limit: '100' })
  useEffect(() => {
    const timer = window.setInterval(() => !document.hidden && waiting.reload(), LOOK_AGAIN_MS)
    return () => window.clearInterval(timer)
  }, [waiting.reload])
  return waiting
}

function withAmounts(query: Query): Query {
  const { minAmount, maxAmount } = query
  return { ...query, minAmount: toAmount(minAmount), maxAmount: toAmount(maxAmount) }
}

const NONE: ReadonlyMap<string, Item> = new Map()

function useChoosing(asked: string, { data }: { data?: { data: readonly Item[] } | undefined }) {
  const [items, keep] = useChosenAmong(asked, NONE)
  const choose = (keys: ReadonlySet<string>) => {
    const known = new Map([
      ...items,
      ...(data?.data ?? []).map((row) => [`${row.id}`, row] as const),
    ])
    keep(new Map([...known].filter(([key]) => keys.has(key))))
  }
  const choosing: Choosing<Item> = {
    chosen: new Set(items.keys()),
    choose,
    mayChoose: () => true,
    nameOf: ({ sourceAccountName }) => sourceAccountName ?? strings.unnamed,
  }
  return { picked: [...items.values()], choosing, drop: () => keep(NONE) }
}

function Nothing({ isFiltered, query }: { isFiltered: boolean; query: Query }) {
  if (!isFiltered) {
    return <Empty icon="suspense" title={strings.none} text={strings.noneText} />
  }
  return (
    <Empty icon="search" title={appStrings.filters.nothing}>
      <Link href={hrefOf('suspense', undefined, query)}>{appStrings.filters.clearAll}</Link>
    </Empty>
  )
}

function States({ chosen, query }: { chosen: string; query: Query }) {
  return (
    <fieldset class="segments states">
      <legend class="hidden">{strings.state}</legend>
      {STATES.map((state) => (
        <button
          key={state}
          type="button"
          aria-pressed={state === chosen}
          onClick={() => {
            const shown = state === 'open' ? undefined : state
            goTo(hrefOf('suspense', undefined, { ...query, state: shown }))
          }}
        >
          {humanize(state)}
        </button>
      ))}
    </fieldset>
  )
}
