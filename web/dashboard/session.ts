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
import type { Place } from './routing.ts'

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

// Restores the session after a page load. Returns undefined if there is none or it has ended.
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
  if (isSignedIn)
    window.localStorage.setItem(KEY, '') // Only the presence of the key counts.
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

// The service ends all sessions of the user and opens a new one here, which has a new CSRF token.
export async function changePassword(currentPassword: string, newPassword: string) {
  const body = { currentPassword, newPassword }
  const { csrfToken } = await send('PUT', '/dashboard/api/password', { body })
  keepCsrfToken(csrfToken)
}

let userId: string | undefined

// Another tab may have signed in again, which gave this session a new CSRF token. If another user has
// signed in there, the page reloads, so that it shows nothing of the earlier user.
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

// Tells the other tabs who has signed in; they reload if it is another user.
const signInChannel = new BroadcastChannel('manilla-signed-in')
signInChannel.addEventListener('message', ({ data: id }: MessageEvent<string>) => {
  if (userId !== undefined && userId !== id) window.location.reload()
})

// Takes over a new session: its user, its CSRF token, and the note that there is a session cookie. Other tabs
// with another user reload.
export function keepSession(session: Session): Session {
  userId = session.user.id
  signInChannel.postMessage(userId)
  keepCsrfToken(session.csrfToken)
  window.localStorage.setItem(KEY, 'yes')
  return session
}

export type ViewProps = { session: Session; place: Place }
