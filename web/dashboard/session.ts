// Who is signed in, and what they may do.

import { getData, keepCsrfToken, Problem, send } from './api.ts'

export type Session = {
  user: { id: string; email: string; hasTotp: boolean; mustChangePassword: boolean }
  role: string
  scopes: string[]
  client: { clientId: string; name: string; mode: 'sandbox' | 'live' }
  csrfToken: string
}

export type SignIn = { email: string; password: string; code?: string; clientId?: string }

const SESSION = '/dashboard/api/session'

// The cookie cannot be seen from here, so we remember that there is one: who was never here is not
// asked about.
const KEY = 'manilla-signed-in'

// Undefined: nobody.
export async function findSession(): Promise<Session | undefined> {
  if (window.localStorage.getItem(KEY) === null) return undefined
  try {
    return keep(await getData<Session>(SESSION))
  } catch (error) {
    if (error instanceof Problem && error.code === 'session_needed') {
      window.localStorage.removeItem(KEY)
      return undefined
    }
    throw error
  }
}

export async function signIn(asked: SignIn): Promise<Session> {
  return keep(await send<Session>('POST', SESSION, { body: asked }))
}

export async function signOut(): Promise<void> {
  await send('DELETE', SESSION)
  window.localStorage.removeItem(KEY)
}

export async function changePassword(currentPassword: string, newPassword: string) {
  const body = { currentPassword, newPassword }
  const { csrfToken } = await send<{ csrfToken: string }>('PUT', '/dashboard/api/password', {
    body,
  })
  keepCsrfToken(csrfToken)
}

function keep(session: Session): Session {
  keepCsrfToken(session.csrfToken)
  window.localStorage.setItem(KEY, 'yes')
  return session
}
