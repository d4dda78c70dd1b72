// Links to the statement of an account, as CSV and to print, for all time or for chosen days.

import type { TargetedEvent } from 'preact'
import { useState } from 'preact/hooks'
import { statementsStrings as strings } from '../../copy.ts'
import { withQuery } from '../api.ts'
import { ExportLinks } from './export-links.tsx'
import { dayAfter } from './filters.tsx'
import { Field } from './forms.tsx'

export type Days = { from: string; to: string } // `to` is exclusive, as in a query.

// Links to the statement of the chosen days, or of all time. `path` has no extension. The caller’s `choose`
// gets the chosen days as the API takes them: `to` is exclusive there, so it is the next day.
export function StatementLinks({ path, choose }: { path: string; choose?: (days: Days) => void }) {
  const [days, setDays] = useState({ from: '', to: '' })
  const queryOf = ({ from, to }: Days): Days => ({ from, to: to && dayAfter(to) })
  const query = queryOf(days)
  const day = (name: 'from' | 'to') => (
    <Field label={strings[name]}>
      {(id) => (
        <input
          id={id}
          type="date"
          value={days[name]}
          onInput={(event: TargetedEvent<HTMLInputElement>) => {
            const newDays = { ...days, [name]: event.currentTarget.value }
            setDays(newDays)
            choose?.(queryOf(newDays))
          }}
        />
      )}
    </Field>
  )
  return (
    <section class="statement" aria-label={strings.title}>
      <h3>{strings.title}</h3>
      <div class="statement-days">
        {day('from')}
        {day('to')}
      </div>
      <div class="buttons">
        <ExportLinks {...{ path, query }} isOfOne />
        <a class="button" href={withQuery(`${path}.html`, query)} target="_blank" rel="noreferrer">
          {strings.print}
        </a>
      </div>
    </section>
  )
}
