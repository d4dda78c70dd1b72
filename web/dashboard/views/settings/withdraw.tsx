// Withdraws a fee rule or a tariff that has not taken effect, after a confirmation. What has shows nothing.

import { useState } from 'preact/hooks'
import { settingsStrings } from '../../../copy.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { toast } from '../../parts/toasts.tsx'

const { withdrawal: strings } = settingsStrings

type Props = {
  effectiveFrom: string
  title: string
  text: string
  run: () => Promise<unknown>
  done: () => void
}

export function Withdraw({ effectiveFrom, title, text, run, done }: Props) {
  const [isAsking, setAsking] = useState(false)
  if (new Date(effectiveFrom) <= new Date()) return null
  return (
    <>
      <div class="actions">
        <button type="button" class="button danger-text" onClick={() => setAsking(true)}>
          {strings.withdraw}
        </button>
      </div>
      {isAsking && (
        <Confirm
          title={title}
          action={strings.withdraw}
          isDangerous
          run={run}
          done={() => {
            toast(strings.withdrawn)
            done()
          }}
          close={() => setAsking(false)}
        >
          {text}
        </Confirm>
      )}
    </>
  )
}
