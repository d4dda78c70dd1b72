// Search by reference, amount, name, number or session id: an ARIA combobox with results grouped by kind. An
// empty field offers recent searches.

import { useEffect, useRef, useState } from 'preact/hooks'
import { searchStrings } from '../copy.ts'
import { getData, type Problem, problemFrom, type Schemas } from './api.ts'
import { Icon } from './parts/icons.tsx'
import { Money } from './parts/values.tsx'
import { recentSearches, rememberSearch } from './recent-searches.ts'
import { goTo, hrefOf } from './routing.ts'
import type { Session } from './session.ts'
import { SEARCH_ID } from './shortcuts.ts'

export type Hit = Schemas['SearchHit']
type State = { asked: string; hits?: Hit[]; problem?: Problem }

const VIEW_OF: Record<Hit['type'], string> = {
  payment: 'payments',
  advice: 'payments',
  account: 'accounts',
  credit: 'credits',
  event: 'webhooks',
  payout: 'payouts',
  settlement: 'settlements',
  refund: 'payments',
  return: 'returns',
  statement: 'reconciliation',
}

const DEBOUNCE_MS = 200

// A request without an account number is not a payment yet.
export const ADVICE_PREFIX = 'advice-'

// Accounting sees the payouts of all clients.
function hrefOfHit({ type, reference, of }: Hit, session: Session): string {
  const shown = of ?? { type, reference }
  const view = VIEW_OF[shown.type]
  if (type === 'advice') return hrefOf(view, `${ADVICE_PREFIX}${reference}`)
  if (type === 'statement') return hrefOf(view, reference, { tab: 'statements' })
  if (type === 'event') return hrefOf(view, reference, { tab: 'deliveries' })
  const isOfAll = type === 'payout' && session.scopes.includes('accounting:read')
  return hrefOf(view, shown.reference, isOfAll ? { tab: 'all' } : {})
}

// Searches when typing pauses; ignores answers to earlier text.
export function useHits(asked: string): State | undefined {
  const [state, setState] = useState<State | undefined>()
  useEffect(() => {
    if (asked === '') return
    const leaving = new AbortController()
    const timer = window.setTimeout(async () => {
      try {
        const query = { q: asked }
        const hits = await getData('/api/v1/search', {}, { query, signal: leaving.signal })
        setState({ asked, hits })
      } catch (error) {
        if (!leaving.signal.aborted) setState({ asked, problem: problemFrom(error) })
      }
    }, DEBOUNCE_MS)
    return () => {
      window.clearTimeout(timer)
      leaving.abort()
    }
  }, [asked])
  return state?.asked === asked ? state : undefined
}

function useSearch(session: Session) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const [isOpen, setOpen] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const asked = text.trim()
  const found = useHits(asked)
  const user = session.user.email
  const recent = isOpen && asked === '' ? recentSearches(user) : []
  const groups = asked === '' ? recentGroup(recent) : groupsOf(found?.hits ?? [])
  const options = groups.flatMap((group) => group.options)
  const isShown = isOpen && (asked === '' ? recent.length > 0 : found !== undefined)
  const awaited = useRef<string | undefined>(undefined) // The text at Enter, before its answer came.

  const open = (option: Option) => {
    setChosen(0)
    if (option.search !== undefined) return setText(option.search)
    rememberSearch(user, asked)
    setText('')
    setOpen(false)
    field.current?.blur()
    goTo(hrefOfHit(option.hit, session))
  }
  useEffect(() => {
    const [first] = options
    if (!found || awaited.current !== asked) return
    awaited.current = undefined
    if (first) open(first)
  }, [found])
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      // Escape closes the results first, then clears the text, then leaves the field.
      if (!isShown && text === '') field.current?.blur()
      else if (!isShown) setText('')
      setOpen(false)
    }
    const option = options[chosen]
    const isEnter = event.key === 'Enter'
    awaited.current = isEnter && asked !== '' && !found ? asked : undefined
    if (isEnter) event.preventDefault() // Enter must not also press the element focused next.
    if (isEnter && isShown && option) open(option)
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    setOpen(true)
    if (isShown && options.length > 0) setChosen((chosen + step + options.length) % options.length)
  }
  const type = (typed: string) => {
    setText(typed)
    setChosen(0)
    setOpen(true)
  }
  return { text, type, press, open, setOpen, field, found, groups, options, chosen, isShown }
}

