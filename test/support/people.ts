// Users of a test, as they are after their first sign-in, and a "browser" for each: it keeps the session
// cookie and sends requests with it. Their passwords are hashed cheaply; other tests measure the cost of a
// sign-in.

import assert from 'node:assert/strict'
import type { LightMyRequestResponse } from 'fastify'
import { hashSecret } from '#access/passwords.ts'
import type { Role } from '#access/permissions.ts'
import { timeOrderedId, type UserId } from '#ids.ts'
import type { Bench, Call } from './running-service.ts'
import { storedName } from './shown-ids.ts'

export const SESSION_URL = '/dashboard/api/session'
export const USERS_URL = '/dashboard/api/users'
export const PASSWORD = 'correct horse battery staple'
const CHEAP_COST = 1024
const cheapHash = await hashSecret(PASSWORD, CHEAP_COST)

export type Browser = Awaited<ReturnType<typeof signIn>>
type Service = Pick<Bench, 'call'>

let usersMade = 0

// Inserts a user and returns the email address.
export async function makeUser(
  bench: Bench,
  {
    clientId = 'MAN0000001',
    role = 'owner' as Role,
    email = `user${++usersMade}@people.example`,
  } = {},
): Promise<string> {
  await bench.db.query(
    `insert into users (id, client_id, email, role, password_hash, password_set_at,
                        is_password_temporary, created_at, own_from)
     select $1, id, $2, $3, $4, $5, false, $5, $5 from clients where client_id = $6`,
    [timeOrderedId(bench.clock()), email, role, cheapHash, bench.clock(), clientId],
  )
  return email
}

// Sends the request of the sign-in page; returns the response, which may be a refusal.
export function trySignIn(bench: Service, body: unknown, headers: Record<string, string> = {}) {
  return bench.call({ method: 'POST', url: SESSION_URL, body, token: null, headers })
}

// Signs an existing user in; returns the user's browser.
export async function signIn(bench: Service, email: string, more: object = {}) {
  const answer = await trySignIn(bench, { email, password: PASSWORD, ...more })
  assert.equal(answer.statusCode, 200, answer.body)
  return browserOf(bench, answer)
}

// Creates a user with this role and signs the user in.
export async function newBrowser(bench: Bench, role: Role = 'owner', clientId?: string) {
  return signIn(bench, await makeUser(bench, { role, ...(clientId ? { clientId } : {}) }))
}

// The same as newBrowser, but an owner created the user through the API. Until the user has taken the account
// over (takeOver), maker-checker treats owner and user as one person.
export async function newBrowserGivenBy(bench: Bench, owner: Browser, role: Role = 'owner') {
  const email = `user${++usersMade}@people.example`
  const answer = await owner.call({ url: USERS_URL, body: { email, role } })
  assert.equal(answer.statusCode, 200, answer.body)
  await bench.db.query(
    'update users set password_hash = $2, is_password_temporary = false where email = $1',
    [email, cheapHash],
  )
  return signIn(bench, email)
}

// Makes the users count as persons of their own, as if each had used the invitation link and a second factor
// long ago.
export async function takeOver(bench: Bench, ...users: readonly Browser[]): Promise<void> {
  await bench.db.query('update users set own_from = created_at where email = any($1)', [
    users.map(({ user }) => user.email),
  ])
}

let clientsMade = 0

export async function newClientWithOwner(bench: Bench) {
  const clientId = `PEOPLE${++clientsMade}`
  await bench.newClient(clientId)
  return { clientId, browser: await newBrowser(bench, 'owner', clientId) }
}

export async function userIdOf(bench: Bench, email: string): Promise<UserId> {
  const { rows } = await bench.db.query('select id from users where email = $1', [email])
  return rows[0].id
}

// The browser of a user who has just signed in with this response.
export function browserOf(bench: Service, answer: LightMyRequestResponse) {
  const cookie = cookieOf(answer)
  const { csrfToken, user } = answer.json().data
  return {
    cookie,
    csrfToken: csrfToken as string,
    user: user as { id: string; email: string },
    // Sends a request as the dashboard's pages do: with the session cookie and the CSRF token.
    call: (call: Omit<Call, 'token'>) =>
      bench.call({
        ...call,
        token: null,
        headers: { cookie, 'x-csrf-token': csrfToken, ...call.headers },
      }),
  }
}

export function cookieOf(answer: LightMyRequestResponse): string {
  const [cookie] = String(answer.headers['set-cookie']).split(';')
  return cookie as string
}

// The actions in the audit log about a subject, for example `user/<id>`, oldest first.
export async function actionsOf(bench: Bench, subject: string): Promise<string[]> {
  const { rows } = await bench.db.query<{ action: string }>(
    'select action from audit_log where subject = $1 order by id',
    [storedName(subject)],
  )
  return rows.map(({ action }) => action)
}
