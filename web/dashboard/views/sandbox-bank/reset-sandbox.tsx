// Resets the sandbox (docs/test-clock.md#reset), after saying what goes and what stays.

import { useState } from 'preact/hooks'
import { resetSandboxStrings as strings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { forgetEvents } from '../../live.ts'
import { Bullets } from '../../parts/bullets.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { toast } from '../../parts/toasts.tsx'

type Props = { isDisabled: boolean; done: () => void }

// Not while the clock advances: it would wait for that.
export function ResetSandbox({ isDisabled, done }: Props) {
  const [isAsked, setAsked] = useState(false)
  return (
    <section class="card bank-part bank-reset" aria-labelledby="reset">
      <h2 id="reset">{strings.title}</h2>
      <p class="muted small">{strings.text}</p>
      <div>
        <button
          type="button"
          class="button danger-text"
          aria-disabled={isDisabled}
          onClick={() => setAsked(!isDisabled)}
        >
          {strings.open}
        </button>
      </div>
      {isAsked && (
        <Confirm
          title={strings.sureTitle}
          action={strings.open}
          isDangerous
          run={() => send('POST', '/sandbox/reset', {})}
          done={() => {
            forgetEvents() // Their numbers begin anew.
            toast(strings.done)
            done()
          }}
          close={() => setAsked(false)}
        >
          <div class="form">
            <p>{strings.goesTitle}</p>
            <Bullets points={strings.goes} />
            <p>{strings.staysTitle}</p>
            <Bullets points={strings.stays} />
            <p>{strings.forGood}</p>
          </div>
        </Confirm>
      )}
    </section>
  )
}
