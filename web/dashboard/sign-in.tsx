// Sign-in with a passkey, or with email and password and then a code, a passkey or a choice of client.

import { useEffect, useRef, useState } from 'preact/hooks'
import { appStrings, forgotPasswordStrings, signInStrings as strings } from '../copy.ts'
import { type Problem, problemFrom } from './api.ts'
import { Button } from './parts/controls.tsx'
import { hasPasskeys, passkeyForSignIn } from './passkeys.ts'
import { ProviderSignIn } from './provider.tsx'
import {
  changePassword,
  requestPasswordReset,
  type Session,
  type SignIn,
  signIn,
  signInWithPasskey,
} from './session.ts'
import { CodeField, Fault, Field, SignInLayout } from './sign-in-parts.tsx'

export const NEW_PASSWORD_LENGTH_MIN = 12

const demoUser = document.getElementById('app')?.dataset ?? {}

type Demands = { code: boolean; passkey: boolean; clients: string[]; provider?: string }

// The sign-in form, or after “forgot password” the form for the reset, with the email address typed before.
export function SignInPage({ onSignedIn }: { onSignedIn: (session: Session) => void }) {
  const [emailToReset, setEmailToReset] = useState<string | undefined>()
  if (emailToReset === undefined)
    return <SignInForm onSignedIn={onSignedIn} onForgot={setEmailToReset} />
  return <ForgotPasswordPage email={emailToReset} back={() => setEmailToReset(undefined)} />
}

type FormProps = { onSignedIn: (session: Session) => void; onForgot: (email: string) => void }

function SignInForm({ onSignedIn, onForgot }: FormProps) {
  const [problem, setProblem] = useState<Problem | undefined>()
  const [isBusy, setBusy] = useState(false)
  const [demands, setDemands] = useState<Demands>({ code: false, passkey: false, clients: [] })
  // After many failures the service requires a code with the password, but does not say so. So the form shows
  // the field.
  const mayHaveCode = demands.code || problem?.code === 'invalid_sign_in'
  useEffect(() => {
    document.title = `${strings.title} · ${appStrings.title}`
  }, [])

  const form = useRef<HTMLFormElement>(null)
  // Signs in with the values of the form. A refusal that asks for more shows the fields for it.
  const enter = async (method: (credentials: SignIn) => Promise<Session>) => {
    setBusy(true)
    try {
      onSignedIn(await method(readForm(form.current as HTMLFormElement)))
    } catch (error) {
      const refusal = problemFrom(error)
      const passkey = refusal.code === 'passkey_needed'
      if (passkey || refusal.code === 'code_needed') {
        setDemands((previous) => ({ ...previous, code: true, passkey }))
      }
      if (refusal.code === 'client_id_needed') {
        setDemands((previous) => ({ ...previous, clients: clientIdsFrom(refusal) }))
      }
      if (refusal.code === 'provider_sign_in_needed') {
        setDemands((previous) => ({ ...previous, provider: clientIdsFrom(refusal)[0] ?? '' }))
      }
      setProblem(refusal)
      setBusy(false)
    }
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    return enter(signIn) // With email address and password.
  }
  const usePasskey = () =>
    enter(async ({ code: _, ...credentials }) => {
      const passkey = await passkeyForSignIn()
      return demands.passkey ? signIn({ ...credentials, passkey }) : signInWithPasskey(passkey)
    })

  return (
    <SignInLayout title={strings.title}>
      <form ref={form} onSubmit={submit} aria-busy={isBusy}>
        <Credentials />
        {mayHaveCode && <CodeField {...demands} />}
        {demands.clients.length > 0 && <ClientField clients={demands.clients} />}
        <Fault problem={problem} />
        <button type="submit" class="button primary" disabled={isBusy}>
          {isBusy ? strings.busy : strings.submit}
        </button>
        <Button
          style="quiet"
          onClick={() => onForgot(readForm(form.current as HTMLFormElement).email)}
        >
          {strings.forgot}
        </Button>
        {hasPasskeys() && (
          <>
            <p class="muted small or">{strings.or}</p>
            <Button disabled={isBusy} onClick={usePasskey}>
              {strings.passkey}
            </Button>
          </>
        )}
      </form>
      <ProviderSignIn key={demands.provider} client={demands.provider} />
    </SignInLayout>
  )
}

