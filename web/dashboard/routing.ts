// Routing: the path names the view and what is open in it, the query its filters, so that every state
// can be bookmarked, shared and navigated back to.

import { useEffect, useState } from 'preact/hooks'
import type { Query } from './api.ts'

export const BASE = '/dashboard'

// Of /dashboard/payments/<ref>?status=Expired: the view, what follows it, and the filters.
export type Place = { view: string; open: string | undefined; query: Query }

const CHANGED = 'place-changed'

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
    window.addEventListener('popstate', update)
    window.addEventListener(CHANGED, update)
    return () => {
      window.removeEventListener('popstate', update)
      window.removeEventListener(CHANGED, update)
    }
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
  if (replace) window.history.replaceState(null, '', href)
  else window.history.pushState(null, '', href)
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