export function SearchBox({ session }: { session: Session }) {
  const { text, type, press, open, setOpen, field, ...shown } = useSearch(session)
  const { found, groups, options, chosen, isShown } = shown
  return (
    <search class="search">
      <Icon name="search" />
      <input
        id={SEARCH_ID}
        ref={field}
        type="text"
        role="combobox"
        aria-label={searchStrings.label}
        aria-keyshortcuts="/ Meta+K Control+K"
        aria-expanded={isShown}
        aria-controls="hits"
        aria-autocomplete="list"
        {...(isShown && options[chosen] ? { 'aria-activedescendant': `hit-${chosen}` } : {})}
        placeholder={searchStrings.placeholder}
        autocomplete="off"
        spellcheck={false}
        maxLength={100}
        value={text}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={press}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
      />
      <kbd>/</kbd>
      <p class="hidden" role="status">
        {isShown && found?.hits && searchStrings.found(found.hits.length)}
      </p>
      <Hits
        {...{ groups, chosen, open, isShown }}
        problem={found?.problem}
        isEmpty={found?.hits?.length === 0}
      />
    </search>
  )
}

type Option = { key: string } & ({ search: string; hit?: never } | { search?: never; hit: Hit })
type Group = { name: string; options: Option[] }

function recentGroup(searches: readonly string[]): Group[] {
  const options = searches.map((search) => ({ key: search, search }))
  return options.length === 0 ? [] : [{ name: searchStrings.recent, options }]
}

// Groups in the order of their best results.
function groupsOf(hits: readonly Hit[]): Group[] {
  const types = [...new Set(hits.map(({ type }) => type))]
  return types.map((type) => ({
    name: searchStrings.groups[type],
    options: hits
      .filter((hit) => hit.type === type)
      .map((hit) => ({ key: `${type}/${hit.reference}`, hit })),
  }))
}

type HitsProps = {
  groups: readonly Group[]
  chosen: number
  isShown: boolean
  isEmpty: boolean
  problem: Problem | undefined
  open: (option: Option) => void
}

function Hits({ groups, chosen, isShown, isEmpty, problem, open }: HitsProps) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [groups, chosen])
  const numbers = new Map(groups.flatMap(({ options }) => options).map(({ key }, at) => [key, at]))
  return (
    <div ref={list} class="hits" hidden={!isShown}>
      {problem && <p class="fault">{problem.message}</p>}
      {isEmpty && <p class="muted">{searchStrings.nothing}</p>}
      <div id="hits" role="listbox" aria-label={searchStrings.hits}>
        {groups.map(({ name, options }) => (
          // biome-ignore lint/a11y/useSemanticElements: A listbox holds groups, not fieldsets.
          <div key={name} role="group" aria-label={name}>
            <h3 role="presentation">{name}</h3>
            {options.map((option) => (
              <div
                key={option.key}
                id={`hit-${numbers.get(option.key)}`}
                role="option"
                tabIndex={-1}
                aria-selected={numbers.get(option.key) === chosen}
                // Before blur, which closes the list.
                onMouseDown={(event) => {
                  event.preventDefault()
                  open(option)
                }}
              >
                {option.hit ? <Found hit={option.hit} /> : option.search}
              </div>
            ))}
          </div>
        ))}
      </div>
    </div>
  )
}

function Found({ hit: { title, amount, detail, currency } }: { hit: Hit }) {
  return (
    <>
      <span class="hit-title">{title}</span>
      {amount !== null && <Money amount={amount} currency={currency ?? 'NGN'} />}
      {detail && <span class="hit-detail muted">{detail}</span>}
    </>
  )
}
