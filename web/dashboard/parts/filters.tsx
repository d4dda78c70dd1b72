// The filters of a list, in the query string. Selects apply at once; text and dates when complete. They fold
// up on a narrow page.

import { useState } from 'preact/hooks'
import { appStrings } from '../../copy.ts'
import type { Query } from '../api.ts'
import { humanize } from '../format.ts'
import { currentPlace, goTo, hrefOf } from '../routing.ts'
import { AppliedInput } from './applied-input.tsx'
import { Button } from './button.tsx'
import { Icon } from './icons.tsx'
import { Presets } from './presets.tsx'

export type Filter = {
  name: string
  label: string
  choices?: Readonly<Record<string, string>>
  unset?: string // The label of no choice.
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

type Props = { view: string; filters: readonly Filter[]; query: Query; csv?: string }

export function Filters({ view, filters, query, csv }: Props) {
  const set = (name: string, value: string) => {
    const { open, query: now } = currentPlace()
    goTo(hrefOf(view, open, { ...now, [name]: value.trim() }), { replace: true })
  }
  const [isOpen, setOpen] = useState(false)
  const count = filters.filter(({ name }) => query[name]).length
  const isDate = ({ name }: Filter) => DATES.some((date) => date.name === name)
  const dates = filters.filter(isDate)
  const show = (filter: Filter) => (
    <div key={filter.name} class="filter">
      <label for={`filter-${filter.name}`}>{filter.label}</label>
      <Control filter={filter} value={query[filter.name] ?? ''} set={set} />
    </div>
  )
  return (
    <form
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
        {appStrings.filters.fold(count)}
      </button>
      <div class="filters-body" id="filters">
        {filters.filter((filter) => !isDate(filter)).map(show)}
        {dates.length > 0 && (
          <div class="filter-period">
            {dates.map(show)}
            {dates.length === DATES.length && <Presets view={view} query={query} />}
          </div>
        )}
      </div>
      <div class="filters-end">
        {count > 0 && (
          <Button
            style="quiet"
            onClick={() =>
              goTo(hrefOf(view, undefined, withoutFilters(filters, query)), { replace: true })
            }
          >
            {appStrings.filters.clear}
          </Button>
        )}
        {csv && (
          <a class="button" href={csv} download>
            <Icon name="download" />
            {appStrings.filters.csv}
          </a>
        )}
      </div>
    </form>
  )
}

function Control({
  filter: { name, choices, unset, type, placeholder },
  value,
  set,
}: {
  filter: Filter
  value: string
  set: (name: string, value: string) => void
}) {
  if (choices) {
    return (
      <select
        id={`filter-${name}`}
        name={name}
        value={value}
        onChange={(event) => set(name, event.currentTarget.value)}
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
  const plain = (typed: string) => (type === 'amount' ? typed.replaceAll(/[₦,\s]/g, '') : typed)
  return (
    <AppliedInput
      id={`filter-${name}`}
      name={name}
      type={type === 'date' ? 'date' : 'text'}
      {...(type === 'amount' ? { inputMode: 'decimal' as const } : {})}
      placeholder={placeholder ?? ''}
      value={value}
      apply={(typed) => set(name, plain(typed))}
    />
  )
}

// Keeps other parts of the address, such as the tab.
export function withoutFilters(filters: readonly Filter[], query: Query): Query {
  const isFilter = (name: string) => filters.some((filter) => filter.name === name)
  return Object.fromEntries(Object.entries(query).filter(([name]) => !isFilter(name)))
}

// Only known filters. The API excludes `to`, so it becomes the next day.
export function filterQuery(filters: readonly Filter[], query: Query): Query {
  const values = filters.map(({ name }) => [name, query[name]] as const)
  return Object.fromEntries(
    values.map(([name, value]) => [name, name === 'to' && value ? dayAfter(value) : value]),
  )
}

export function dayAfter(date: string): string {
  const at = new Date(`${date}T00:00:00Z`)
  if (Number.isNaN(at.getTime())) return date
  return new Date(at.getTime() + 86_400_000).toISOString().slice(0, 10)
}
