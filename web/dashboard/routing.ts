// Routing. The path names the view and its open object, and the query contains its filters, so every state
// can be bookmarked.

import { useEffect, useState } from 'preact/hooks'
import type { Query } from './api.ts'
import { isInFlight } from './in-flight.ts'

export const BASE = '/dashboard'

// /dashboard/<view>/<open>?<query>
export type Place = { view: string; open: string | undefined; query: Query }

const CHANGED = 'place-changed'

// State of a history entry: its position among the entries of this page, the lists through which the user
// reached it, and values that are not in the URL, such as the page of a list.
type Entry = {
  at: number
  lists: readonly { at: number; href: string }[]
  kept: Readonly<Record<string, unknown>>
}

const LISTS_MAX = 10
const BACK_MAX_MS = 500

let current = keptEntry(0)
let closing = 0 // A timer, set while closeTo() goes back.

// An entry without state is new: a page load or a followed link.
function keptEntry(at: number): Entry {
  const entry: Entry = { at, lists: [], kept: {}, ...window.history.state }
  if (!window.history.state) window.history.replaceState(entry, '')
  return entry
}

// A page cannot prevent Back or Forward. So if a request is in flight, this returns to the entry that the
// user left.
window.addEventListener('popstate', () => {
  const entry = keptEntry(current.at + 1)
  const away = entry.at - current.at
  if (away !== 0 && isInFlight() && closing === 0) return window.history.go(-away)
  window.clearTimeout(closing)
  closing = 0
  current = entry
  window.dispatchEvent(new Event(CHANGED))
})

export function currentPlace(): Place {
  return placeOf(window.location)
}

function placeOf({ pathname, search }: Pick<Location, 'pathname' | 'search'>): Place {
  const [view = '', open] = pathname.slice(BASE.length).split('/').filter(Boolean)
  const query = Object.fromEntries(new URLSearchParams(search))
  return { view, open: open === undefined ? undefined : decodeURIComponent(open), query }
}

export function usePlace(): Place {
  const [place, setPlace] = useState(currentPlace)
  useEffect(() => {
    const update = () => setPlace(currentPlace())
    window.addEventListener(CHANGED, update)
    return () => window.removeEventListener(CHANGED, update)
  }, [])
  return place
}

export function hrefOf(view: string, open?: string, query: Query = {}): string {
  const entries = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1])
  const search = new URLSearchParams(entries).toString()
  const path = [BASE, view, open && encodeURIComponent(open)].filter(Boolean).join('/')
  return search === '' ? path : `${path}?${search}`
}

// Use `replace` for changes that Back should skip, such as each letter of a filter.
export function goTo(href: string, { replace = false } = {}): void {
  current = replace ? replaced(current, href) : next(current, href)
  if (replace) window.history.replaceState(current, '', href)
  else window.history.pushState(current, '', href)
  window.dispatchEvent(new Event(CHANGED))
}

// Replaces the entry. If the filters changed, drops the kept values, so that the list starts at its first
// page.
function replaced(entry: Entry, href: string): Entry {
  const { search } = new URL(href, window.location.href)
  return search === window.location.search ? entry : { ...entry, kept: {} }
}

function next({ at, lists, kept: values }: Entry, href: string): Entry {
  const { view, open } = currentPlace()
  if (placeOf(new URL(href, window.location.href)).view !== view) {
    return { at: at + 1, lists: [], kept: {} }
  }
  const here = { at, href: addressNow() }
  return { at: at + 1, lists: open ? lists : [...lists, here].slice(-LISTS_MAX), kept: values }
}

const addressNow = () => `${window.location.pathname}${window.location.search}`

// Closes the open object and returns to its list. Back does not reopen it.
export function closeTo(href: string): void {
  if (closing !== 0 || addressNow() === href) return
  const list = current.lists.findLast((each) => each.href === href)
  const stay = () => {
    closing = 0
    goTo(href, { replace: true })
  }
  if (!list) return void stay()
  // Browsers drop old entries. Going back to a dropped entry does nothing.
  closing = window.setTimeout(stay, BACK_MAX_MS)
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
