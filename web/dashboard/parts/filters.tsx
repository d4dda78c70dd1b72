// The filters of a list, stored in the query string. A select applies at once; text and dates apply when
// complete. The first filters and the period are always visible; "Add filter" offers the others. Each applied
// filter has a chip that removes it. On a narrow page the fields fold; the chips stay visible.

import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { appStrings } from '../../copy.ts'
import type { Query } from '../api.ts'
import { datedDay, dayAfter, dayOf, humanize, isDay } from '../format.ts'
import { currentPlace, goTo, hrefOf } from '../routing.ts'
import { Button, Dropdown } from './controls.tsx'
import { ExportLinks } from './exports.tsx'
import { AppliedInput } from './forms.tsx'
import { Icon } from './icons.tsx'

export type Filter = {
  name: string
  label: string
  choices?: Readonly<Record<string, string>>
  unset?: string // The label of the empty choice.
  type?: 'date' | 'amount'
  placeholder?: string
}

export const DATES: readonly Filter[] = [
  { name: 'from', label: appStrings.filters.from, type: 'date' },
  { name: 'to', label: appStrings.filters.to, type: 'date' },
]

export const AMOUNTS: readonly Filter[] = [
  { name: 'minAmount', label: appStrings.filters.minAmount, type: 'amount', placeholder: '0.00' },
  { name: 'maxAmount', label: appStrings.filters.maxAmount, type: 'amount', placeholder: '0.00' },
]

export function humanized(values: readonly string[]): Record<string, string> {
  return Object.fromEntries(values.map((value) => [value, humanize(value)]))
}

// The export of the list. `path` has no extension.
type File = { path: string; query: Query; columns?: readonly string[] | undefined }
type Props = {
  view: string
  filters: readonly Filter[]
  query: Query
  file?: File
  tools?: ComponentChildren
}

const ALWAYS_VISIBLE = 3
const isDate = ({ name }: Filter) => DATES.some((date) => date.name === name)

// Replaces the current history entry, so that Back leaves the list instead of undoing filters one by one.
function setInUrl(view: string, changes: Query): void {
  const { open, query: current } = currentPlace()
  goTo(hrefOf(view, open, { ...current, ...changes }), { replace: true })
}

// `file` adds links to export the filtered list, `tools` further controls of the list.
export function Filters({ view, filters, query, file, tools }: Props) {
  const [isOpen, setOpen] = useState(false)
  const [added, setAdded] = useState<readonly string[]>([])
  const form = useRef<HTMLFormElement>(null)
  const applied = filters.filter(({ name }) => query[name])
  const dates = filters.filter(isDate)
  const otherFilters = filters.filter((filter) => !isDate(filter))
  const isShown = ({ name }: Filter, index: number) =>
    index < ALWAYS_VISIBLE ||
    query[name] ||
    added.includes(name) ||
    otherFilters.length <= ALWAYS_VISIBLE + 1
  const hidden = otherFilters.filter((filter, index) => !isShown(filter, index))
  const lastAdded = added.at(-1)
  useEffect(() => {
    if (lastAdded) form.current?.querySelector<HTMLElement>(`#filter-${lastAdded}`)?.focus()
  }, [added])
  const field = (filter: Filter) => (
    <div key={filter.name} class="filter">
      <label for={`filter-${filter.name}`}>{filter.label}</label>
      <Control
        filter={filter}
        value={query[filter.name] ?? ''}
        apply={(name, value) => setInUrl(view, { [name]: value.trim() })}
      />
    </div>
  )
  return (
    <form
      ref={form}
      class="filters"
      data-open={isOpen}
      aria-label={appStrings.filters.label}
      onSubmit={(event) => event.preventDefault()}
    >
      <button
        type="button"
        class="button filters-fold"
        aria-expanded={isOpen}
        aria-controls="filters"
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="filter" />
        {appStrings.filters.fold(applied.length)}
      </button>
      <div class="filters-body" id="filters">
        {otherFilters.filter(isShown).map(field)}
        {hidden.length > 0 && (
          <AddFilter hidden={hidden} add={(name) => setAdded([...added, name])} />
        )}
        {tools}
        {dates.length > 0 && (
          <div class="filter-period">
            {dates.map(field)}
            {dates.length === DATES.length && <Presets view={view} query={query} />}
          </div>
        )}
      </div>
      <div class="filters-end">{file && <ExportLinks {...file} />}</div>
      {applied.length > 0 && <AppliedChips {...{ view, filters, applied, query }} />}
    </form>
  )
}

function AddFilter({ hidden, add }: { hidden: readonly Filter[]; add: (name: string) => void }) {
  return (
    <Dropdown id="more-filters" icon="filter" label={appStrings.filters.add} style="add-filter">
      {(close) =>
        hidden.map(({ name, label }) => (
          <Button
            key={name}
            style="quiet"
            onClick={() => {
              close()
              add(name)
            }}
          >
            {label}
          </Button>
        ))
      }
    </Dropdown>
  )
}

type AppliedProps = Pick<Props, 'view' | 'filters' | 'query'> & { applied: readonly Filter[] }

