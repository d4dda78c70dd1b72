// Two users of the operator, who release and forfeit held money together. They are written to the database as
// after their first sign-in, because a user that an API call creates is treated as the same person as its
// creator.

import { hashSecret } from '#access/passwords.ts'
import { timeOrderedId } from '#ids.ts'

const PASSWORD = 'correct horse battery staple'
const CHEAP_COST = 1024
const SIGN_IN_MAX_MS = 30_000
const EMAILS = ['ada@operator.example', 'bola@operator.example'] as const

type Session = { cookie: string; 'x-csrf-token': string }

export class Person {
  readonly email: string
  #session: Session | undefined

  constructor(email: string) {
    this.email = email
  }

  // Signs in at the first call, and returns the headers of the session. Returns undefined if the service
  // refuses the sign-in.
  async credentials(api: string): Promise<Session | undefined> {
    if (this.#session) return this.#session
    const response = await fetch(`${api}/dashboard/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: this.email, password: PASSWORD }),
      signal: AbortSignal.timeout(SIGN_IN_MAX_MS),
    })
    const [cookie] = response.headers.getSetCookie()[0]?.split(';') ?? []
    if (!response.ok || !cookie) return undefined
    const { data } = (await response.json()) as { data: { csrfToken: string } }
    this.#session = { cookie, 'x-csrf-token': data.csrfToken }
    return this.#session
  }

  forget(): void {
    this.#session = undefined
  }
}

type Books = { query: (text: string) => Promise<unknown> }

// Inserts the two users with a known password, whose hash is cheap so that they sign in fast. With `own_from`
// set, each counts as a person of their own, so that one may approve the other's requests.
export async function createPeople(database: Books): Promise<Person[]> {
  const hash = await hashSecret(PASSWORD, CHEAP_COST)
  const rows = EMAILS.map((email) => `('${timeOrderedId(new Date())}'::uuid, '${email}')`)
  await database.query(`
    insert into users (id, client_id, email, role, password_hash, password_set_at,
                       is_password_temporary, created_at, own_from)
    select u.id, c.id, u.email, 'operator', '${hash}', now(), false, now(), now()
      from clients c, (values ${rows}) as u (id, email) where c.client_id = 'MAN0000001'`)
  return EMAILS.map((email) => new Person(email))
}
