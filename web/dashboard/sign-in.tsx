// Sign-in with a passkey, or with email and password and then a code, a passkey or a choice of client.

import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { appStrings, signInStrings as strings } from '../copy.ts'
import { type Problem, problemFrom } from './api.ts'
import { Button } from './parts/button.tsx'
import { hasPasskeys, passkeyForSignIn } from './passkeys.ts'
import { changePassword, type Session, type SignIn, signIn, signInWithPasskey } from './session.ts'

export const NEW_PASSWORD_LENGTH_MIN = 12

const demoUser = document.getElementById('app')?.dataset ?? {}

type Asked = { code: boolean; passkey: boolean; clients: string[] }

export function SignInPage({ onSignedIn }: { onSignedIn: (session: Session) => void }) {
  const [problem, setProblem] = useState<Problem | undefined>()
  const [isBusy, setBusy] = useState(false)
  const [asked, setAsked] = useState<Asked>({ code: false, passkey: false, clients: [] })
  // After many failures the service needs a code with the password, but does not ask for it.
  const mayHaveCode = asked.code || problem?.code === 'invalid_sign_in'
  useEffect(() => {
    document.title = `${strings.title} · ${appStrings.title}`
  }, [])

  const form = useRef<HTMLFormElement>(null)
  const enter = async (sign: (credentials: SignIn) => Promise<Session>) => {
    setBusy(true)
    try {
      onSignedIn(await sign(readForm(form.current as HTMLFormElement)))
    } catch (error) {
      const found = problemFrom(error)
      const passkey = found.code === 'passkey_needed'
      if (passkey || found.code === 'code_needed') {
        setAsked((now) => ({ ...now, code: true, passkey }))
      }
      if (found.code === 'client_id_needed') {
        setAsked((now) => ({ ...now, clients: clientsIn(found) }))
      }
      setProblem(found)
      setBusy(false)
    }
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    return enter(signIn)
  }
  const usePasskey = () =>
    enter(async ({ code: _, ...credentials }) => {
      const passkey = await passkeyForSignIn()
      return asked.passkey ? signIn({ ...credentials, passkey }) : signInWithPasskey(passkey)
    })

  return (
    <SignInLayout title={strings.title}>
      <form ref={form} onSubmit={submit} aria-busy={isBusy}>
        <Credentials />
        {mayHaveCode && <CodeField {...asked} />}
        {asked.clients.length > 0 && <ClientField clients={asked.clients} />}
        <Fault problem={problem} />
        <button type="submit" class="button primary" disabled={isBusy}>
          {isBusy ? strings.busy : strings.submit}
        </button>
        {hasPasskeys() && (
          <>
            <p class="muted small or">{strings.or}</p>
            <Button disabled={isBusy} onClick={usePasskey}>
              {strings.passkey}
            </Button>
          </>
        )}
      </form>
    </SignInLayout>
  )
}

// Recovery codes have letters.
function CodeField(asked: Asked) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (asked.code) field.current?.focus()
  }, [asked.code])
  return (
    <label class="field">
      <span>{codeLabel(asked)}</span>
      <input
        ref={field}
        name="code"
        inputMode={asked.passkey ? 'text' : 'numeric'}
        autocomplete="one-time-code"
        required={asked.code}
      />
    </label>
  )
}

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

function codeLabel({ code, passkey }: Asked): string {
  if (passkey) return strings.codeOrPasskey
  return code ? strings.code : strings.codeIfAny
}

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

// The service lists the clients in the field fault: "One of A, B."
function clientsIn(problem: Problem): string[] {
  const fault = problem.fields.find(({ field }) => field === 'clientId')
  const list = /^One of (.+)\.$/.exec(fault?.message ?? '')?.[1]
  return list ? list.split(', ') : []
}

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

export function SignInLayout({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <p class="brand">{appStrings.title}</p>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  )
}

type FieldProps = {
  label: string
  name: string
  type: 'email' | 'password'
  autocomplete: string
  defaultValue?: string | undefined
}

export function Field({ label, type, ...rest }: FieldProps) {
  const id = `field-${rest.name}`
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {type === 'email' ? (
        <input id={id} type="email" {...rest} required />
      ) : (
        <input id={id} type="password" {...rest} required />
      )}
    </div>
  )
}

const QUESTIONS = ['code_needed', 'passkey_needed', 'client_id_needed']

// A request for a code is not an error, but shows in the same place.
export function Fault({ problem }: { problem: Problem | undefined }) {
  const isQuestion = QUESTIONS.includes(problem?.code ?? '')
  const wait = problem?.retryAfterSeconds
  return (
    <div role="alert" class={isQuestion ? 'notice' : 'fault'}>
      {problem && <p>{problem.message}</p>}
      {problem?.code === 'invalid_request' &&
        problem.fields.map(({ field, message }) => (
          <p key={field}>{appStrings.problems.field(field, message)}</p>
        ))}
      {problem && wait !== undefined && wait > 0 && <p>{strings.wait(Math.ceil(wait / 60))}</p>}
    </div>
  )
}