function AppliedChips({ view, filters, applied, query }: AppliedProps) {
  const clear = () =>
    goTo(hrefOf(view, undefined, withoutFilters(filters, query)), { replace: true })
  return (
    <div class="chips">
      {applied.map((filter) => (
        <button
          key={filter.name}
          type="button"
          class="chip"
          onClick={({ currentTarget }) => {
            focusAfterRemoval(currentTarget)
            setInUrl(view, { [filter.name]: undefined })
          }}
        >
          <span class="hidden">{appStrings.filters.remove}</span>
          <span>{`${filter.label}: ${shownValue(filter, query[filter.name] as string)}`}</span>
          <Icon name="close" />
        </button>
      ))}
      <Button style="quiet" onClick={clear}>
        {appStrings.filters.clear}
      </Button>
    </div>
  )
}

// Moves the focus from a removed chip to another chip, or else to the first control of the filters.
function focusAfterRemoval(chip: HTMLButtonElement): void {
  const controls = chip.form?.querySelectorAll<HTMLElement>('.filters-fold, .filters-body *') ?? []
  const chips = chip.parentElement?.querySelectorAll<HTMLElement>('.chip') ?? []
  const nextChip = [...chips].find((other) => other !== chip)
  const firstControl = [...controls].find(
    (control) => control.matches('button, input, select') && control.offsetParent,
  )
  ;(nextChip ?? firstControl)?.focus()
}

// The value of a filter on its chip: a date in words, the name of a choice, or the text itself.
function shownValue({ choices, type }: Filter, value: string): string {
  if (type === 'date') return isDay(value) ? datedDay(value) : value
  return choices?.[value] ?? value
}

type ControlProps = { filter: Filter; value: string; apply: (name: string, value: string) => void }

// A filter’s field: a dropdown if the filter has choices, else a text or date field.
function Control(props: ControlProps) {
  const { filter, value, apply } = props
  const { name, choices, unset, type, placeholder } = filter
  if (choices) {
    return (
      <select
        id={`filter-${name}`}
        name={name}
        value={value}
        onChange={(event) => apply(name, event.currentTarget.value)}
      >
        <option value="">{unset ?? appStrings.filters.all}</option>
        {Object.entries(choices).map(([choice, label]) => (
          <option key={choice} value={choice}>
            {label}
          </option>
        ))}
      </select>
    )
  }
  const withoutSeparators = (typed: string) =>
    type === 'amount' ? typed.replaceAll(/[₦,\s]/g, '') : typed
  return (
    <AppliedInput
      id={`filter-${name}`}
      name={name}
      type={type === 'date' ? 'date' : 'text'}
      {...(type === 'amount' ? { inputMode: 'decimal' as const } : {})}
      placeholder={placeholder ?? ''}
      value={value}
      apply={(typed) => apply(name, withoutSeparators(typed))}
    />
  )
}

// Removes the filters from the query, and keeps its other parts, such as the tab.
export function withoutFilters(filters: readonly Filter[], query: Query): Query {
  const isFilter = (name: string) => filters.some((filter) => filter.name === name)
  return Object.fromEntries(Object.entries(query).filter(([name]) => !isFilter(name)))
}

// Converts known filters to a query of the API. In the API `to` is exclusive, so `to` becomes the next day.
export function filterQuery(filters: readonly Filter[], query: Query): Query {
  const values = filters.map(({ name }) => [name, query[name]] as const)
  return Object.fromEntries(
    values.map(([name, value]) => [name, name === 'to' && value ? dayAfter(value) : value]),
  )
}

type Preset = keyof typeof appStrings.filters.presets
type Period = { from: string; to: string }

const DAY_MS = 86_400_000

// The period includes its first and last day.
function periodOf(preset: Preset, now: Date): Period {
  const today = dayOf(now)
  const dayBefore = (days: number) => dayOf(new Date(now.getTime() - days * DAY_MS))
  switch (preset) {
    case 'today':
      return { from: today, to: today }
    case 'yesterday':
      return { from: dayBefore(1), to: dayBefore(1) }
    case 'week':
      return { from: dayBefore(6), to: today }
    case 'month':
      return { from: `${today.slice(0, 8)}01`, to: today }
  }
}

// The buttons for common periods. Pressing the current one again removes the period.
function Presets({ view, query }: { view: string; query: Query }) {
  const names = Object.keys(appStrings.filters.presets) as Preset[]
  const now = new Date()
  return (
    // biome-ignore lint/a11y/useSemanticElements: A row of buttons is no fieldset.
    <div class="presets" role="group" aria-label={appStrings.filters.period}>
      {names.map((name) => {
        const period = periodOf(name, now)
        const isChosen = query.from === period.from && query.to === period.to
        const next = isChosen ? { from: undefined, to: undefined } : period
        return (
          <button
            key={name}
            type="button"
            class="button quiet"
            aria-pressed={isChosen}
            onClick={() => setInUrl(view, next)}
          >
            {appStrings.filters.presets[name]}
          </button>
        )
      })}
    </div>
  )
}
