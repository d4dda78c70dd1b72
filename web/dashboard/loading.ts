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

type Asking = { controller: AbortController; isDue: boolean; isLeft: boolean }

function leave(asking: { current: Asking | undefined }, left: Asking | undefined): void {
  if (!left) return
  left.isLeft = true
  left.controller.abort()
  if (asking.current === left) asking.current = undefined
}

// Loads again when `key` changes, and drops responses for an earlier key.
export function useLoaded<Data>(
  key: string,
  load: (signal: AbortSignal) => Promise<Data>,
): Removable<Data> {
  type State = { key: string; data?: Data; problem?: Problem; isLoading: boolean }
  const [state, setState] = useState<State>({ key, isLoading: true })
  const [round, setRound] = useState(0)
  const latest = useRef(load)
  latest.current = load
  const asking = useRef<Asking | undefined>(undefined)
  const isRemoved = useRef(false)
  useEffect(() => {
    if (isRemoved.current) return
    const current: Asking = { controller: new AbortController(), isDue: false, isLeft: false }
    asking.current = current
    setState((before) =>
      before.key === key ? { ...before, isLoading: true } : { key, isLoading: true },
    )
    const settle = (change: (before: State) => State) => {
      if (current.isLeft) return
      asking.current = undefined
      setState(change)
      if (current.isDue) setRound((before) => before + 1)
    }
    latest.current(current.controller.signal).then(
      (data) => settle(() => ({ key, data, isLoading: false })),
      (error) => {
        const problem = problemFrom(error)
        settle((before) => ({
          ...(before.key === key ? before : { key }),
          problem,
          isLoading: false,
        }))
      },
    )
    return () => leave(asking, current)
  }, [key, round])
  // The current response may be stale, so another request follows it. Aborting the current request instead
  // would show no data at all while events come faster than responses.
  const reload = useCallback(() => {
    if (asking.current) asking.current.isDue = true
    else setRound((before) => before + 1)
  }, [])
  const remove = async (work: () => Promise<unknown>) => {
    isRemoved.current = true
    leave(asking, asking.current)
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

export function useData<P extends GetPath>(
  path: P,
  params: Params<P>,
  query: Query = {},
): Removable<Data<P>> {
  return useLoaded(JSON.stringify([path, params, query]), (signal) =>
    getData(path, params, { query, signal }),
  )
}

// One page of a list.
export const usePage = <P extends PagePath>(path: P, query: Query) =>
  useLoaded(JSON.stringify([path, query]), (signal) =>
    getPage(path, {} as Params<P>, { query, signal }),
  )

export type Paged<Item> = Loaded<Page<Item>> & {
  number: number
  isFirst: boolean
  goFurther: () => void
  goBack: () => void
}

// Loads a list page by page. Cursors lead forward only, so the browser's history keeps the used cursors for
// going back.
export function usePages<P extends PagePath>(
  path: P,
  params: Params<P>,
  query: Query = {},
): Paged<Row<P>> {
  const name = JSON.stringify([path, params, query])
  const [cursors = [], keep] = useKept<readonly string[]>(name)
  const cursor = cursors.at(-1)
  const loaded = useLoaded(`${name} ${cursor ?? ''}`, (signal) =>
    getPage(path, params, { query: { limit: '25', ...query, cursor }, signal }),
  )
  const next = loaded.data?.nextCursor
  // A refused cursor belongs to the user who was signed in before.
  const isWrong = loaded.problem?.code === 'invalid_cursor'
  useEffect(() => {
    if (isWrong) keep([])
  }, [isWrong])
  return {
    ...loaded,
    number: cursors.length + 1,
    isFirst: cursors.length === 0,
    goFurther: () => next && keep([...cursors, next]),
    goBack: () => keep(cursors.slice(0, -1)),
  }
}

export function useReload(version: number, work: () => void): void {
  const done = useRef(version)
  const latest = useRef(work)
  latest.current = work
  useEffect(() => {
    if (done.current === version) return
    done.current = version
    latest.current()
  }, [version])
}
