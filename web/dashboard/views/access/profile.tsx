// The user's own account: password, second factor, passkeys, sessions.

import { useState } from 'preact/hooks'
import { appStrings, settingsStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { deviceName } from '../../device-names.ts'
import { usePage } from '../../loading.ts'
import { Action, ActionDialog, ActionForm, AtOnceButton } from '../../parts/action.tsx'
import { Button } from '../../parts/controls.tsx'
import { ShowOnce } from '../../parts/dialog.tsx'
import { InputField } from '../../parts/forms.tsx'
import { QrCode } from '../../parts/qr-code.tsx'
import { Pending } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import { Badge, Copyable, Time } from '../../parts/values.tsx'
import { BASE } from '../../routing.ts'
import { changePassword, type ViewProps } from '../../session.ts'
import { ConfirmFields, type Factors, proofFrom } from './confirm-identity.tsx'
import { PASSKEYS, Passkeys } from './passkeys.tsx'

const { profile: strings } = settingsStrings
const SESSIONS = '/dashboard/api/sessions'

export function Profile({ session }: ViewProps) {
  const [sessionsKey, setSessionsKey] = useState(0) // A new key loads the list of sessions again.
  const [hasTotp, setTotp] = useState(session.user.hasTotp)
  const passkeys = usePage(PASSKEYS, {})
  const factors = { hasTotp, hasPasskey: (passkeys.data?.data.length ?? 0) > 0, session }
  // A new password or a removed passkey ends the other sessions.
  const onSessionsEnded = () => setSessionsKey((previous) => previous + 1)
  return (
    <>
      <PasswordForm changed={onSessionsEnded} />
      <SecondFactor factors={factors} changed={setTotp} />
      <Passkeys loaded={passkeys} factors={factors} removed={onSessionsEnded} />
      <Sessions key={sessionsKey} />
    </>
  )
}

function PasswordForm({ changed }: { changed: () => void }) {
  const [formVersion, setFormVersion] = useState(0) // A new value empties the fields.
  return (
    <section class="card panel" aria-labelledby="password">
      <h2 id="password">{strings.password}</h2>
      <ActionForm
        key={formVersion}
        action={strings.change}
        run={(form) => changePassword(String(form.get('current')), String(form.get('chosen')))}
        message={strings.changed}
        onDone={() => {
          setFormVersion((previous) => previous + 1)
          changed()
        }}
      >
        <p class="muted">{strings.passwordText}</p>
        <InputField
          label={strings.current}
          name="current"
          type="password"
          autocomplete="current-password"
          required
        />
        <InputField
          label={strings.chosen}
          hint={strings.chosenHint}
          name="chosen"
          type="password"
          autocomplete="new-password"
          required
        />
      </ActionForm>
    </section>
  )
}

// The places where the user is signed in. The user can end each other session, or all of them.
function Sessions() {
  const { data, problem, reload } = usePage(SESSIONS, {})
  const end = async (id: string) => {
    await send('DELETE', `${SESSIONS}/{id}`, { params: { id } })
    toast(strings.ended)
    reload()
  }
  return (
    <section class="card panel" aria-labelledby="sessions">
      <h2 id="sessions">{strings.sessions}</h2>
      <Pending {...{ data, problem, reload }} kind="rows" lines={2} />
      <ul class="attempts">
        {data?.data.map((session) => (
          <OneSession key={session.id} session={session} end={end} />
        ))}
      </ul>
      <div class="actions">
        <Action
          action={strings.everywhere}
          isDangerous
          text={strings.everywhereText}
          run={async () => {
            await send('DELETE', SESSIONS, {})
            window.location.assign(BASE)
          }}
        />
      </div>
    </section>
  )
}

function OneSession(props: { session: Schemas['Session']; end: (id: string) => Promise<void> }) {
  const { session, end } = props
  const { id, address, userAgent, isCurrent, createdAt, seenAt } = session
  return (
    <li>
      <div class="session">
        <p>
          <span title={userAgent}>{deviceName(userAgent)}</span>{' '}
          {isCurrent && <Badge state={strings.here} tone="good" />}
        </p>
        <p class="muted small">
          {address} {strings.since} <Time at={createdAt} /> · {strings.seen} <Time at={seenAt} />
        </p>
      </div>
      {!isCurrent && <AtOnceButton label={strings.end} run={() => end(id)} />}
    </li>
  )
}

const TOTP = '/dashboard/api/totp'

type Enrolment = Schemas['TotpEnrolment']
// The step of setting up an authenticator app, which the dialogs follow in this order. At `rest` no dialog is
// open.
type Step =
  | { at: 'rest' | 'password' }
  | ({ at: 'confirm' } & Enrolment)
  | { at: 'codes'; codes: string[] }

// Sets up, replaces or removes the authenticator app.
function SecondFactor(props: { factors: Factors; changed: (hasTotp: boolean) => void }) {
  const { factors, changed } = props
  const isOn = factors.hasTotp
  const [step, setStep] = useState<Step>({ at: 'rest' })
  const closeDialog = () => setStep({ at: 'rest' })
  return (
    <section class="card panel" aria-labelledby="factor">
      <h2 id="factor">{strings.factor}</h2>
      <p class="muted">{secondFactorText(factors)}</p>
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
          onDone={() => changed(false)}
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
          onDone={(enrolment) => setStep({ at: 'confirm', ...enrolment })}
          close={closeDialog}
        >
          <ConfirmFields {...factors} />
        </ActionDialog>
      )}
      {step.at === 'confirm' && (
        <ConfirmCode
          enrolment={step}
          close={closeDialog}
          onDone={(codes) => {
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
          close={closeDialog}
        />
      )}
    </section>
  )
}

// Says which second factor the user has. An authenticator app is named before a passkey.
function secondFactorText({ hasTotp, hasPasskey }: Factors): string {
  if (hasTotp) return strings.factorOn
  return hasPasskey ? strings.factorPasskey : strings.factorOff
}

type CodeProps = { enrolment: Enrolment; close: () => void; onDone: (codes: string[]) => void }

// The last step of enrolling an authenticator app: the user scans the secret and enters a code from the app.
function ConfirmCode({ enrolment: { secret, uri }, close, onDone }: CodeProps) {
  return (
    <ActionDialog
      title={strings.factor}
      action={strings.confirm}
      text={strings.scan}
      run={(form) => send('POST', `${TOTP}/confirm`, { body: { code: form.text('code') } })}
      onDone={({ recoveryCodes }) => onDone(recoveryCodes)}
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
