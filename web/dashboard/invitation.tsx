// The page of a single-use invitation link: choose a password, then add a second factor. The token is in the
// fragment, which browsers never send, and the page removes it after reading it.

import { useEffect, useState } from 'preact/hooks'
import { appStrings, invitationStrings as strings } from '../copy.ts'
import { type Problem, problemFrom, type Schemas } from './api.ts'
import { Button } from './parts/button.tsx'
import { Skeleton } from './parts/states.tsx'
import { toast } from './parts/toasts.tsx'
import { BASE, hrefOf } from './routing.ts'
import { acceptInvitation, openInvitation } from './session.ts'
import { Fault, Field, NEW_PASSWORD_LENGTH_MIN, SignInLayout } from './sign-in.tsx'

const PATH = `${BASE}/invitation`

// Undefined on every other page.
export function takeInvitationToken(): string | undefined {
  const { pathname, hash } = window.location
  if (pathname !== PATH) return undefined
  window.history.replaceState(null, '', PATH)
  return hash.slice(1)
}

export function InvitationPage({ token, done }: { token: string; done: () => void }) {
  const [invitation, setInvitation] = useState<Schemas['Invitation'] | undefined>()
  const [problem, setProblem] = useState<Problem | undefined>()
  const [isBusy, setBusy] = useState(false)
  useEffect(() => {
    document.title = `${strings.title} · ${appStrings.title}`
    openInvitation(token).then(setInvitation, (error) => setProblem(problemFrom(error)))
  }, [token])

  const leave = (href: string) => {
    window.history.replaceState(null, '', href)
    done()
  }
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    setBusy(true)
    try {
      const isSignedIn = await acceptInvitation(token, String(form.get('new') ?? ''))
      toast(isSignedIn ? strings.next : strings.signIn)
      leave(isSignedIn ? hrefOf('settings', undefined, { tab: 'profile' }) : BASE)
    } catch (error) {
      setProblem(problemFrom(error))
      setBusy(false)
    }
  }

  if (!invitation) {
    return (
      <SignInLayout title={strings.title}>
        {problem ? <Fault problem={problem} /> : <Skeleton kind="card" />}
        {problem && <Button onClick={() => leave(BASE)}>{strings.gone}</Button>}
      </SignInLayout>
    )
  }
  const { email, clientName } = invitation
  return (
    <SignInLayout title={strings.title}>
      <p class="muted">{strings.text(email, clientName)}</p>
      <form onSubmit={submit} aria-busy={isBusy}>
        <input type="hidden" name="username" autocomplete="username" value={email} />
        <Field
          label={strings.chosen(NEW_PASSWORD_LENGTH_MIN)}
          name="new"
          type="password"
          autocomplete="new-password"
        />
        <Fault problem={problem} />
        <button type="submit" class="button primary" disabled={isBusy}>
          {strings.submit}
        </button>
      </form>
    </SignInLayout>
  )
}
