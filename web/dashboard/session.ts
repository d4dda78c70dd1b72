// Who is signed in, and what they may do.

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

// Whether they change the books of all clients, rather than only read them.
export function mayAccount({ scopes }: Session): boolean {
  return scopes.includes('accounting:write')
}

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

const INVITATION = '/dashboard/api/invitation'

export async function openInvitation(token: string): Promise<Schemas['Invitation']> {
  return send('POST', INVITATION, { body: { token } })
}

// Whether they are signed in: not with a second factor, which signing in takes.
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

let userId: string | undefined // Whose the page is.

// Another tab may have signed in again, which makes another token; if as somebody else, nothing of this
// page is theirs.
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

// Nor would what is loaded from then on be theirs whose name is above it.
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
