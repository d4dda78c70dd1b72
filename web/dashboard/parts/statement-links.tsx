// The statement of an account, of all time or of chosen days: as CSV, and as a page to print.

import type { TargetedEvent } from 'preact'
import { useState } from 'preact/hooks'
import { withQuery } from '../api.ts'
import { statementsStrings as strings } from '../strings/statements.ts'
import { dayAfter } from './filters.tsx'
import { Field } from './forms.tsx'
import { Icon } from './icons.tsx'

// The path without its ending.
export function StatementLinks({ path }: { path: string }) {
  const [days, setDays] = useState({ from: '', to: '' })
  const query = { from: days.from, to: days.to && dayAfter(days.to) }
  const day = (name: 'from' | 'to') => (
    <Field label={strings[name]}>
      {(id) => (
        <input
          id={id}
          type="date"
          value={days[name]}
          onInput={(event: TargetedEvent<HTMLInputElement>) =>
            setDays({ ...days, [name]: event.currentTarget.value })
          }
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
        <a class="button" href={withQuery(`${path}.csv`, query)} download>
          <Icon name="download" />
          {strings.csv}
        </a>
        <a class="button" href={withQuery(`${path}.html`, query)} target="_blank" rel="noreferrer">
          {strings.print}
        </a>
      </div>
    </section>
  )
}
