// Figures with their names, and the balances of a client: now, or at the end of a day.

import type { ComponentChildren } from 'preact'
import { balancesStrings as strings } from '../../copy.ts'
import type { Schemas } from '../api.ts'
import { dayAfter, money } from '../format.ts'
import { useData } from '../loading.ts'
import { goTo, hrefOf, type Place } from '../routing.ts'
import { Button, Link } from './controls.tsx'
import { StatementLinks } from './exports.tsx'
import { AppliedInput, Field } from './forms.tsx'
import { Failed, Pending } from './states.tsx'
import { Term, type TermName } from './term.tsx'

type Props = {
  name: string
  note: string
  tone?: string
  view?: string
  term?: TermName // The term whose definition the name shows. Ignored if the name is a link.
  isMain?: boolean
  children: ComponentChildren
}

// A figure with its name and a note. With `view`, the name links to that view.
export function Stat({ name, note, tone = '', view, term, isMain, children }: Props) {
  return (
    <div class={`stat ${tone} ${isMain ? 'main' : ''}`}>
      <dt>
        {view !== undefined ? (
          <Link class="stat-link" href={hrefOf(view)}>
            {name}
          </Link>
        ) : (
          withDefinition(term, name)
        )}
      </dt>
      <dd class="stat-value">{children}</dd>
      <dd class="muted small">{note}</dd>
    </div>
  )
}

const withDefinition = (term: TermName | undefined, name: string) =>
  term ? <Term term={term} text={name} /> : name

type Balance = Schemas['Balance']
type Part = keyof typeof strings.parts

const ALWAYS: readonly Part[] = ['available', 'pending', 'reserved', 'inTransit']
const IF_ANY: readonly Part[] = ['subaccounts', 'held', 'forfeited', 'receivable']
const WARNING: readonly Part[] = ['held', 'forfeited', 'receivable']

// The balances on the page Ledger, now or at the end of the day in the URL.
export function Balances({ place }: { place: Place }) {
  const { at = '' } = place.query
  const day = /^\d{4}-\d{2}-\d{2}$/.test(at) ? at : ''
  // The end of a day is the start of the next.
  const { data, problem, reload } = useData('/api/v1/balances', {}, { at: day && dayAfter(day) })
  // Users restricted to some merchants see no total sums.
  if (problem?.code === 'merchants_restricted') return null
  return (
    <section class="balances" aria-labelledby="balances">
      <header class="balances-top">
        <h2 id="balances" class="section">
          {strings.title}
        </h2>
        <DayChoice day={day} place={place} />
      </header>
      <Pending {...{ data, problem, reload }} kind="stats" lines={4} />
      {data && !problem && <BalanceStats totals={data.totals} />}
      <StatementLinks path="/api/v1/balances/statement" />
    </section>
  )
}

function DayChoice({ day, place }: { day: string; place: Place }) {
  const choose = (at: string) =>
    goTo(hrefOf('ledger', undefined, { ...place.query, at }), { replace: true })
  return (
    <div class="balances-day">
      <Field label={strings.at}>
        {(id) => <AppliedInput id={id} type="date" value={day} apply={choose} />}
      </Field>
      {day !== '' && (
        <Button style="quiet" onClick={() => choose('')}>
          {strings.now}
        </Button>
      )}
    </div>
  )
}

// The balances of a client before its first credit.
const ZERO_BALANCES = [{ currency: 'NGN', available: 0, pending: 0, reserved: 0, inTransit: 0 }]

type ShownBalance = Partial<Balance> & { currency: string }

// Shows the balances of each currency. A client without money gets zeros.
function BalanceStats({ totals }: { totals: readonly Balance[] }) {
  const rows: readonly ShownBalance[] = totals.length > 0 ? totals : ZERO_BALANCES
  return (
    <>
      {rows.map((total) => (
        <dl key={total.currency} class="stats">
          {[...ALWAYS, ...IF_ANY.filter((part) => (total[part] ?? 0) > 0)].map((part) => (
            <Stat
              key={part}
              name={strings.parts[part]}
              note={noteFor(part, total)}
              term={part}
              tone={WARNING.includes(part) ? 'warn' : ''}
            >
              {money(total[part] ?? 0, total.currency)}
            </Stat>
          ))}
        </dl>
      ))}
    </>
  )
}

// Returns the note below a balance. A client that owes money is paid out only what remains after the debt.
function noteFor(part: Part, { currency, available = 0, receivable = 0 }: ShownBalance): string {
  if (part !== 'available' || receivable <= 0) return strings.notes[part]
  return strings.toPayOut(money(Math.max(available - receivable, 0), currency))
}

export function BalancesToday({ refreshKey }: { refreshKey: number }) {
  const { data, problem, reload } = useData('/api/v1/balances', {}, {}, refreshKey)
  const isRestricted = problem?.code === 'merchants_restricted'
  if (isRestricted || (!data && !problem)) return null
  return (
    <section aria-labelledby="balances">
      <h2 id="balances" class="section">
        {strings.title}
      </h2>
      {problem && <Failed problem={problem} retry={reload} />}
      {data && <BalanceStats totals={data.totals} />}
    </section>
  )
}
