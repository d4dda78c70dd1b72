// Loads a view's data, reloads it on request, and aborts when the user leaves the view. Data stays visible
// during a reload. Sends one request at a time: a reload requested during a request runs after it.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import {
  type Data,
  type GetPath,
  getData,
  getPage,
  type Page,
  type PagePath,
  type Params,
  type Problem,
  problemFrom,
  type Query,
  type Row,
} from './api.ts'
import { useKept } from './routing.ts'

export type Loaded<Data> = {
  data: Data | undefined
  problem: Problem | undefined
  isLoading: boolean
  reload: () => void
}

export type Removable<Data> = Loaded<Data> & {
  // Stops loading while `work` removes the object. If the work fails, loads again.
  remove: (work: () => Promise<unknown>) => Promise<void>
}

// A request in flight. `isDue`: a reload was requested meanwhile. `isAborted`: its response is ignored.
type ActiveLoad = { controller: AbortController; isDue: boolean; isAborted: boolean }

// Stops a request whose response nobody needs any more.
function abortLoad(
  activeLoad: { current: ActiveLoad | undefined },
  load: ActiveLoad | undefined,
): void {
  if (!load) return
  load.isAborted = true
  load.controller.abort()
  if (activeLoad.current === load) activeLoad.current = undefined
}

// Loads data with `load`, and loads again when `key` changes; a response for an earlier key is dropped. A new
// `refreshKey` reloads the data, which stay visible meanwhile.
export function useLoaded<Data>(
  key: string,
  load: (signal: AbortSignal) => Promise<Data>,
  refreshKey = 0,
): Removable<Data> {
  type State = { key: string; data?: Data; problem?: Problem; isLoading: boolean }
  const [state, setState] = useState<State>({ key, isLoading: true })
  const [round, setRound] = useState(0)
  const latest = useRef(load)
  latest.current = load
  const activeLoad = useRef<ActiveLoad | undefined>(undefined)
  const isRemoved = useRef(false)
  useEffect(() => {
    if (isRemoved.current) return
    const current: ActiveLoad = {
      controller: new AbortController(),
      isDue: false,
      isAborted: false,
    }
    activeLoad.current = current
    setState((previous) =>
      previous.key === key ? { ...previous, isLoading: true } : { key, isLoading: true },
    )
    // Shows the result of this load, and starts the reload that was requested meanwhile.
    const finishLoad = (change: (previous: State) => State) => {
      if (current.isAborted) return
      activeLoad.current = undefined
      setState(change)
      if (current.isDue) setRound((previous) => previous + 1)
    }
    latest.current(current.controller.signal).then(
      (data) => finishLoad(() => ({ key, data, isLoading: false })),
      (error) => {
        const problem = problemFrom(error)
        finishLoad((previous) => ({
          ...(previous.key === key ? previous : { key }),
          problem,
          isLoading: false,
        }))
      },
    )
    return () => abortLoad(activeLoad, current)
  }, [key, round])
  // The current response may be stale, so another request follows it. Aborting the current request instead
  // would show no data at all while events come faster than responses.
  const reload = useCallback(() => {
    if (activeLoad.current) activeLoad.current.isDue = true
    else setRound((previous) => previous + 1)
  }, [])
  useReload(refreshKey, reload)
  // Stops loading first, because a load of a removed object would show an error.
  const remove = async (work: () => Promise<unknown>) => {
    isRemoved.current = true
    abortLoad(activeLoad, activeLoad.current)
    try {
      await work()
    } catch (error) {
      isRemoved.current = false
      reload()
      throw error
    }
  }
  const isCurrent = state.key === key
  return {
    data: isCurrent ? state.data : undefined,
    problem: isCurrent ? state.problem : undefined,
    isLoading: !isCurrent || state.isLoading,
    reload,
    remove,
  }
}

// Loads the data of a path, and loads again when the path, the parameters or the query change.
export function useData<P extends GetPath>(
  path: P,
  params: Params<P>,
  query: Query = {},
  refreshKey = 0,
): Removable<Data<P>> {
  const load = (signal: AbortSignal) => getData(path, params, { query, signal })
  return useLoaded(JSON.stringify([path, params, query]), load, refreshKey)
}

