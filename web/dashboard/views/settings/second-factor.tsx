// Two-factor setup: password, secret, first code, recovery codes.

import { useState } from 'preact/hooks'
import { appStrings, settingsStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { Action, ActionDialog } from '../../parts/action.tsx'
import { Button } from '../../parts/button.tsx'
import { ShowOnce } from '../../parts/dialog.tsx'
import { InputField } from '../../parts/forms.tsx'
import { QrCode } from '../../parts/qr-code.tsx'
import { Copyable } from '../../parts/values.tsx'
import { ConfirmFields, type Factors, proofFrom } from './confirm-identity.tsx'

const { profile: strings } = settingsStrings
const TOTP = '/dashboard/api/totp'

type Enrolment = Schemas['TotpEnrolment']
type Step =
  | { at: 'rest' | 'password' }
  | ({ at: 'confirm' } & Enrolment)
  | { at: 'codes'; codes: string[] }

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
        <Button onClick={() => setStep({ at: 'password' })}>
          {isOn ? strings.replace : strings.setUp}
        </Button>
        <Action
          action={strings.remove}
          style="danger-text"
          isOffered={isOn}
          isDangerous
          text={strings.removeText}
          run={(form) => {
            const body = { password: String(form.get('password')), code: form.text('code') }
            return send('POST', `${TOTP}/remove`, { body })
          }}
          done={() => changed(false)}
        >
          <InputField
            label={strings.askPassword}
            name="password"
            type="password"
            autocomplete="current-password"
            required
          />
          <CodeField label={strings.removeCode} />
        </Action>
      </div>
      {step.at === 'password' && (
        <ActionDialog
          title={strings.factor}
          action={strings.goOn}
          run={async (form) => send('POST', TOTP, { body: await proofFrom(form) })}
          done={(enrolment) => setStep({ at: 'confirm', ...enrolment })}
          close={rest}
        >
          <ConfirmFields {...factors} />
        </ActionDialog>
      )}
      {step.at === 'confirm' && (
        <ConfirmCode
          enrolment={step}
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
    </section>
  )
}

function stateOf({ hasTotp, hasPasskey }: Factors): string {
  if (hasTotp) return strings.factorOn
  return hasPasskey ? strings.factorPasskey : strings.factorOff
}

type CodeProps = { enrolment: Enrolment; close: () => void; done: (codes: string[]) => void }

function ConfirmCode({ enrolment: { secret, uri }, close, done }: CodeProps) {
  return (
    <ActionDialog
      title={strings.factor}
      action={strings.confirm}
      text={strings.scan}
      run={(form) => send('POST', `${TOTP}/confirm`, { body: { code: form.text('code') } })}
      done={({ recoveryCodes }) => done(recoveryCodes)}
      close={close}
    >
      <QrCode text={uri} label={strings.qrCode} />
      <div class="secrets">
        <Copyable text={secret} name={appStrings.secret} />
      </div>
      <p>
        <a href={uri}>{strings.open}</a>
      </p>
      <CodeField label={strings.code} />
    </ActionDialog>
  )
}

const CodeField = ({ label }: { label: string }) => (
  <InputField label={label} name="code" autocomplete="one-time-code" required />
)
