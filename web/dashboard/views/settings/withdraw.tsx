// Withdraws a fee rule or tariff that has not taken effect, after a confirmation. Renders nothing for one in
// effect.

import { settingsStrings } from '../../../copy.ts'
import { Action } from '../../parts/action.tsx'

const { withdrawal: strings } = settingsStrings

type Props = {
  effectiveFrom: string
  title: string
  text: string
  run: () => Promise<unknown>
  onDone: () => void
}

// The button that withdraws a rule or tariff. Renders nothing once it has taken effect.
export function Withdraw({ effectiveFrom, title, text, run, onDone }: Props) {
  if (new Date(effectiveFrom) <= new Date()) return null
  return (
    <div class="actions">
      <Action
        title={title}
        action={strings.withdraw}
        style="danger-text"
        isDangerous
        text={text}
        run={run}
        message={strings.withdrawn}
        onDone={onDone}
      />
    </div>
  )
}
