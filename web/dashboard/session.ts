// Who is signed in, and what they may do.

import { getData, keepCsrfToken, Problem, type Schemas, send } from './api.ts'
import { forgetSearches } from './recent-searches.ts'

export type Session = Schemas['SignedInSession']

export type SignIn = Schemas['SignInRequest']

const SESSION = '/dashboard/api/session'

// The cookie cannot be seen from here, so we remember that there is one: who was never here is not
// asked about.
const KEY = 'manilla-signed-in'

// Undefined: nobody.
export async function findSession(): Promise<Session | undefined> {
  if (window.localStorage.getItem(KEY) === null) return undefined
  try {
    return keep(await getData(SESSION, {}))
  } catch (error) {
    if (error instanceof Problem && error.code === 'session_needed') {
      window.localStorage.removeItem(KEY)
      return undefined
    }
    throw error
  }
}

export async function signIn(asked: SignIn): Promise<Session> {
  return keep(await send('POST', SESSION, { body: asked }))
}

export async function signInWithPasskey(passkey: Schemas['PasskeyAssertion']): Promise<Session> {
  return keep(await send('POST', `${SESSION}/passkey`, { body: { passkey } }))
}

export async function signOut(): Promise<void> {
  await send('DELETE', SESSION, {})
  window.localStorage.removeItem(KEY)
  forgetSearches()
}

export async function changePassword(currentPassword: string, newPassword: string) {
  const body = { currentPassword, newPassword }
  const { csrfToken } = await send('PUT', '/dashboard/api/password', { body })
  keepCsrfToken(csrfToken)
}

function keep(session: Session): Session {
  keepCsrfToken(session.csrfToken)
  window.localStorage.setItem(KEY, 'yes')
  return session
}
