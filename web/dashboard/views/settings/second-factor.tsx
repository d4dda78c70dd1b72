// The second factor: password, then the secret for the app, then its first code, then recovery codes.

import { useState } from 'preact/hooks'
import { send } from '../../api.ts'
import { DialogForm, ShownOnce } from '../../parts/dialog.tsx'
import { Field, textOf, useSending } from '../../parts/forms.tsx'
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
    done(await send<Begun>('POST', TOTP, { body: { password: String(given.get('password')) } }))
  })
  return (
    <DialogForm title={said.factor} action={said.goOn} sending={sending} close={close}>
      <PasswordField />
    </DialogForm>
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
    const answer = await send<{ recoveryCodes: string[] }>('POST', `${TOTP}/confirm`, { body })
    done(answer.recoveryCodes)
  })
  return (
    <DialogForm title={said.factor} action={said.confirm} sending={sending} close={close}>
      <p class="muted">{said.scan}</p>
      <p>
        <a href={uri}>{said.open}</a>
      </p>
      <div class="secrets">
        <Copyable text={secret} name={STRINGS.secret} />
        <Copyable text={uri} name={said.open} />
      </div>
      <CodeField label={said.code} />
    </DialogForm>
  )
}

function Removal({ close, done }: { close: () => void; done: () => void }) {
  const sending = useSending(async (given) => {
    const body = { password: String(given.get('password')), code: textOf(given, 'code') }
    await send('POST', `${TOTP}/remove`, { body })
    done()
  })
  return (
    <DialogForm
      title={said.remove}
      action={said.remove}
      sending={sending}
      close={close}
      isDangerous
    >
      <p class="muted">{said.removeText}</p>
      <PasswordField />
      <CodeField label={said.removeCode} />
    </DialogForm>
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
