// The second factor: password, then the secret for the app, then its first code, then recovery codes.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { send } from '../../api.ts'
import { Dialog, ShownOnce } from '../../parts/dialog.tsx'
import { Field, textOf, useSending } from '../../parts/forms.tsx'
import { Failed } from '../../parts/states.tsx'
import { Copyable } from '../../parts/values.tsx'
import { SETTINGS_STRINGS } from '../../settings-strings.ts'
import { STRINGS } from '../../strings.ts'

const { you: said } = SETTINGS_STRINGS
const TOTP = '/dashboard/api/totp'

type Begun = { secret: string; uri: string }
type Step =
  | { at: 'rest' }
  | { at: 'password' }
  | ({ at: 'confirm' } & Begun)
  | { at: 'codes'; codes: string[] }
  | { at: 'remove' }

export function SecondFactor({ hasTotp }: { hasTotp: boolean }) {
  const [isOn, setOn] = useState(hasTotp)
  const [step, setStep] = useState<Step>({ at: 'rest' })
  const rest = () => setStep({ at: 'rest' })
  return (
    <section class="card panel" aria-labelledby="factor">
      <h2 id="factor">{said.factor}</h2>
      <p class="muted">{isOn ? said.factorOn : said.factorOff}</p>
      <div class="actions">
        <button type="button" class="button" onClick={() => setStep({ at: 'password' })}>
          {isOn ? said.replace : said.setUp}
        </button>
        {isOn && (
          <button
            type="button"
            class="button danger-text"
            onClick={() => setStep({ at: 'remove' })}
          >
            {said.remove}
          </button>
        )}
      </div>
      {step.at === 'password' && (
        <Begin close={rest} done={(begun) => setStep({ at: 'confirm', ...begun })} />
      )}
      {step.at === 'confirm' && (
        <ConfirmCode
          begun={step}
          close={rest}
          done={(codes) => {
            setOn(true)
            setStep({ at: 'codes', codes })
          }}
        />
      )}
      {step.at === 'codes' && (
        <ShownOnce title={said.codes} text={said.codesText} secrets={step.codes} close={rest} />
      )}
      {step.at === 'remove' && (
        <Removal
          close={rest}
          done={() => {
            setOn(false)
            rest()
          }}
        />
      )}
    </section>
  )
}

function Begin({ close, done }: { close: () => void; done: (begun: Begun) => void }) {
  const sending = useSending(async (given) => {
    done(await send<Begun>('POST', TOTP, { password: String(given.get('password')) }))
  })
  return (
    <StepForm title={said.factor} action={said.goOn} sending={sending} close={close}>
      <PasswordField />
    </StepForm>
  )
}

function ConfirmCode({
  begun: { secret, uri },
  close,
  done,
}: {
  begun: Begun
  close: () => void
  done: (codes: string[]) => void
}) {
  const sending = useSending(async (given) => {
    const body = { code: textOf(given, 'code') }
    const answer = await send<{ recoveryCodes: string[] }>('POST', `${TOTP}/confirm`, body)
    done(answer.recoveryCodes)
  })
  return (
    <StepForm title={said.factor} action={said.confirm} sending={sending} close={close}>
      <p class="muted">{said.scan}</p>
      <p>
        <a href={uri}>{said.open}</a>
      </p>
      <div class="secrets">
        <Copyable text={secret} name={STRINGS.secret} />
        <Copyable text={uri} name={said.open} />
      </div>
      <CodeField label={said.code} />
    </StepForm>
  )
}

function Removal({ close, done }: { close: () => void; done: () => void }) {
  const sending = useSending(async (given) => {
    const body = { password: String(given.get('password')), code: textOf(given, 'code') }
    await send('POST', `${TOTP}/remove`, body)
    done()
  })
  return (
    <StepForm title={said.remove} action={said.remove} sending={sending} close={close} isDangerous>
      <p class="muted">{said.removeText}</p>
      <PasswordField />
      <CodeField label={said.removeCode} />
    </StepForm>
  )
}

const PasswordField = () => (
  <Field label={said.askPassword}>
    {(id) => (
      <input id={id} name="password" type="password" autocomplete="current-password" required />
    )}
  </Field>
)

const CodeField = ({ label }: { label: string }) => (
  <Field label={label}>
    {(id) => <input id={id} name="code" autocomplete="one-time-code" required />}
  </Field>
)

type StepProps = {
  title: string
  action: string
  isDangerous?: boolean
  sending: ReturnType<typeof useSending>
  close: () => void
  children: ComponentChildren
}

function StepForm({ title, action, isDangerous, sending, close, children }: StepProps) {
  const { problem, isBusy, submit } = sending
  return (
    <Dialog title={title} close={close}>
      <form class="form" onSubmit={submit} aria-busy={isBusy}>
        {children}
        {problem && <Failed problem={problem} />}
        <div class="form-end">
          <button type="button" class="button" onClick={close}>
            {STRINGS.cancel}
          </button>
          <button
            type="submit"
            class={`button ${isDangerous ? 'danger' : 'primary'}`}
            disabled={isBusy}
          >
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
