// The proof of a day as an addition: the ledger's balance, what is in transit, what is explained and
// what differs make the statement's balance.

import { reconciliationStrings } from '../../../copy.ts'
import type { Data } from '../../api.ts'
import { money } from '../../format.ts'
import { statusOf } from './day-status.tsx'

const { proof: strings, statusTexts } = reconciliationStrings

export const PROOF = '/api/v1/operator/reconciliation'
export type DayProof = Data<typeof PROOF>

type Step = { sign: '' | '+' | '='; name: string; note?: string; amount: number | null }

function stepsOf({ ledger, timing, noted, difference, statement }: DayProof): Step[] {
  return [
    { sign: '', name: strings.ledger, amount: ledger },
    { sign: '+', name: strings.timing, note: strings.timingText, amount: timing },
    { sign: '+', name: strings.noted, note: strings.notedText, amount: noted },
    { sign: '+', name: strings.differences, note: strings.differencesText, amount: difference },
    { sign: '=', name: strings.statement, amount: statement },
  ]
}

const SPOKEN = { '': '', '+': strings.plus, '=': strings.equals }

export function Proof({ proof }: { proof: DayProof }) {
  const status = statusOf(proof)
  const isRed = status === 'differences'
  return (
    <section class={`card panel proof ${status}`} aria-labelledby="proof">
      <h2 id="proof">{strings.title}</h2>
      <p class="muted">
        {statusTexts[status]} {isRed && strings.asOf}
      </p>
      <table>
        <caption class="hidden">{strings.title}</caption>
        <tbody>
          {stepsOf(proof).map(({ sign, name, note, amount }) => (
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
