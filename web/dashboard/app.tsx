// Who is there decides what is shown: nobody signs in, a new person chooses a password, everybody
// else works.

import { useEffect, useState } from 'preact/hooks'
import { type Problem, problemFrom, whenSessionIsLost } from './api.ts'
import { forgetEvents } from './live.ts'
import { Failed, Skeleton } from './parts/states.tsx'
import { Toasts, toast } from './parts/toasts.tsx'
import { findSession, type Session } from './session.ts'
import { Shell } from './shell.tsx'
import { NewPassword, SignInPage } from './sign-in.tsx'
import { STRINGS } from './strings.ts'

type State =
  | { at: 'looking' }
  | { at: 'failed'; problem: Problem }
  | { at: 'door' }
  | { at: 'inside'; session: Session }

export function App() {
  const [state, setState] = useState<State>({ at: 'looking' })

  const look = () => {
    setState({ at: 'looking' })
    findSession().then(
      (session) => setState(session ? { at: 'inside', session } : { at: 'door' }),
      (error) => setState({ at: 'failed', problem: problemFrom(error) }),
    )
  }

  useEffect(() => {
    look()
    whenSessionIsLost(() =>
      setState((before) => {
        if (before.at === 'inside') toast(STRINGS.signInStrings.lost)
        return before.at === 'looking' ? before : { at: 'door' }
      }),
    )
  }, [])

  const enter = (session: Session) => {
    forgetEvents()
    setState({ at: 'inside', session })
  }

  return (
    <>
      <Sight state={state} enter={enter} look={look} />
      <Toasts />
    </>
  )
}

function Sight({
  state,
  enter,
  look,
}: {
  state: State
  enter: (session: Session) => void
  look: () => void
}) {
  switch (state.at) {
    case 'looking':
      return (
        <main class="door" aria-busy="true">
          <Skeleton kind="card" />
        </main>
      )
    case 'failed':
      return (
        <main class="door">
          <h1>{STRINGS.title}</h1>
          <Failed problem={state.problem} retry={look} />
        </main>
      )
    case 'door':
      return <SignInPage onSignedIn={enter} />
    case 'inside':
      if (state.session.user.mustChangePassword) return <NewPassword onChanged={look} />
      return <Shell session={state.session} />
  }
}
