// Search by account number, session id, reference or name: an ARIA combobox.

import { useEffect, useRef, useState } from 'preact/hooks'
import { getData, type Problem, problemFrom, type Schemas } from './api.ts'
import { humanize } from './format.ts'
import { Icon } from './parts/icons.tsx'
import { Money } from './parts/values.tsx'
import { goTo, hrefOf } from './routing.ts'
import { searchStrings } from './strings/search.ts'

export type Hit = Schemas['SearchHit']
type State = { asked: string; hits?: Hit[]; problem?: Problem }

// Where each is shown.
const VIEW_OF: Record<Hit['type'], string> = {
  payment: 'payments',
  advice: 'payments', // Which opens it as an advice: see there.
  account: 'accounts',
  credit: 'credits',
  event: 'webhooks',
}

const DEBOUNCE_MS = 200

// An advice without a number is no payment yet.
export const ADVICE_PREFIX = 'advice-'

const openedAs = ({ type, reference }: Hit) =>
  type === 'advice' ? `${ADVICE_PREFIX}${reference}` : reference

// Asked when the typing rests; answers to what was typed before are not shown.
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

export function SearchBox() {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const [isOpen, setOpen] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => focusOnSlash(field), [])
  const found = useHits(text.trim())
  const hits = found?.hits ?? []
  const isShown = isOpen && found !== undefined

  const open = (hit: Hit) => {
    setText('')
    setOpen(false)
    field.current?.blur()
    goTo(hrefOf(VIEW_OF[hit.type], openedAs(hit)))
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') setOpen(false)
    if (event.key === 'Enter' && hits[chosen]) open(hits[chosen])
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined || hits.length === 0) return
    event.preventDefault()
    setOpen(true)
    setChosen((chosen + step + hits.length) % hits.length)
  }
  return (
    <search class="search">
      <Icon name="search" />
      <input
        ref={field}
        type="text"
        role="combobox"
        aria-label={searchStrings.label}
        aria-expanded={isShown}
        aria-controls="hits"
        aria-autocomplete="list"
        {...(isShown && hits[chosen] ? { 'aria-activedescendant': `hit-${chosen}` } : {})}
        placeholder={searchStrings.placeholder}
        autocomplete="off"
        spellcheck={false}
        maxLength={100}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value)
          setChosen(0)
          setOpen(true)
        }}
        onKeyDown={press}
        onBlur={() => setOpen(false)}
      />
      <Hits found={isShown ? found : undefined} chosen={chosen} open={open} />
    </search>
  )
}

type HitsProps = { found: State | undefined; chosen: number; open: (hit: Hit) => void }

function Hits({ found, chosen, open }: HitsProps) {
  const isEmpty = found?.hits?.length === 0
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [found, chosen])
  return (
    <div ref={list} class="hits" hidden={!found}>
      {found?.problem && <p class="fault">{found.problem.message}</p>}
      {isEmpty && <p class="muted">{searchStrings.nothing}</p>}
      <div id="hits" role="listbox" aria-label={searchStrings.hits}>
        {found?.hits?.map((hit, at) => (
          <div
            key={`${hit.type}/${hit.reference}`}
            id={`hit-${at}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === chosen}
            // Before the field loses its focus, which folds the list away.
            onMouseDown={(event) => {
              event.preventDefault()
              open(hit)
            }}
          >
            <span class="hit-type">{humanize(hit.type)}</span>
            <span class="hit-title">{hit.title}</span>
            {hit.amount !== null && <Money amount={hit.amount} />}
            {hit.detail && <span class="hit-detail muted">{hit.detail}</span>}
          </div>
        ))}
      </div>
    </div>
  )
}

function focusOnSlash(field: { current: HTMLInputElement | null }) {
  const press = (event: KeyboardEvent) => {
    const { tagName } = event.target as HTMLElement
    const isTyping = ['INPUT', 'TEXTAREA', 'SELECT'].includes(tagName)
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    field.current?.focus()
  }
  document.addEventListener('keydown', press)
  return () => document.removeEventListener('keydown', press)
}
