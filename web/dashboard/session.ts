// The signed-in user and their rights.

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

// May change the books of all clients.
export function mayAccount({ scopes }: Session): boolean {
  return scopes.includes('accounting:write')
}

const SESSION = '/dashboard/api/session'

// Scripts cannot see the cookie, so remember that one exists: without it, do not ask the service.
const KEY = 'manilla-signed-in'

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

const INVITATION = '/dashboard/api/invitation'

export async function openInvitation(token: string): Promise<Schemas['Invitation']> {
  return send('POST', INVITATION, { body: { token } })
}

// Resolves to whether the user is signed in. With a second factor they sign in separately.
export async function acceptInvitation(token: string, password: string): Promise<boolean> {
  const { isSignedIn } = await send('POST', `${INVITATION}/accept`, { body: { token, password } })
  if (isSignedIn) window.localStorage.setItem(KEY, '')
  else window.localStorage.removeItem(KEY)
  return isSignedIn
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

// Another tab may have signed in again, with another token. As another user, this page must reload.
onSessionWrong(async () => {
  const session = await findNow(SESSION)
  if (!session) return false
  if (session.user.id === userId) {
    keep(session)
    return true
  }
  window.location.reload()
  return false
})

const signedIn = new BroadcastChannel('manilla-signed-in')
signedIn.addEventListener('message', ({ data: id }: MessageEvent<string>) => {
  if (userId !== undefined && userId !== id) window.location.reload()
})

function keep(session: Session): Session {
  userId = session.user.id
  signedIn.postMessage(userId)
  keepCsrfToken(session.csrfToken)
  window.localStorage.setItem(KEY, 'yes')
  return session
}