// Shown if the email address has users at several clients.
function ClientField({ clients }: { clients: string[] }) {
  return (
    <label class="field">
      <span>{strings.client}</span>
      <select name="clientId">
        {clients.map((clientId) => (
          <option key={clientId}>{clientId}</option>
        ))}
      </select>
    </label>
  )
}

// Prefilled on the demo, whose user is public.
function Credentials() {
  return (
    <>
      <Field
        label={strings.email}
        name="email"
        type="email"
        autocomplete="username"
        defaultValue={demoUser.email}
      />
      <Field
        label={strings.password}
        name="password"
        type="password"
        autocomplete="current-password"
        defaultValue={demoUser.password}
      />
      {demoUser.email !== undefined && <p class="muted small">{strings.demo}</p>}
    </>
  )
}

// Only the fields that the form shows are sent.
function readForm(form: HTMLFormElement): SignIn {
  const fields = new FormData(form)
  const field = (name: string) => String(fields.get(name) ?? '').trim()
  const [code, clientId] = [field('code'), field('clientId')]
  return {
    email: field('email'),
    password: String(fields.get('password') ?? ''),
    ...(code ? { code } : {}),
    ...(clientId ? { clientId } : {}),
  }
}

// Reads the client ids from the service's message about the field: "One of A, B."
function clientIdsFrom(problem: Problem): string[] {
  const fault = problem.fields.find(({ field }) => field === 'clientId')
  const list = /^One of (.+)\.$/.exec(fault?.message ?? '')?.[1]
  return list ? list.split(', ') : []
}

// Shown before anything else to a user whose password is temporary.
export function NewPassword({ onChanged }: { onChanged: () => void }) {
  const [problem, setProblem] = useState<Problem | undefined>()
  const [isBusy, setBusy] = useState(false)
  useEffect(() => {
    document.title = `${strings.newTitle} · ${appStrings.title}`
  }, [])
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    setBusy(true)
    try {
      await changePassword(String(form.get('current') ?? ''), String(form.get('new') ?? ''))
      onChanged()
    } catch (error) {
      setProblem(problemFrom(error))
      setBusy(false)
    }
  }
  return (
    <SignInLayout title={strings.newTitle}>
      <p class="muted">{strings.newWhy}</p>
      <form onSubmit={submit} aria-busy={isBusy}>
        <Field
          label={strings.current}
          name="current"
          type="password"
          autocomplete="current-password"
        />
        <Field
          label={strings.chosen(NEW_PASSWORD_LENGTH_MIN)}
          name="new"
          type="password"
          autocomplete="new-password"
        />
        <Fault problem={problem} />
        <button type="submit" class="button primary" disabled={isBusy}>
          {isBusy ? strings.busy : strings.change}
        </button>
      </form>
    </SignInLayout>
  )
}

// Asks the service to mail a link for a new password. The answer does not tell whether the address has a
// user.
function ForgotPasswordPage({ email, back }: { email: string; back: () => void }) {
  const [sentTo, setSentTo] = useState<string | undefined>()
  const [problem, setProblem] = useState<Problem | undefined>()
  const [isBusy, setBusy] = useState(false)
  useEffect(() => {
    document.title = `${forgotPasswordStrings.title} · ${appStrings.title}`
  }, [])
  // Asks for the link, and replaces the form with a note that it was mailed.
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const address = String(new FormData(event.currentTarget as HTMLFormElement).get('email')).trim()
    setBusy(true)
    try {
      await requestPasswordReset(address)
      setSentTo(address)
    } catch (error) {
      setProblem(problemFrom(error))
    }
    setBusy(false)
  }
  return (
    <SignInLayout title={forgotPasswordStrings.title}>
      {sentTo === undefined ? (
        <form onSubmit={submit} aria-busy={isBusy}>
          <p class="muted">{forgotPasswordStrings.text}</p>
          <Field
            label={forgotPasswordStrings.email}
            name="email"
            type="email"
            autocomplete="username"
            defaultValue={email}
          />
          <Fault problem={problem} />
          <button type="submit" class="button primary" disabled={isBusy}>
            {forgotPasswordStrings.submit}
          </button>
        </form>
      ) : (
        <div role="status" class="sent">
          <p>{forgotPasswordStrings.sent(sentTo)}</p>
          <p class="muted small">{forgotPasswordStrings.noMail}</p>
        </div>
      )}
      <Button onClick={back}>{forgotPasswordStrings.back}</Button>
    </SignInLayout>
  )
}
