// The outcome of an import: counts, or the line and reason of the refusal.

import { bankStatementsStrings as strings } from '../../../copy.ts'
import { Problem } from '../../api.ts'
import { count, money } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { type Fact, Facts } from '../../parts/drawer.tsx'
import { Failed } from '../../parts/states.tsx'
import { goTo, hrefOf } from '../../routing.ts'
import type { Outcome, Taken } from './importing.ts'

const COUNTS = ['lines', 'newLines', 'matched', 'differences'] as const

type Refused = Extract<Outcome, { isTaken: false }>

export function ImportResult({ outcome, close }: { outcome: Outcome; close: () => void }) {
  if (outcome.isTaken) return <Imported taken={outcome.taken} close={close} />
  return (
    <Dialog title={strings.refused} close={close}>
      <div class="form">
        <Failed problem={reasonOf(outcome)} />
        <p class="muted">{strings.refusedText}</p>
        <div class="form-end">
          <Button style="primary" onClick={close}>
            {strings.done}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

// Only the fault and its line matter.
function reasonOf({ problem, record }: Refused): Problem {
  if (problem.code !== 'statement_refused') return problem
  const { line, message } = record?.error ?? { line: null, message: problem.fields[0]?.message }
  if (!message) return problem
  return new Problem(problem.code, line === null ? message : strings.atLine(count(line), message))
}

function Imported({ taken, close }: { taken: Taken; close: () => void }) {
  const [first] = taken.statements
  const { opening, closing } = taken
  const balance = (amount: number | null) =>
    amount === null ? null : money(amount, first?.currency ?? 'NGN')
  const facts: Fact[] = [
    ...COUNTS.map((name): Fact => [strings.results[name], count(taken[name])]),
    [strings.results.opening, balance(opening)],
    [strings.results.closing, balance(closing)],
  ]
  const see = () => {
    close()
    if (!first) return
    const { bankCode, currency, toDay: day } = first
    goTo(hrefOf('reconciliation', undefined, { bankCode, day, currency }))
  }
  return (
    <Dialog title={taken.isUnchanged ? strings.unchanged : strings.taken} close={close}>
      <div class="form">
        {taken.isUnchanged && <p class="muted">{strings.unchangedText}</p>}
        <div class="sums">
          <Facts facts={facts} />
        </div>
        <div class="form-end">
          <Button onClick={close}>{strings.done}</Button>
          {first && (
            <Button style="primary" onClick={see}>
              {strings.seeDay}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  )
}
