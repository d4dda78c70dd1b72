// Shared by reports: the day or month in the address, export and print links, and states.

import type { ComponentChildren } from 'preact'
import { accountingStrings as strings } from '../../../copy.ts'
import { csvLink, type Query, withQuery } from '../../api.ts'
import { isDay, today } from '../../days.ts'
import type { Loaded } from '../../loading.ts'
import { dayAfter } from '../../parts/filters.tsx'
import { InputField } from '../../parts/forms.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Pending } from '../../parts/states.tsx'
import { currentPlace, goTo, hrefOf, type Place } from '../../routing.ts'

export function dayIn({ query }: Place): string {
  return isDay(query.day) && query.day <= today() ? query.day : today()
}

// Undefined: now.
export const endOf = (day: string) => (day < today() ? dayAfter(day) : undefined)

export function monthIn({ query: { month = '' } }: Place): string {
  const latest = today().slice(0, 7)
  return /^\d{4}-(?:0[1-9]|1[0-2])$/.test(month) && month <= latest ? month : latest
}

type ChoiceProps = { label: string; type?: 'date' | 'month'; name: string; value: string }

export function PeriodChoice({ label, type = 'date', name, value }: ChoiceProps) {
  const latest = type === 'date' ? today() : today().slice(0, 7)
  const choose = (chosen: string) => {
    const { query } = currentPlace()
    goTo(hrefOf('accounting', undefined, { ...query, [name]: chosen }), { replace: true })
  }
  return (
    <InputField
      label={label}
      type={type}
      value={value}
      max={latest}
      onChange={(event) => choose(event.currentTarget.value)}
    />
  )
}

type LinksProps = { path: string; query: Query; isPrinted?: boolean }

// `path` lacks its extension.
export function ReportLinks({ path, query, isPrinted = true }: LinksProps) {
  return (
    <div class="buttons">
      <a class="button" href={csvLink(`${path}.csv`, query)} download>
        <Icon name="download" />
        {strings.csv}
      </a>
      {isPrinted && (
        <a class="button" href={withQuery(`${path}.html`, query)} target="_blank" rel="noreferrer">
          {strings.print}
        </a>
      )}
    </div>
  )
}

type ReportProps<Data> = {
  fields: ComponentChildren
  links: ComponentChildren
  loaded: Loaded<Data>
  show: (data: Data) => ComponentChildren
}

export function Report<Data>({ fields, links, loaded, show }: ReportProps<Data>) {
  const { data, problem, reload } = loaded
  return (
    <>
      <header class="report-top">
        <div class="report-fields">{fields}</div>
        {links}
      </header>
      <Pending {...{ data, problem, reload }} kind="rows" lines={8} />
      {!problem && data && show(data)}
    </>
  )
}
