// Shows the sign-in page, the page of a mailed link, the password change or the dashboard, depending on the
// session.

import { useEffect, useState } from 'preact/hooks'
import { appStrings, signInStrings } from '../copy.ts'
import { onSessionLost, type Problem, problemFrom } from './api.ts'
import { type MailedLink, MailedLinkPage, readMailedLink } from './link-page.tsx'
import { forgetEvents } from './live.ts'
import { Failed, Skeleton } from './parts/states.tsx'
import { Toasts, toast } from './parts/toasts.tsx'
import { type ProviderReturn, ProviderReturnPage, readProviderReturn } from './provider.tsx'
import { BASE } from './routing.ts'
import { findSession, type Session } from './session.ts'
import { Shell } from './shell.tsx'
import { NewPassword, SignInPage } from './sign-in.tsx'

type State =
  | { at: 'loading' }
  | { at: 'failed'; problem: Problem }
  | { at: 'linked'; link: MailedLink }
  | { at: 'returned'; parameters: ProviderReturn }
  | { at: 'signed-out' }
  | { at: 'signed-in'; session: Session }

// Shows the page for the current state. At the start, a return from the sign-in provider or a mailed link
// decides the state, and otherwise the session that the service still knows.
export function App() {
  const [state, setState] = useState<State>({ at: 'loading' })

  // Reads the session and shows the dashboard, the sign-in page, or the error with a retry.
  const load = () => {
    setState({ at: 'loading' })
    findSession().then(
      (session) => setState(session ? { at: 'signed-in', session } : { at: 'signed-out' }),
      (error) => setState({ at: 'failed', problem: problemFrom(error) }),
    )
  }

  useEffect(() => {
    const link = readMailedLink()
    const parameters = readProviderReturn()
    if (parameters) setState({ at: 'returned', parameters })
    else if (link === undefined) load()
    else setState({ at: 'linked', link })
    onSessionLost(() =>
      setState((previous) => {
        if (previous.at === 'signed-in') toast(signInStrings.lost)
        return previous.at === 'signed-in' ? { at: 'signed-out' } : previous
      }),
    )
  }, [])

  // Events of an earlier session must not be replayed to this user.
  const enter = (session: Session) => {
    forgetEvents()
    setState({ at: 'signed-in', session })
  }

  return (
    <>
      <Screen state={state} enter={enter} load={load} />
      <Toasts />
    </>
  )
}

function Screen(props: { state: State; enter: (session: Session) => void; load: () => void }) {
  const { state, enter, load } = props
  switch (state.at) {
    case 'loading':
      return (
        <main class="sign-in" aria-busy="true">
          <Skeleton kind="card" />
        </main>
      )
    case 'failed':
      return (
        <main class="sign-in">
          <h1>{appStrings.title}</h1>
          <Failed problem={state.problem} retry={load} />
        </main>
      )
    case 'linked':
      return <MailedLinkPage link={state.link} onDone={load} />
    case 'returned': {
      // Gives up the sign-in at the provider, and shows the usual first page.
      const cancelSignIn = () => {
        window.history.replaceState(null, '', BASE)
        load()
      }
      return <ProviderReturnPage parameters={state.parameters} enter={enter} leave={cancelSignIn} />
    }
    case 'signed-out':
      return <SignInPage onSignedIn={enter} />
    case 'signed-in':
      if (state.session.user.mustChangePassword) return <NewPassword onChanged={load} />
      return <Shell session={state.session} />
  }
}
