// Routing: the path names the view and what is open in it, the query its filters, so that every state
// can be bookmarked, shared and navigated back to.

import { useEffect, useState } from 'preact/hooks'
import type { Query } from './api.ts'
import { isInFlight } from './in-flight.ts'

export const BASE = '/dashboard'

// Of /dashboard/payments/<ref>?status=Expired: the view, what follows it, and the filters.
export type Place = { view: string; open: string | undefined; query: Query }

const CHANGED = 'place-changed'

// What an entry of the browser's history keeps: where it stands among those of this page.
type Entry = { at: number }

let shown = keptEntry(0)

// An entry without one is new: the page was loaded, or a link within it followed.
function keptEntry(at: number): Entry {
  if (!window.history.state) window.history.replaceState({ at }, '')
  return window.history.state
}

// Back and forward, which no page can refuse: it goes where it was.
window.addEventListener('popstate', () => {
  const entry = keptEntry(shown.at + 1)
  const away = entry.at - shown.at
  if (away !== 0 && isInFlight()) return window.history.go(-away)
  shown = entry
  window.dispatchEvent(new Event(CHANGED))
})

export function currentPlace(): Place {
  const { pathname, search } = window.location
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
  const given = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1])
  const search = new URLSearchParams(given).toString()
  const path = [BASE, view, open && encodeURIComponent(open)].filter(Boolean).join('/')
  return search === '' ? path : `${path}?${search}`
}

// `replace` for what one does not want to go back through, such as every letter of a filter.
export function goTo(href: string, { replace = false } = {}): void {
  shown = replace ? shown : { at: shown.at + 1 }
  if (replace) window.history.replaceState(shown, '', href)
  else window.history.pushState(shown, '', href)
  window.dispatchEvent(new Event(CHANGED))
}

// As a link's onClick: stays in the page, but leaves new tabs and windows to the browser.
export function follow(event: MouseEvent): void {
  const isPlain =
    event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
  const link = event.currentTarget as HTMLAnchorElement
  if (!isPlain || event.defaultPrevented || link.target === '_blank') return
  event.preventDefault()
  goTo(link.getAttribute('href') as string)
}
