// The page where a user requests a link to reset the password. The answer is the same whether the user exists
// or not.

import { useEffect, useState } from 'preact/hooks'
import { appStrings, forgotPasswordStrings as strings } from '../copy.ts'
import { type Problem, problemFrom } from './api.ts'
import { Button } from './parts/button.tsx'
import { requestPasswordReset } from './session.ts'
import { Fault, Field, SignInLayout } from './sign-in-parts.tsx'

// Asks the service to mail a link for a new password. The answer does not tell whether the address has a
// user.
export function ForgotPasswordPage({ email, back }: { email: string; back: () => void }) {
  const [sentTo, setSentTo] = useState<string | undefined>()
  const [problem, setProblem] = useState<Problem | undefined>()
  const [isBusy, setBusy] = useState(false)
  useEffect(() => {
    document.title = `${strings.title} · ${appStrings.title}`
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
    <SignInLayout title={strings.title}>
      {sentTo === undefined ? (
        <form onSubmit={submit} aria-busy={isBusy}>
          <p class="muted">{strings.text}</p>
          <Field
            label={strings.email}
            name="email"
            type="email"
            autocomplete="username"
            defaultValue={email}
          />
          <Fault problem={problem} />
          <button type="submit" class="button primary" disabled={isBusy}>
            {strings.submit}
          </button>
        </form>
      ) : (
        <div role="status" class="sent">
          <p>{strings.sent(sentTo)}</p>
          <p class="muted small">{strings.noMail}</p>
        </div>
      )}
      <Button onClick={back}>{strings.back}</Button>
    </SignInLayout>
  )
}
