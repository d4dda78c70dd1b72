// The page that the single-use link of an invitation or a password reset opens. The user chooses a password.
// The token is in the fragment of the URL, which browsers never send. The page removes the token after
// reading it.

import { useEffect, useState } from 'preact/hooks'
import { appStrings, invitationStrings, resetStrings } from '../copy.ts'
import { type Problem, problemFrom } from './api.ts'
import { Button } from './parts/controls.tsx'
import { Skeleton } from './parts/states.tsx'
import { toast } from './parts/toasts.tsx'
import { BASE, hrefOf } from './routing.ts'
import {
  acceptInvitation,
  acceptPasswordReset,
  openInvitation,
  openPasswordReset,
} from './session.ts'
import { NEW_PASSWORD_LENGTH_MIN } from './sign-in.tsx'
import { Fault, Field, SignInLayout } from './sign-in-parts.tsx'

type Purpose = 'invitation' | 'password-reset'
export type MailedLink = { purpose: Purpose; token: string }

const PURPOSES = {
  invitation: { strings: invitationStrings, open: openInvitation, accept: acceptInvitation },
  'password-reset': { strings: resetStrings, open: openPasswordReset, accept: acceptPasswordReset },
} as const satisfies Record<Purpose, object>

// Reads the purpose and token of a mailed link from the URL, and removes the token from it. Returns
// undefined on any other page.
export function readMailedLink(): MailedLink | undefined {
  const { pathname, hash } = window.location
  const purposes = Object.keys(PURPOSES) as Purpose[]
  const purpose = purposes.find((name) => pathname === `${BASE}/${name}`)
  if (!purpose) return undefined
  window.history.replaceState(null, '', pathname)
  return { purpose, token: hash.slice(1) }
}

type Account = { email: string; clientName: string }

// Checks the token of the link, lets the user choose a password, and continues in the dashboard if the
// service signed the user in, or else on the sign-in page.
export function MailedLinkPage({ link, onDone }: { link: MailedLink; onDone: () => void }) {
  const { strings, open, accept } = PURPOSES[link.purpose]
  const [account, setAccount] = useState<Account | undefined>()
  const [problem, setProblem] = useState<Problem | undefined>()
  const [isBusy, setBusy] = useState(false)
  useEffect(() => {
    document.title = `${strings.title} · ${appStrings.title}`
    open(link.token).then(setAccount, (error) => setProblem(problemFrom(error)))
  }, [link])

  // Leaves the page of the link. The URL changes first, because `onDone` reads the page to show from it.
  const openPage = (href: string) => {
    window.history.replaceState(null, '', href)
    onDone()
  }
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    setBusy(true)
    try {
      const isSignedIn = await accept(link.token, String(form.get('new') ?? ''))
      toast(isSignedIn ? strings.next : strings.signIn)
      openPage(isSignedIn ? hrefOf('settings', undefined, { tab: 'profile' }) : BASE)
    } catch (error) {
      setProblem(problemFrom(error))
      setBusy(false)
    }
  }

  if (!account) {
    return (
      <SignInLayout title={strings.title}>
        {problem ? <Fault problem={problem} /> : <Skeleton kind="card" />}
        {problem && <Button onClick={() => openPage(BASE)}>{strings.gone}</Button>}
      </SignInLayout>
    )
  }
  const { email, clientName } = account
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
