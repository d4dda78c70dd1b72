// The day as a sum, from gross to net, compared with the same hours of last week.

import { todayStrings as strings } from '../../copy.ts'
import type { Schemas } from '../api.ts'
import { hour, money, share, shownTime } from '../format.ts'
import { Money } from './values.tsx'

type Overview = Schemas['Overview']

const LESS = ['reversed', 'returned', 'refunded', 'suspended', 'fees'] as const

export function DaySum({ overview }: { overview: Overview }) {
  const { today, currency, comparison } = overview
  return (
    <section class="card day-sum" aria-labelledby="day-sum">
      <header class="card-top">
        <h2 id="day-sum">{strings.sum}</h2>
      </header>
      <dl class="sums">
        <div>
          <dt>{strings.gross}</dt>
          <dd>
            <Money amount={today.gross} currency={currency} />
          </dd>
        </div>
        {LESS.map((name) => (
          <div key={name}>
            <dt>{strings.parts[name]}</dt>
            <dd>{signed(-today[name])}</dd>
          </div>
        ))}
        <div class="total">
          <dt>{strings.netOf}</dt>
          <dd>
            <Money amount={today.net} currency={currency} />
          </dd>
        </div>
      </dl>
      <Comparison comparison={comparison} />
    </section>
  )
}

// Deductions have a minus; a plus means more came back than went.
function signed(amount: number): string {
  if (amount === 0) return money(0)
  return amount < 0 ? `−${money(-amount)}` : `+${money(amount)}`
}

function Comparison({ comparison }: Pick<Overview, 'comparison'>) {
  const { until, today, lastWeek } = comparison
  return (
    <div class="compared">
      <p class="muted small">{strings.compared(shownTime(until))}</p>
      <table>
        <caption class="hidden">{strings.comparison}</caption>
        <thead>
          <tr>
            <td />
            <th scope="col">{strings.thisDay(hour(until))}</th>
            <th scope="col">{strings.lastWeek(hour(until))}</th>
            <th scope="col">{strings.change}</th>
          </tr>
        </thead>
        <tbody>
          {(['gross', 'net'] as const).map((name) => (
            <tr key={name}>
              <th scope="row">{name === 'gross' ? strings.gross : strings.netOf}</th>
              <td>{money(today[name])}</td>
              <td>{money(lastWeek[name])}</td>
              <td>{changeOf(today[name], lastWeek[name])}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

// Nothing has no percentage.
function changeOf(now: number, before: number): string {
  if (now === before) return strings.same
  if (before <= 0) return strings.noPercentage
  const part = share(Math.abs(now - before) / before)
  return now > before ? strings.up(part) : strings.down(part)
}
