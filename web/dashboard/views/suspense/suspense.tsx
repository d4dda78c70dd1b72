// The suspense desk: sums by reason and age, requests that await a decision, and the items. Users resolve
// items one by one or many at once.

import { useEffect, useState } from 'preact/hooks'
import { appStrings, suspenseStrings as strings } from '../../../copy.ts'
import type { Query, Schemas } from '../../api.ts'
import { count, humanize, money } from '../../format.ts'
import { useEvents, useThrottled } from '../../live.ts'
import { useData, usePage, usePages } from '../../loading.ts'
import { Link } from '../../parts/controls.tsx'
import { type Filter, Filters, filterQuery, withoutFilters } from '../../parts/filters.tsx'
import { Empty, Failed, Skeleton } from '../../parts/states.tsx'
import {
  amountColumn,
  type Choosing,
  type Column,
  ListTable,
  useChosenAmong,
} from '../../parts/table.tsx'
import { Money, Time, useBanks } from '../../parts/values.tsx'
import { closeTo, goTo, hrefOf } from '../../routing.ts'
import type { ViewProps } from '../../session.ts'
import { SuspenseBulk } from './suspense-bulk.tsx'
import type { Item } from './suspense-form.tsx'
import { ItemDrawer, reasonText } from './suspense-item.tsx'
import { MakerCheckerSetting, SETTINGS, WaitingRequests } from './suspense-requests.tsx'

const PATH = '/api/v1/suspense'
const REQUESTS = `${PATH}/requests`
const STATES = ['open', 'assigned', 'returning', 'returned', 'reversed']
const POLL_MS = 15_000 // Requests of other users raise no event.

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
  { name: strings.why, place: 'second', show: ({ reason }) => reasonText(reason) },
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
  const { order, ...listQuery } = normaliseAmounts({ ...filtered, state })
  const pages = usePages(PATH, {}, { ...listQuery, order })
  const settings = useData(SETTINGS, {})
  const openRequests = useOpenRequests()
  const { refreshKey, changed, refresh } = useRefreshing(pages, [openRequests, settings])
  const mayListen = session.scopes.includes('webhooks:read')
  useEvents(({ type }) => /^(?:credit|payment)\./.test(type) && refresh(), mayListen, refresh)
  const isMakerChecker = settings.data?.makerChecker ?? false
  const requests = openRequests.data?.data ?? []
  const maySelect = state === 'open' && session.scopes.includes('suspense:write')
  const { selectedItems, choosing, clearSelection } = useSelection(JSON.stringify(listQuery), pages)
  return (
    <>
      {settings.problem && <Failed problem={settings.problem} retry={settings.reload} />}
      <WaitingRequests requests={requests.filter(({ itemId }) => itemId !== null)} />
      <SuspenseTotals filters={listQuery} refreshKey={refreshKey} query={place.query} />
      <StateFilter chosen={state} query={place.query} />
      <Filters
        view="suspense"
        filters={filters}
        query={place.query}
        file={{ path: PATH, query: { ...listQuery, order } }}
      />
      {maySelect && settings.data && selectedItems.length > 0 && (
        <SuspenseBulk
          items={selectedItems}
          isMakerChecker={isMakerChecker}
          mayType={session.role === 'operator'}
          clear={clearSelection}
          onDone={changed}
        />
      )}
      <ListTable
        caption={appStrings.views.suspense}
        columns={COLUMNS}
        pages={pages}
        keyOf={({ id }) => `${id}`}
        hrefOf={({ id }) => hrefOf('suspense', `${id}`, place.query)}
        openKey={place.open}
        {...(maySelect ? { choosing } : {})}
        empty={<EmptyDesk isFiltered={isFiltered} query={withoutFilters(filters, place.query)} />}
      />
      {settings.data && (
        <MakerCheckerSetting
          isOn={isMakerChecker}
          session={session}
          request={requests.find(({ itemId }) => itemId === null)}
          changed={() => [settings, openRequests].forEach(({ reload }) => void reload())}
        />
      )}
      {place.open !== undefined && settings.data && (
        <ItemDrawer
          key={place.open}
          id={place.open}
          {...{ session, isMakerChecker, refreshKey }}
          close={() => closeTo(hrefOf('suspense', undefined, place.query))}
          changed={changed}
        />
      )}
    </>
  )
}

type Reloaded = { reload: () => void }

// Refreshes the desk: an event reloads the items on the first page only, a change that the user makes in
// this view on any page.
function useRefreshing(pages: Reloaded & { isFirst: boolean }, otherData: readonly Reloaded[]) {
  const [refreshKey, setRefreshKey] = useState(0)
  // Reloads everything on the page except the list itself.
  const reloadOtherData = () => {
    setRefreshKey((previous) => previous + 1)
    for (const { reload } of otherData) reload()
  }
  // Reloads everything after a change that the user made here.
  const changed = () => {
    reloadOtherData()
    pages.reload()
  }
  const refresh = useThrottled(() => (pages.isFirst ? changed() : reloadOtherData()))
  return { refreshKey, changed, refresh }
}

// The open requests, read again every 15 seconds.
function useOpenRequests() {
  const openRequests = usePage(REQUESTS, { state: 'open', limit: '100' })
  useEffect(() => {
    const timer = window.setInterval(() => !document.hidden && openRequests.reload(), POLL_MS)
    return () => window.clearInterval(timer)
  }, [openRequests.reload])
  return openRequests
}

// The amounts as the API accepts them, which users type with commas or a currency sign.
function normaliseAmounts(query: Query): Query {
  const { minAmount, maxAmount } = query
  return { ...query, minAmount: toAmount(minAmount), maxAmount: toAmount(maxAmount) }
}

