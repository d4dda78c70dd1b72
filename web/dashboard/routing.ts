// Routing. The path names the view and its open object, and the query contains its filters, so every state
// can be bookmarked.

import { useEffect, useState } from 'preact/hooks'
import type { Query } from './api.ts'
import { isInFlight } from './in-flight.ts'

export const BASE = '/dashboard'

// The parts of the URL /dashboard/<view>/<open>?<query>.
export type Place = { view: string; open: string | undefined; query: Query }

const CHANGED = 'place-changed'

// The state of a browser history entry: its position, the lists that led to it, and values that are not in
// the URL, such as the cursors of a list's pages.
type Entry = {
  at: number
  lists: readonly { at: number; href: string }[]
  kept: Readonly<Record<string, unknown>>
}

const LISTS_MAX = 10
const BACK_MAX_MS = 500

let current = readEntry(0)
let closeTimer = 0 // A timer, set while closeTo() goes back.

// Reads the state of the current history entry. An entry without state is new: the page was loaded, or a
// link was followed. It gets the given position.
function readEntry(newPosition: number): Entry {
  const entry: Entry = { at: newPosition, lists: [], kept: {}, ...window.history.state }
  if (!window.history.state) window.history.replaceState(entry, '')
  return entry
}

// A page cannot prevent Back or Forward. If a request is in flight, the page goes back to the entry that the
// user left.
window.addEventListener('popstate', () => {
  const entry = readEntry(current.at + 1)
  const distance = entry.at - current.at
  if (distance !== 0 && isInFlight() && closeTimer === 0) return window.history.go(-distance)
  window.clearTimeout(closeTimer)
  closeTimer = 0
  current = entry
  window.dispatchEvent(new Event(CHANGED))
})

export function currentPlace(): Place {
  return placeOf(window.location)
}

// Parses /dashboard/<view>/<open>?<query>.
function placeOf({ pathname, search }: Pick<Location, 'pathname' | 'search'>): Place {
  const [view = '', open] = pathname.slice(BASE.length).split('/').filter(Boolean)
  const query = Object.fromEntries(new URLSearchParams(search))
  return { view, open: open === undefined ? undefined : decodeURIComponent(open), query }
}

// Renders the component again whenever the place changes.
export function usePlace(): Place {
  const [place, setPlace] = useState(currentPlace)
  useEffect(() => {
    const update = () => setPlace(currentPlace())
    window.addEventListener(CHANGED, update)
    return () => window.removeEventListener(CHANGED, update)
  }, [])
  return place
}

// The link to a view, and to an object that is open in it. Omits blank parameters.
export function hrefOf(view: string, open?: string, query: Query = {}): string {
  const entries = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1])
  const search = new URLSearchParams(entries).toString()
  const path = [BASE, view, open && encodeURIComponent(open)].filter(Boolean).join('/')
  return search === '' ? path : `${path}?${search}`
}

// Use `replace` for changes that Back should skip, such as each letter of a filter.
export function goTo(href: string, { replace = false } = {}): void {
  current = replace ? replacedEntry(current, href) : nextEntry(current, href)
  if (replace) window.history.replaceState(current, '', href)
  else window.history.pushState(current, '', href)
  window.dispatchEvent(new Event(CHANGED))
}

// The state after a change of the URL in place. If the filters changed, the kept values are dropped, so
// that the list starts at its first page.
function replacedEntry(entry: Entry, href: string): Entry {
  const { search } = new URL(href, window.location.href)
  return search === window.location.search ? entry : { ...entry, kept: {} }
}

// The state of a new entry. Within a view, opening an object from a list adds the list, so that closing the
// object goes back to it.
function nextEntry({ at, lists, kept: values }: Entry, href: string): Entry {
  const { view, open } = currentPlace()
  if (placeOf(new URL(href, window.location.href)).view !== view) {
    return { at: at + 1, lists: [], kept: {} }
  }
  const currentList = { at, href: addressNow() }
  return {
    at: at + 1,
    lists: open ? lists : [...lists, currentList].slice(-LISTS_MAX),
    kept: values,
  }
}

const addressNow = () => `${window.location.pathname}${window.location.search}`

// Closes the open object and returns to its list by going back in the history, so that Back does not open
// the object again. If the history no longer has the list, the URL is replaced.
export function closeTo(href: string): void {
  if (closeTimer !== 0 || addressNow() === href) return
  const list = current.lists.findLast((visited) => visited.href === href)
  // The way without the history: the list takes the place of the object’s entry.
  const replaceInstead = () => {
    closeTimer = 0
    goTo(href, { replace: true })
  }
  if (!list) return void replaceInstead()
  // Browsers drop old entries, and going back to a dropped entry does nothing.
  closeTimer = window.setTimeout(replaceInstead, BACK_MAX_MS)
  window.history.go(list.at - current.at)
}

// A state hook whose value is kept in the history entry, so that it survives reloads and Back.
export function useKept<Value>(name: string): [Value | undefined, (value: Value) => void] {
  const [, redraw] = useState({})
  useEffect(() => {
    const update = () => redraw({})
    window.addEventListener(CHANGED, update)
    return () => window.removeEventListener(CHANGED, update)
  }, [])
  // Stores the value in the current history entry, and redraws the components that use it.
  const keep = (value: Value) => {
    current = { ...current, kept: { ...current.kept, [name]: value } }
    window.history.replaceState(current, '')
    window.dispatchEvent(new Event(CHANGED))
  }
  return [current.kept[name] as Value | undefined, keep]
}

// An onClick handler for links. It navigates within the page, and leaves new tabs and windows to the browser.
export function follow(event: MouseEvent): void {
  const isPlain =
    event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
  const link = event.currentTarget as HTMLAnchorElement
  if (!isPlain || event.defaultPrevented || link.target === '_blank') return
  event.preventDefault()
  if (!isInFlight()) goTo(link.getAttribute('href') as string)
}
