// Keyboard shortcuts that work from anywhere: / and ⌘K search, g and a letter go to a view, j and k
// move in the list, ? lists them all. None while a field has the focus or a dialog is open; those of a
// single key can be turned off (WCAG 2.1.4).

import { useEffect, useRef, useState } from 'preact/hooks'
import { shortcutsStrings as strings } from '../copy.ts'
import { goTo, hrefOf } from './routing.ts'

export type Destination = { path: string; name: string }

// The letter after g, by the view's path. A view without one is reached by the menu.
export const LETTERS: Readonly<Record<string, string>> = {
  '': 't',
  payments: 'p',
  accounts: 'a',
  credits: 'c',
  suspense: 's',
  settlements: 'e',
  payouts: 'o',
  returns: 'r',
  reconciliation: 'n',
  accounting: 'i',
  banks: 'b',
  ledger: 'l',
  webhooks: 'w',
  developers: 'd',
  settings: ',',
}

export const SEARCH_ID = 'search'

const LETTER_WITHIN_MS = 1_500
const KEY = 'manilla-shortcuts'

export const areEnabled = () => window.localStorage.getItem(KEY) !== 'off'

export function enable(isOn: boolean): void {
  if (isOn) window.localStorage.removeItem(KEY)
  else window.localStorage.setItem(KEY, 'off')
}

// What was done is also said, for whoever does not see it.
export function useShortcuts(views: readonly Destination[]) {
  const [isHelpOpen, setHelpOpen] = useState(false)
  const [said, setSaid] = useState('')
  const shown = useRef(views)
  shown.current = views
  useEffect(() => {
    let goingUntil = 0
    const go = (key: string) => {
      const view = shown.current.find(({ path }) => LETTERS[path] === key)
      if (!view) return setSaid('')
      goTo(hrefOf(view.path))
      document.getElementById('content')?.focus()
      setSaid(view.name)
    }
    const run = ({ key }: KeyboardEvent): boolean => {
      const isGoing = goingUntil > performance.now()
      goingUntil = 0
      if (isGoing) go(key)
      else if (key === 'g') {
        goingUntil = performance.now() + LETTER_WITHIN_MS
        setSaid(strings.pending)
      } else if (key === '/') focusSearch()
      else if (key === '?') setHelpOpen(true)
      else if (key === 'j' || key === 'k') setSaid(enterList(key) ? '' : strings.noItems)
      else return false
      return true
    }
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey || document.querySelector('dialog[open]')) return
      const isCommand = event.metaKey || event.ctrlKey
      if (isCommand && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        focusSearch()
      } else if (!isCommand && !isTyping(event.target) && areEnabled() && run(event)) {
        event.preventDefault()
      }
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
  return { isHelpOpen, setHelpOpen, said }
}

const NOT_TYPED_IN = ['checkbox', 'radio', 'button', 'submit', 'file']

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

// From outside the list; within it, the list itself moves the focus.
function enterList(key: 'j' | 'k'): boolean {
  const links = [...document.querySelectorAll<HTMLElement>('#content a.row-link')]
  const link = key === 'j' ? links[0] : links.at(-1)
  link?.focus()
  return link !== undefined
}
