// The command palette: views, actions and objects by reference, amount, name, number, session id or day, in
// an ARIA combobox grouped by kind. An empty field offers recent searches and a few commands.

import { useEffect, useRef, useState } from 'preact/hooks'
import { commandsStrings, searchStrings } from '../copy.ts'
import { getData, type Problem, problemFrom, type Schemas } from './api.ts'
import { type Command, findCommands } from './commands.ts'
import { Icon } from './parts/icons.tsx'
import { Badge, Money, Time } from './parts/values.tsx'
import { recentSearches, rememberSearch } from './recent-searches.ts'
import { goTo, hrefOf } from './routing.ts'
import type { Session } from './session.ts'
import { SEARCH_ID } from './shortcuts.ts'

export type Hit = Schemas['SearchHit']
type State = { search: string; hits?: Hit[]; problem?: Problem }

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
const COMMANDS_MAX = 5

// The prefix of the reference of a payment request that is not a payment yet, because it has no account
// number.
export const ADVICE_PREFIX = 'advice-'

// Returns the link of a result. For a user with accounting access, payouts open in the list of all clients.
function hrefOfHit({ type, reference, of }: Hit, session: Session): string {
  const target = of ?? { type, reference }
  const view = VIEW_OF[target.type]
  if (type === 'advice') return hrefOf(view, `${ADVICE_PREFIX}${reference}`)
  if (type === 'statement') return hrefOf(view, reference, { tab: 'statements' })
  if (type === 'event') return hrefOf(view, reference, { tab: 'deliveries' })
  const isOfAll = type === 'payout' && session.scopes.includes('accounting:read')
  return hrefOf(view, target.reference, isOfAll ? { tab: 'all' } : {})
}

// Searches when the user pauses typing. Ignores results for earlier text.
export function useHits(search: string): State | undefined {
  const [state, setState] = useState<State | undefined>()
  useEffect(() => {
    if (search === '') return
    const leaving = new AbortController()
    const timer = window.setTimeout(async () => {
      try {
        const query = { q: search }
        const hits = await getData('/api/v1/search', {}, { query, signal: leaving.signal })
        setState({ search, hits })
      } catch (error) {
        if (!leaving.signal.aborted) setState({ search, problem: problemFrom(error) })
      }
    }, DEBOUNCE_MS)
    return () => {
      window.clearTimeout(timer)
      leaving.abort()
    }
  }, [search])
  return state?.search === search ? state : undefined
}

type Props = { session: Session; commands: readonly Command[] }

function useSearch({ session, commands }: Props) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const [isOpen, setOpen] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const search = text.trim()
  const found = useHits(search)
  const user = session.user.email
  const recent = isOpen && search === '' ? recentSearches(user) : []
  const isEmpty = search === ''
  const groups = isEmpty
    ? groupsOfNothing(recent, isOpen ? commands : [])
    : groupsOfText(search, commands, found?.hits ?? [])
  const options = groups.flatMap((group) => group.options)
  const isShown = isOpen && (options.length > 0 || (search !== '' && found !== undefined))
  // The text when the user pressed Enter, until its results come.
  const awaited = useRef<string | undefined>(undefined)

  const open = (option: Option) => {
    setChosen(0)
    if (option.search !== undefined) return setText(option.search)
    if (option.hit) rememberSearch(user, search)
    setText('')
    setOpen(false)
    field.current?.blur()
    goTo(option.hit ? hrefOfHit(option.hit, session) : option.command.href)
  }
  useEffect(() => {
    const [first] = options
    if (!found || awaited.current !== search) return
    awaited.current = undefined
    if (first) open(first)
  }, [found])
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      // Escape first closes the results, then clears the text, then leaves the field.
      if (!isShown && text === '') field.current?.blur()
      else if (!isShown) setText('')
      setOpen(false)
    }
    const option = options[chosen]
    const isEnter = event.key === 'Enter'
    awaited.current = isEnter && search !== '' && !found && !option ? search : undefined
    if (isEnter) event.preventDefault() // Enter must not also press the element that gets the focus next.
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
  return {
    search,
    text,
    type,
    press,
    open,
    setOpen,
    field,
    found,
    groups,
    options,
    chosen,
    isShown,
  }
}

export function SearchBox(props: Props) {
  const { text, type, press, open, setOpen, field, ...results } = useSearch(props)
  const { search, found, groups, options, chosen, isShown } = results
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
        {isShown && (search === '' || found?.hits) && searchStrings.found(options.length)}
      </p>
      <Hits
        {...{ groups, chosen, open, isShown }}
        problem={found?.problem}
        isEmpty={found?.hits?.length === 0 && options.length === 0}
      />
    </search>
  )
}

function groupsOfNothing(recent: readonly string[], commands: readonly Command[]): Group[] {
  const actions = commands.filter(({ isAction }) => isAction)
  return [...recentGroup(recent), ...commandGroup(actions)]
}

function groupsOfText(text: string, commands: readonly Command[], hits: readonly Hit[]): Group[] {
  return [...commandGroup(findCommands(commands, text)), ...groupsOf(hits)]
}

type Option = { key: string } & (
  | { search: string; hit?: never; command?: never }
  | { search?: never; hit: Hit; command?: never }
  | { search?: never; hit?: never; command: Command }
)
type Group = { name: string; options: Option[] }

function recentGroup(searches: readonly string[]): Group[] {
  const options = searches.map((search) => ({ key: search, search }))
  return options.length === 0 ? [] : [{ name: searchStrings.recent, options }]
}

function commandGroup(commands: readonly Command[]): Group[] {
  const options = commands
    .slice(0, COMMANDS_MAX)
    .map((command) => ({ key: `command ${command.href}`, command }))
  return options.length === 0 ? [] : [{ name: commandsStrings.group, options }]
}

// Groups the results by kind, ordered by the best result of each group.
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
                // Prevents the blur that would close the list before the click.
                onMouseDown={(event) => {
                  event.preventDefault()
                  open(option)
                }}
              >
                <OptionText option={option} />
              </div>
            ))}
          </div>
        ))}
      </div>
    </div>
  )
}

function OptionText({ option: { hit, command, search } }: { option: Option }) {
  if (hit) return <HitText hit={hit} />
  if (!command) return <>{search}</>
  return (
    <span class="hit-command">
      <Icon name={command.icon} />
      {command.name}
    </span>
  )
}

// Removes the status from the beginning of the detail, because a badge shows the status.
function plainDetail({ detail, status }: Hit): string | undefined {
  if (detail === status) return undefined
  const start = `${status}, `
  return detail?.startsWith(start) ? detail.slice(start.length) : (detail ?? undefined)
}

function HitText({ hit }: { hit: Hit }) {
  const { title, amount, currency, status, at } = hit
  const detail = plainDetail(hit)
  return (
    <>
      <span class="hit-title">{title}</span>
      {amount !== null && <Money amount={amount} currency={currency ?? 'NGN'} />}
      <span class="hit-detail muted">
        {status && <Badge state={status} />}
        {detail && <span>{detail}</span>}
        {at && <Time at={at} />}
      </span>
    </>
  )
}
