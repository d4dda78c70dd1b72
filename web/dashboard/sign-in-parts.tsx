// Components that the pages for sign-in, invitations and passwords share.

import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { appStrings, signInStrings as strings } from '../copy.ts'
import type { Problem } from './api.ts'

type CodeDemands = { code: boolean; passkey: boolean }

// If the second factor is a passkey, the user types a recovery code, which has letters.
export function CodeField(demands: CodeDemands) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (demands.code) field.current?.focus()
  }, [demands.code])
  return (
    <label class="field">
      <span>{codeLabel(demands)}</span>
      <input
        ref={field}
        name="code"
        inputMode={demands.passkey ? 'text' : 'numeric'}
        autocomplete="one-time-code"
        required={demands.code}
      />
    </label>
  )
}

// The label says whether a code is needed, optional, or the alternative to a passkey.
function codeLabel({ code, passkey }: CodeDemands): string {
  if (passkey) return strings.codeOrPasskey
  return code ? strings.code : strings.codeIfAny
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

// A required field for an email address or a password.
export function Field({ label, type, ...input }: FieldProps) {
  const id = `field-${input.name}`
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {type === 'email' ? (
        <input id={id} type="email" {...input} required />
      ) : (
        <input id={id} type="password" {...input} required />
      )}
    </div>
  )
}

const QUESTION_CODES = ['code_needed', 'passkey_needed', 'client_id_needed']

// Shows a refusal of the sign-in. The service also asks for a code, a passkey or a client by a refusal,
// which is shown here as a note and not as an error.
export function Fault({ problem }: { problem: Problem | undefined }) {
  const isQuestion = QUESTION_CODES.includes(problem?.code ?? '')
  const waitSeconds = problem?.retryAfterSeconds
  return (
    <div role="alert" class={isQuestion ? 'notice' : 'fault'}>
      {problem && <p>{problem.message}</p>}
      {problem?.code === 'invalid_request' &&
        problem.fields.map(({ field, message }) => (
          <p key={field}>{appStrings.problems.field(field, message)}</p>
        ))}
      {problem && waitSeconds !== undefined && waitSeconds > 0 && (
        <p>{strings.wait(Math.ceil(waitSeconds / 60))}</p>
      )}
    </div>
  )
}
