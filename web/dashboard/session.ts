// The signed-in user and their permissions.

import {
  findNow,
  getData,
  keepCsrfToken,
  onSessionWrong,
  Problem,
  type Schemas,
  send,
} from './api.ts'
import { forgetSearches } from './recent-searches.ts'

export type Session = Schemas['SignedInSession']

export type SignIn = Schemas['SignInRequest']

// Whether the user may change the books of all clients.
export function mayAccount({ scopes }: Session): boolean {
  return scopes.includes('accounting:write')
}

const SESSION = '/dashboard/api/session'

// Scripts cannot read the session cookie, so this key records that there is one. Without the key, the page
// does not ask the service for a session.
const KEY = 'manilla-signed-in'

export async function findSession(): Promise<Session | undefined> {
  if (window.localStorage.getItem(KEY) === null) return undefined
  try {
    return keepSession(await getData(SESSION, {}))
  } catch (error) {
    if (error instanceof Problem && error.code === 'session_needed') {
      window.localStorage.removeItem(KEY)
      return undefined
    }
    throw error
  }
}

export async function signIn(body: SignIn): Promise<Session> {
  return keepSession(await send('POST', SESSION, { body }))
}

export async function signInWithPasskey(passkey: Schemas['PasskeyAssertion']): Promise<Session> {
  return keepSession(await send('POST', `${SESSION}/passkey`, { body: { passkey } }))
}

const INVITATION = '/dashboard/api/invitation'

export async function openInvitation(token: string): Promise<Schemas['Invitation']> {
  return send('POST', INVITATION, { body: { token } })
}

// Resolves to whether the user is signed in now. A user with a second factor must still sign in.
export async function acceptInvitation(token: string, password: string): Promise<boolean> {
  const { isSignedIn } = await send('POST', `${INVITATION}/accept`, { body: { token, password } })
  if (isSignedIn) window.localStorage.setItem(KEY, '')
  else window.localStorage.removeItem(KEY)
  return isSignedIn
}

const RESET = '/dashboard/api/password-reset'

export async function requestPasswordReset(email: string): Promise<void> {
  await send('POST', `${RESET}/request`, { body: { email } })
}

export async function openPasswordReset(token: string): Promise<Schemas['PasswordReset']> {
  return send('POST', `${RESET}/open`, { body: { token } })
}

// Ends all sessions, so the user must sign in, with the second factor if there is one.
export async function acceptPasswordReset(token: string, password: string): Promise<boolean> {
  await send('POST', `${RESET}/accept`, { body: { token, password } })
  window.localStorage.removeItem(KEY)
  return false
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

let userId: string | undefined

// Another tab may have signed in again, which gave the session another token. If another user has signed in,
// reloads the page.
onSessionWrong(async () => {
  const session = await findNow(SESSION)
  if (!session) return false
  if (session.user.id === userId) {
    keepSession(session)
    return true
  }
  window.location.reload()
  return false
})

const signedIn = new BroadcastChannel('manilla-signed-in')
signedIn.addEventListener('message', ({ data: id }: MessageEvent<string>) => {
  if (userId !== undefined && userId !== id) window.location.reload()
})

export function keepSession(session: Session): Session {
  userId = session.user.id
  signedIn.postMessage(userId)
  keepCsrfToken(session.csrfToken)
  window.localStorage.setItem(KEY, 'yes')
  return session
}
