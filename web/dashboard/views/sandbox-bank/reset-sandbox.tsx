// Resets the sandbox (docs/test-clock.md#reset), after saying what goes and what stays.

import { resetSandboxStrings as strings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { forgetEvents } from '../../live.ts'
import { Action } from '../../parts/action.tsx'
import { Bullets } from '../../parts/bullets.tsx'

// Disabled while the clock advances, which would delay the reset.
export function ResetSandbox({ isDisabled, done }: { isDisabled: boolean; done: () => void }) {
  return (
    <section class="card bank-part bank-reset" aria-labelledby="reset">
      <h2 id="reset">{strings.title}</h2>
      <p class="muted small">{strings.text}</p>
      <div>
        <Action
          title={strings.sureTitle}
          action={strings.open}
          style="danger-text"
          isDisabled={isDisabled}
          isDangerous
          text={
            <div class="form">
              <p>{strings.goesTitle}</p>
              <Bullets points={strings.goes} />
              <p>{strings.staysTitle}</p>
              <Bullets points={strings.stays} />
              <p>{strings.forGood}</p>
            </div>
          }
          run={() => send('POST', '/sandbox/reset', {})}
          message={strings.done}
          done={() => {
            forgetEvents() // Event numbers start again.
            done()
          }}
        />
      </div>
    </section>
  )
}
