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

// Returns the link of a result. `of` is the payment or credit that a refund belongs to, and opens instead of
// the refund. For a user with accounting access, payouts open in the list of all clients. A payment request
// has ADVICE_PREFIX before its reference.
function hrefOfHit({ type, reference, of }: Hit, session: Session): string {
  const target = of ?? { type, reference }
  const view = VIEW_OF[target.type]
  if (type === 'advice') return hrefOf(view, `${ADVICE_PREFIX}${reference}`)
  if (type === 'statement') return hrefOf(view, reference, { tab: 'statements' })
  if (type === 'event') return hrefOf(view, reference, { tab: 'deliveries' })
  const inAllClients = type === 'payout' && session.scopes.includes('accounting:read')
  return hrefOf(view, target.reference, inAllClients ? { tab: 'all' } : {})
}

// Searches when the user pauses typing. Ignores results for earlier text.
export function useHits(search: string): State | undefined {
  const [state, setState] = useState<State | undefined>()
  useEffect(() => {
    if (search === '') return
    const abort = new AbortController()
    // Sends the request after a pause, unless more is typed before its end.
    const timer = window.setTimeout(async () => {
      try {
        const query = { q: search }
        const hits = await getData('/api/v1/search', {}, { query, signal: abort.signal })
        setState({ search, hits })
      } catch (error) {
        if (!abort.signal.aborted) setState({ search, problem: problemFrom(error) })
      }
    }, DEBOUNCE_MS)
    return () => {
      window.clearTimeout(timer)
      abort.abort()
    }
  }, [search])
  return state?.search === search ? state : undefined
}

type Props = { session: Session; commands: readonly Command[] }

// The state of the search field: its text, the options for it, and the keys that move among them.
function useSearch({ session, commands }: Props) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const [isOpen, setOpen] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const search = text.trim()
  const results = useHits(search)
  const user = session.user.email
  const recent = isOpen && search === '' ? recentSearches(user) : []
  const isEmpty = search === ''
  const groups = isEmpty
    ? groupsBeforeTyping(recent, isOpen ? commands : [])
    : groupsForText(search, commands, results?.hits ?? [])
  const options = groups.flatMap((group) => group.options)
  const isShown = isOpen && (options.length > 0 || (search !== '' && results !== undefined))
  // The text for which the user pressed Enter before its results came. The first result then opens at once.
  const enterPressedFor = useRef<string | undefined>(undefined)

  // Opens an option. A recent search only fills in its text.
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
    if (!results || enterPressedFor.current !== search) return
    enterPressedFor.current = undefined
    if (first) open(first)
  }, [results])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      // Escape first closes the results, then clears the text, then leaves the field.
      if (!isShown && text === '') field.current?.blur()
      else if (!isShown) setText('')
      setOpen(false)
    }
    const option = options[chosen]
    const isEnter = event.key === 'Enter'
    enterPressedFor.current = isEnter && search !== '' && !results && !option ? search : undefined
    if (isEnter) event.preventDefault() // Enter must not also press the element that gets the focus next.
    if (isEnter && isShown && option) open(option)
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key] // The arrows choose an option.
    if (step === undefined) return
    event.preventDefault()
    setOpen(true)
    if (isShown && options.length > 0) setChosen((chosen + step + options.length) % options.length)
  }
  const onType = (typed: string) => {
    setText(typed)
    setChosen(0) // The first option for the new text.
    setOpen(true)
  }
  return {
    search,
    text,
    onType,
    onKeyDown,
    open,
    setOpen,
    field,
    results,
    groups,
    options,
    chosen,
    isShown,
  }
}

export function SearchBox(props: Props) {
  const { text, onType, onKeyDown, open, setOpen, field, ...view } = useSearch(props)
  const { search, results, groups, options, chosen, isShown } = view
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
        onInput={(event) => onType(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
      />
      <kbd>/</kbd>
      <p class="hidden" role="status">
        {isShown && (search === '' || results?.hits) && searchStrings.found(options.length)}
      </p>
      <Hits
        {...{ groups, chosen, open, isShown }}
        problem={results?.problem}
        isEmpty={results?.hits?.length === 0 && options.length === 0}
      />
    </search>
  )
}

// The options of an empty field: the recent searches, then the actions.
function groupsBeforeTyping(recent: readonly string[], commands: readonly Command[]): Group[] {
  const actions = commands.filter(({ isAction }) => isAction)
  return [...recentGroup(recent), ...commandGroup(actions)]
}

function groupsForText(text: string, commands: readonly Command[], hits: readonly Hit[]): Group[] {
  return [...commandGroup(findCommands(commands, text)), ...groupHits(hits)]
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

// The first commands as a group of options; no group without commands.
function commandGroup(commands: readonly Command[]): Group[] {
  const options = commands
    .slice(0, COMMANDS_MAX)
    .map((command) => ({ key: `command ${command.href}`, command }))
  return options.length === 0 ? [] : [{ name: commandsStrings.group, options }]
}

// Groups the results by kind, ordered by the best result of each group.
function groupHits(hits: readonly Hit[]): Group[] {
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

// The options in their groups. `chosen` counts the options across all groups, as `positions` does.
function Hits({ groups, chosen, isShown, isEmpty, problem, open }: HitsProps) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [groups, chosen])
  const positions = new Map(
    groups.flatMap(({ options }) => options).map(({ key }, index) => [key, index]),
  )
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
                id={`hit-${positions.get(option.key)}`}
                role="option"
                tabIndex={-1}
                aria-selected={positions.get(option.key) === chosen}
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

// An option is a result, a command or an earlier search.
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
function detailWithoutStatus({ detail, status }: Hit): string | undefined {
  if (detail === status) return undefined
  const statusPrefix = `${status}, `
  return detail?.startsWith(statusPrefix)
    ? detail.slice(statusPrefix.length)
    : (detail ?? undefined)
}

function HitText({ hit }: { hit: Hit }) {
  const { title, amount, currency, status, at } = hit
  const detail = detailWithoutStatus(hit)
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