const NONE: ReadonlyMap<string, Item> = new Map()

// Stores the selected items themselves, not their keys, because the selection survives paging. It ends when
// the filters change.
function useSelection(
  filterKey: string,
  { data }: { data?: { data: readonly Item[] } | undefined },
) {
  const [items, setItems] = useChosenAmong(filterKey, NONE)
  // Takes the rows of the selected keys from the earlier selection or the current page.
  const choose = (keys: ReadonlySet<string>) => {
    const candidates = new Map([
      ...items,
      ...(data?.data ?? []).map((row) => [`${row.id}`, row] as const),
    ])
    setItems(new Map([...candidates].filter(([key]) => keys.has(key))))
  }
  const choosing: Choosing<Item> = {
    chosen: new Set(items.keys()),
    choose,
    mayChoose: () => true,
    nameOf: ({ sourceAccountName }) => sourceAccountName ?? strings.unnamed,
  }
  return { selectedItems: [...items.values()], choosing, clearSelection: () => setItems(NONE) }
}

// `query` is the URL’s query without the filters.
function EmptyDesk({ isFiltered, query }: { isFiltered: boolean; query: Query }) {
  if (!isFiltered) {
    return <Empty icon="suspense" title={strings.none} text={strings.noneText} />
  }
  return (
    <Empty icon="search" title={appStrings.filters.nothing}>
      <Link href={hrefOf('suspense', undefined, query)}>{appStrings.filters.clearAll}</Link>
    </Empty>
  )
}

// Open items are the default, so that state is not in the URL.
function StateFilter({ chosen, query }: { chosen: string; query: Query }) {
  return (
    <fieldset class="segments states">
      <legend class="hidden">{strings.state}</legend>
      {STATES.map((state) => (
        <button
          key={state}
          type="button"
          aria-pressed={state === chosen}
          onClick={() => {
            const filter = state === 'open' ? undefined : state
            goTo(hrefOf('suspense', undefined, { ...query, state: filter }))
          }}
        >
          {humanize(state)}
        </button>
      ))}
    </fieldset>
  )
}

// The filters of the desk. The choice of banks is empty until their names have loaded.
function useSuspenseFilters(): readonly Filter[] {
  const banks = useBanks()
  return [
    { name: 'reason', label: strings.filterReason, choices: strings.reasons },
    { name: 'bankCode', label: strings.bank, choices: banks },
    {
      ...{ name: 'order', label: strings.order },
      ...{ choices: strings.orders, unset: strings.newestFirst },
    },
    { name: 'age', label: strings.age, choices: strings.ages },
    { name: 'minAmount', label: strings.minAmount, placeholder: '0.00' },
    { name: 'maxAmount', label: strings.maxAmount, placeholder: '0.00' },
  ]
}

// Removes separators and the currency sign, so that the API accepts 1,000 and ₦1000.
function toAmount(text: string | undefined): string | undefined {
  return text?.replaceAll(/[₦,\s]/g, '')
}

type Total = Schemas['SuspenseTotal']

// The sums of the items that match the filters, not of one item.
const ONE = `${PATH}/summary`

// The sums of the filtered items by reason and by age, each a link that filters further. `filters` are the
// filters as the API takes them, `query` is the query of the URL.
function SuspenseTotals(props: { filters: Query; refreshKey: number; query: Query }) {
  const { filters, refreshKey, query } = props
  const { data, problem, reload } = useData(ONE, {}, filters, refreshKey)
  const failed = problem && <Failed problem={problem} retry={reload} />
  if (!data) return failed ?? <Skeleton kind="stats" lines={2} />
  if (data.totals.length === 0) return failed ?? null
  const linkTo = (extraQuery: Query) => hrefOf('suspense', undefined, { ...query, ...extraQuery })
  return (
    <section class="card suspense-totals" aria-labelledby="suspense-totals">
      <header class="card-top">
        <h2 id="suspense-totals">{strings.totals}</h2>
        <p class="suspense-total">{data.totals.map((total) => totalText(total)).join(' + ')}</p>
      </header>
      {failed}
      {!data.isComplete && <p class="notice">{strings.tooMany}</p>}
      <div class="suspense-parts">
        <TotalsTable
          title={strings.byReason}
          parts={data.byReason.map((part) => ({
            ...part,
            name: reasonText(part.reason),
            href: linkTo({ reason: part.reason }),
          }))}
        />
        <TotalsTable
          title={strings.byAge}
          parts={data.byAge.map((part) => ({
            ...part,
            name: strings.ages[part.age],
            href: linkTo({ age: part.age }),
          }))}
        />
      </div>
    </section>
  )
}

function totalText({ count: items, amount, currency }: Total): string {
  return strings.sumOf(count(items), items === 1, money(amount, currency))
}

type Part = Total & { name: string; href: string }

function TotalsTable({ title, parts }: { title: string; parts: readonly Part[] }) {
  return (
    <table>
      <caption>{title}</caption>
      <thead class="hidden">
        <tr>
          <th scope="col">{title}</th>
          <th scope="col">{strings.items}</th>
          <th scope="col">{strings.amount}</th>
        </tr>
      </thead>
      <tbody>
        {parts.map(({ name, href, count: items, amount, currency }) => (
          <tr key={`${name} ${currency}`}>
            <th scope="row">
              <Link href={href}>{name}</Link>
            </th>
            <td>{count(items)}</td>
            <td>
              <Money amount={amount} currency={currency} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
