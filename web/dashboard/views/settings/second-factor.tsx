// Two-factor setup: password, secret, first code, recovery codes.

import { useState } from 'preact/hooks'
import { appStrings, settingsStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { DialogForm, ShowOnce } from '../../parts/dialog.tsx'
import { Field, textOf, useSending } from '../../parts/forms.tsx'
import { QrCode } from '../../parts/qr-code.tsx'
import { Copyable } from '../../parts/values.tsx'
import { ConfirmFields, type Factors, proofFrom } from './confirm-identity.tsx'

const { profile: strings } = settingsStrings
const TOTP = '/dashboard/api/totp'

type Begun = Schemas['TotpEnrolment']
type Step =
  | { at: 'rest' }
  | { at: 'password' }
  | ({ at: 'confirm' } & Begun)
  | { at: 'codes'; codes: string[] }
  | { at: 'remove' }

type Props = { factors: Factors; changed: (hasTotp: boolean) => void }

export function SecondFactor({ factors, changed }: Props) {
  const isOn = factors.hasTotp
  const [step, setStep] = useState<Step>({ at: 'rest' })
  const rest = () => setStep({ at: 'rest' })
  return (
    <section class="card panel" aria-labelledby="factor">
      <h2 id="factor">{strings.factor}</h2>
      <p class="muted">{stateOf(factors)}</p>
      <div class="actions">
        <button type="button" class="button" onClick={() => setStep({ at: 'password' })}>
          {isOn ? strings.replace : strings.setUp}
        </button>
        {isOn && (
          <button
            type="button"
            class="button danger-text"
            onClick={() => setStep({ at: 'remove' })}
          >
            {strings.remove}
          </button>
        )}
      </div>
      {step.at === 'password' && (
        <Begin
          factors={factors}
          close={rest}
          done={(begun) => setStep({ at: 'confirm', ...begun })}
        />
      )}
      {step.at === 'confirm' && (
        <ConfirmCode
          begun={step}
          close={rest}
          done={(codes) => {
            changed(true)
            setStep({ at: 'codes', codes })
          }}
        />
      )}
      {step.at === 'codes' && (
        <ShowOnce
          title={strings.codes}
          text={strings.codesText}
          secrets={step.codes}
          close={rest}
        />
      )}
      {step.at === 'remove' && (
        <Removal
          close={rest}
          done={() => {
            changed(false)
            rest()
          }}
        />
      )}
    </section>
  )
}

function stateOf({ hasTotp, hasPasskey }: Factors): string {
  if (hasTotp) return strings.factorOn
  return hasPasskey ? strings.factorPasskey : strings.factorOff
}

function Begin({
  factors,
  close,
  done,
}: {
  factors: Factors
  close: () => void
  done: (begun: Begun) => void
}) {
  const sending = useSending(async (given) => {
    done(await send('POST', TOTP, { body: await proofFrom(given) }))
  })
  return (
    <DialogForm title={strings.factor} action={strings.goOn} sending={sending} close={close}>
      <ConfirmFields {...factors} />
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
    const answer = await send('POST', `${TOTP}/confirm`, { body })
    done(answer.recoveryCodes)
  })
  return (
    <DialogForm title={strings.factor} action={strings.confirm} sending={sending} close={close}>
      <p class="muted">{strings.scan}</p>
      <QrCode text={uri} label={strings.qrCode} />
      <div class="secrets">
        <Copyable text={secret} name={appStrings.secret} />
      </div>
      <p>
        <a href={uri}>{strings.open}</a>
      </p>
      <CodeField label={strings.code} />
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
      title={strings.remove}
      action={strings.remove}
      sending={sending}
      close={close}
      isDangerous
    >
      <p class="muted">{strings.removeText}</p>
      <PasswordField />
      <CodeField label={strings.removeCode} />
    </DialogForm>
  )
}

const PasswordField = () => (
  <Field label={strings.askPassword}>
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
