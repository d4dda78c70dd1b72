// The proof of a day as a sum: the ledger balance plus items in transit, explained differences and open
// differences equals the statement's balance. Also the status of the proof, as an icon, a word and a colour.

import { reconciliationStrings } from '../../../copy.ts'
import type { Data } from '../../api.ts'
import { firstNotDue, money } from '../../format.ts'
import { Icon, type IconName } from '../../parts/icons.tsx'
import { Time } from '../../parts/values.tsx'

const { proof: strings, statusTexts } = reconciliationStrings

export const PROOF = '/api/v1/operator/reconciliation'
export type DayProof = Data<typeof PROOF>

type Step = { sign: '' | '+' | '='; name: string; note?: string; amount: number | null }

// The lines of the sum. Items still waiting to be matched are part of `timing`, and have a line of their
// own.
function proofSteps(proof: DayProof): Step[] {
  const { ledger, timing, waiting, noted, difference, statement } = proof
  const inTransit = timing === null || waiting === null ? null : subtract(timing, waiting)
  return [
    { sign: '', name: strings.ledger, amount: ledger },
    { sign: '+', name: strings.timing, note: strings.timingText, amount: inTransit },
    { sign: '+', name: strings.waiting, note: strings.waitingText, amount: waiting },
    { sign: '+', name: strings.noted, note: strings.notedText, amount: noted },
    { sign: '+', name: strings.differences, note: strings.differencesText, amount: difference },
    { sign: '=', name: strings.statement, amount: statement },
  ]
}

// Rounds to kobo, because differences of decimals are inexact.
const subtract = (one: number, other: number) => Math.round((one - other) * 100) / 100

// A proof may balance except for items that are not matched yet or that somebody explained; the text names
// them.
function statusText(proof: DayProof, status: Status): string {
  if (status !== 'balanced' && status !== 'waiting' && status !== 'reconciling_items') {
    return statusTexts[status]
  }
  const { currency, waitingDifferences, waiting, notedDifferences, noted } = proof
  const amount = (sum: number | null) => money(sum ?? 0, currency)
  const exceptions = [
    waitingDifferences > 0 && strings.exceptWaiting(waitingDifferences, amount(waiting)),
    notedDifferences > 0 && strings.exceptNoted(notedDifferences, amount(noted)),
  ].filter(Boolean)
  if (exceptions.length === 0) return statusTexts[status]
  return strings.balancedExcept(exceptions.join(strings.and))
}

const SPOKEN = { '': '', '+': strings.plus, '=': strings.equals }

// The calculation from the balance of the books to the balance of the statement, line by line.
export function Proof({ proof }: { proof: DayProof }) {
  const status = statusOf(proof)
  const isRed = status === 'differences'
  return (
    <section class={`card panel proof ${status}`} aria-labelledby="proof">
      <h2 id="proof">{strings.title}</h2>
      <p class="muted">
        {statusText(proof, status)} {isRed && strings.untilResolved}
      </p>
      <p class="muted small">
        {strings.computed} <Time at={proof.computedAt} />
      </p>
      <table>
        <caption class="hidden">{strings.title}</caption>
        <tbody>
          {proofSteps(proof).map(({ sign, name, note, amount }) => (
            <tr key={name} class={sign === '=' ? 'total' : ''}>
              <td class="sign">
                <span aria-hidden="true">{sign}</span>
                <span class="hidden">{SPOKEN[sign]}</span>
              </td>
              <th scope="row">
                {name}
                {note && <span class="muted small">{note}</span>}
              </th>
              <td class={`amount ${name === strings.differences && isRed ? 'bad' : ''}`}>
                {amount === null ? strings.unknown : money(amount, proof.currency)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

export type Status = keyof typeof reconciliationStrings.statuses

export const TONES: Record<Status, string> = {
  balanced: 'good',
  reconciling_items: 'warn',
  waiting: 'calm',
  differences: 'bad',
  missing_statement: 'warn',
  not_due: 'calm',
  not_started: 'calm',
}

export const ICONS: Record<Status, IconName> = {
  balanced: 'check',
  reconciling_items: 'advice',
  waiting: 'suspense',
  differences: 'warning',
  missing_statement: 'advice',
  not_due: 'suspense',
  not_started: 'minus',
}

type Row = { status: string; day: string; waitingDifferences: number }

// The status to display. A day is not reported as lacking its statement if the statement is not due yet, or
// if the bank's first statement (`firstDay`) is later. A balanced day with unmatched items is not green,
// because an item that seems in transit may be missing.
export function statusOf({ status, day, waitingDifferences }: Row, firstDay = ''): Status {
  if (status === 'balanced') return waitingDifferences > 0 ? 'waiting' : status
  if (status === 'reconciling_items') return status
  if (status !== 'missing_statement') return 'differences'
  if (day >= firstNotDue()) return 'not_due'
  return day < firstDay ? 'not_started' : status
}

export function DayStatus({ status }: { status: Status }) {
  return (
    <span class={`badge ${TONES[status]}`}>
      <Icon name={ICONS[status]} />
      {reconciliationStrings.statuses[status]}
    </span>
  )
}