// Loads one page of a list; usePages goes from page to page.
export function usePage<P extends PagePath>(path: P, query: Query, refreshKey = 0) {
  const load = (signal: AbortSignal) => getPage(path, {} as Params<P>, { query, signal })
  return useLoaded(JSON.stringify([path, query]), load, refreshKey)
}

export type Paged<Item> = Loaded<Page<Item>> & {
  number: number
  isFirst: boolean
  goFurther: () => void
  goBack: () => void
}

// Loads a list page by page. A cursor leads to the next page only, so the browser's history entry stores
// the cursors of all pages before this one, for going back.
export function usePages<P extends PagePath>(
  path: P,
  params: Params<P>,
  query: Query = {},
): Paged<Row<P>> {
  const name = JSON.stringify([path, params, query])
  const [cursors = [], keepCursors] = useKept<readonly string[]>(name)
  const cursor = cursors.at(-1)
  const loaded = useLoaded(`${name} ${cursor ?? ''}`, (signal) =>
    getPage(path, params, { query: { limit: '25', ...query, cursor }, signal }),
  )
  const next = loaded.data?.nextCursor
  // A refused cursor was stored by the user who was signed in before.
  const isForeignCursor = loaded.problem?.code === 'invalid_cursor'
  useEffect(() => {
    if (isForeignCursor) keepCursors([])
  }, [isForeignCursor])
  return {
    ...loaded,
    number: cursors.length + 1,
    isFirst: cursors.length === 0,
    goFurther: () => next && keepCursors([...cursors, next]),
    goBack: () => keepCursors(cursors.slice(0, -1)),
  }
}

// Runs `work` whenever `refreshKey` changes, but not at the first rendering, when data is being loaded
// anyway.
export function useReload(refreshKey: number, work: () => void): void {
  const lastRefreshKey = useRef(refreshKey)
  const latest = useRef(work)
  latest.current = work
  useEffect(() => {
    if (lastRefreshKey.current === refreshKey) return
    lastRefreshKey.current = refreshKey
    latest.current()
  }, [refreshKey])
}

const EVERY_MS = 10_000
const SOON_MS = 1_000

// Calls `refresh` every ten seconds while the page is visible.
export function useSteadyRefresh(refresh: () => void): void {
  const latest = useRef(refresh)
  latest.current = refresh
  useEffect(() => {
    const timer = window.setInterval(() => !document.hidden && latest.current(), EVERY_MS)
    return () => window.clearInterval(timer)
  }, [])
}

// A counter that a view passes to its parts. A part that gets a new `refreshKey` reloads its data.
export function useRefreshKey(): [refreshKey: number, increase: () => void] {
  const [refreshKey, setRefreshKey] = useState(0)
  return [refreshKey, () => setRefreshKey((previous) => previous + 1)]
}

// Returns a refresh key that increases at intervals and with each change that the user makes in this view.
export function useSteadyRefreshKey(): [refreshKey: number, increase: () => void] {
  const [refreshKey, increase] = useRefreshKey()
  useSteadyRefresh(increase)
  return [refreshKey, increase]
}

// Refreshes quickly while rows are pending, then less and less often. Any change of `pending`, a key of the
// pending rows, starts the quick refresh again.
export function usePendingRefresh(pending: string, refresh: () => void): void {
  const latest = useRef(refresh)
  latest.current = refresh
  useEffect(() => {
    if (pending === '') return
    let pauseMs = SOON_MS
    let timer = 0
    // Each pause is half as long again as the one before.
    const refreshLater = () => {
      timer = window.setTimeout(() => {
        if (!document.hidden) latest.current()
        pauseMs = Math.min(pauseMs * 1.5, EVERY_MS)
        refreshLater()
      }, pauseMs)
    }
    refreshLater()
    return () => window.clearTimeout(timer)
  }, [pending])
}
