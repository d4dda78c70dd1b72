// Keyboard shortcuts: / and ⌘K search, g and a letter open a view, j and k move in the list, ? lists all
// shortcuts. None works in a field or a dialog; in a drawer only j, k and ⌘K work. A user can turn off the
// single-key shortcuts (WCAG 2.1.4).

import { useEffect, useRef, useState } from 'preact/hooks'
import { shortcutsStrings as strings } from '../copy.ts'
import { isInFlight } from './in-flight.ts'
import { goTo, hrefOf } from './routing.ts'

export type Destination = { path: string; name: string }

// Keys are paths of views. Values are the letters that open the views after g.
export const LETTERS: Readonly<Record<string, string>> = {
  '': 't',
  payments: 'p',
  accounts: 'a',
  credits: 'c',
  suspense: 's',
  settlements: 'e',
  payouts: 'o',
  refunds: 'f',
  holds: 'h',
  screening: 'z',
  cases: 'q',
  returns: 'r',
  reconciliation: 'n',
  accounting: 'i',
  adjustments: 'j',
  alerts: 'm',
  banks: 'b',
  clients: 'u',
  ledger: 'l',
  statements: 'v',
  'rail-items': 'k',
  'sandbox-bank': 'x',
  webhooks: 'w',
  messages: 'y',
  developers: 'd',
  settings: ',',
}

export const SEARCH_ID = 'search'

const LETTER_WITHIN_MS = 1_500
const KEY = 'manilla-shortcuts'

export const areShortcutsEnabled = () => window.localStorage.getItem(KEY) !== 'off'

// Stores only that the shortcuts are off, because they are on by default.
export function enableShortcuts(isOn: boolean): void {
  if (isOn) window.localStorage.removeItem(KEY)
  else window.localStorage.setItem(KEY, 'off')
}

// Handles the key presses. Returns an `announcement` for screen readers.
export function useShortcuts(views: readonly Destination[]) {
  const [isHelpOpen, setHelpOpen] = useState(false)
  const [announcement, setAnnouncement] = useState('')
  const latest = useRef(views)
  latest.current = views
  useEffect(() => {
    let letterUntil = 0
    // Opens the view of the letter that followed g.
    const openView = (key: string) => {
      const view = latest.current.find(({ path }) => LETTERS[path] === key)
      if (!view) return setAnnouncement('')
      goTo(hrefOf(view.path))
      document.getElementById('content')?.focus()
      setAnnouncement(view.name)
    }
    // Returns whether the key was a shortcut.
    const runShortcut = ({ key }: KeyboardEvent): boolean => {
      const isLetterExpected = letterUntil > performance.now()
      letterUntil = 0
      if (isLetterExpected) openView(key)
      else if (key === 'g') {
        letterUntil = performance.now() + LETTER_WITHIN_MS
        setAnnouncement(strings.pending)
      } else if (key === '/') focusSearch()
      else if (key === '?') setHelpOpen(true)
      else if (key === 'j' || key === 'k') setAnnouncement(enterList(key) ? '' : strings.noItems)
      else return false
      return true
    }
    // ⌘K and Ctrl+K work everywhere, the single keys only outside text fields. An open modal dialog
    // (`.modal`) keeps all keys for itself; a drawer does not.
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey || document.querySelector('dialog.modal[open]'))
        return
      const drawer = document.querySelector<HTMLDialogElement>('dialog[open]')
      const isCommand = event.metaKey || event.ctrlKey
      if (isCommand && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        if (drawer) closeThen(drawer, focusSearch)
        else focusSearch()
      } else if (!isCommand && !isTyping(event.target) && areShortcutsEnabled()) {
        if (drawer ? openNeighbour(event.key) : runShortcut(event)) event.preventDefault()
      }
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
  return { isHelpOpen, setHelpOpen, announcement }
}

const NOT_TYPED_IN = ['checkbox', 'radio', 'button', 'submit', 'file']

// A key pressed in a text field is typed text, not a shortcut.
function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !NOT_TYPED_IN.includes(target.type)
  return (
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLElement && target.isContentEditable)
  )
}

function focusSearch(): void {
  const field = document.getElementById(SEARCH_ID) as HTMLInputElement | null
  field?.focus()
  field?.select()
}

// Closes the drawer as Escape would, and then runs `next`.
function closeThen(drawer: HTMLDialogElement, next: () => void): void {
  if (isInFlight()) return
  drawer.addEventListener('close', next, { once: true })
  drawer.dispatchEvent(new Event('cancel', { cancelable: true }))
}

// In a drawer, j and k open the next or previous row of the list behind it. Returns whether the key was one
// of these.
function openNeighbour(key: string): boolean {
  const step = { j: 1, k: -1 }[key]
  if (step === undefined) return false
  const rows = [
    ...document.querySelectorAll('#content .listing tbody tr:has(.row-link):not(dialog *)'),
  ]
  const openIndex = rows.findIndex((row) => row.getAttribute('data-open') === 'true')
  if (openIndex >= 0) rows[openIndex + step]?.querySelector<HTMLElement>('a.row-link')?.click()
  return true
}

// j and k move the focus into the list, to its first or last link. Inside the list, the table handles the
// keys.
function enterList(key: 'j' | 'k'): boolean {
  const links = [...document.querySelectorAll<HTMLElement>('#content a.row-link')]
  const link = key === 'j' ? links[0] : links.at(-1)
  link?.focus()
  return link !== undefined
}
