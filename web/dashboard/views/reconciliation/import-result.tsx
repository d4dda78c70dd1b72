// What became of an import: what was taken, or the line and reason of the refusal.

import { count, money } from '../../format.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { type Fact, Facts } from '../../parts/drawer.tsx'
import { Failed } from '../../parts/states.tsx'
import { goTo, hrefOf } from '../../routing.ts'
import { bankStatementsStrings as strings } from '../../strings/bank-statements.ts'
import type { Outcome, Taken } from './importing.ts'

const COUNTS = ['lines', 'newLines', 'matched', 'differences'] as const

type Props = { outcome: Outcome; close: () => void }

export function ImportResult({ outcome, close }: Props) {
  if (outcome.isTaken) return <Imported taken={outcome.taken} close={close} />
  const { problem, record } = outcome
  const error = record?.error
  return (
    <Dialog title={strings.refused} close={close}>
      <div class="form">
        <Failed problem={problem} />
        {error?.line != null && error.message !== problem.message && (
          <p>{strings.atLine(count(error.line), error.message)}</p>
        )}
        <p class="muted">{strings.refusedText}</p>
        <div class="form-end">
          <button type="button" class="button primary" onClick={close}>
            {strings.done}
          </button>
        </div>
      </div>
    </Dialog>
  )
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
          <button type="button" class="button" onClick={close}>
            {strings.done}
          </button>
          {first && (
            <button type="button" class="button primary" onClick={see}>
              {strings.seeDay}
            </button>
          )}
        </div>
      </div>
    </Dialog>
  )
}
