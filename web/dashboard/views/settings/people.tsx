// The people of the client: who may do what, and letting somebody in.

import { useState } from 'preact/hooks'
import { type Schemas, send } from '../../api.ts'
import { words } from '../../format.ts'
import { usePages } from '../../loading.ts'
import { DialogForm, ShownOnce } from '../../parts/dialog.tsx'
import { choiceOf, Field, textOf, useSending } from '../../parts/forms.tsx'
import { Empty } from '../../parts/states.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
import { Badge, Time } from '../../parts/values.tsx'
import { goTo, hrefOf } from '../../routing.ts'
import { SETTINGS_STRINGS } from '../../settings-strings.ts'
import type { ViewProps } from '../../views.ts'
import { PersonDrawer } from './user.tsx'

export type Person = Schemas['User']
export type Role = keyof typeof said.roles
export type Handed = Schemas['UserWithPassword']

const { people: said } = SETTINGS_STRINGS
export const USERS = '/dashboard/api/users'
const TAB = { tab: 'people' }

const COLUMNS: readonly Column<Person>[] = [
  { name: said.email, place: 'lead', show: ({ email }) => email },
  { name: said.role, place: 'second', show: ({ role }) => words(role) },
  { name: said.state, place: 'state', show: (person) => <PersonBadge person={person} /> },
  { name: said.factor, show: ({ hasTotp }) => (hasTotp ? said.hasFactor : said.noFactor) },
  {
    name: said.signedIn,
    place: 'time',
    show: ({ signedInAt }) => (signedInAt ? <Time at={signedInAt} /> : said.never),
  },
]

export function PersonBadge({ person }: { person: Person }) {
  if (!person.isActive) return <Badge state={said.states.off} tone="bad" />
  if (person.isPasswordTemporary) return <Badge state={said.states.waiting} tone="warn" />
  return <Badge state={said.states.active} tone="good" />
}

// Only an operator makes operators.
export function rolesFor(own: string): Role[] {
  const roles = Object.keys(said.roles) as Role[]
  return roles.filter((role) => role !== 'operator' || own === 'operator')
}

export function People({ session, place }: ViewProps) {
  const pages = usePages(USERS, {})
  const [isInviting, setInviting] = useState(false)
  const [handed, setHanded] = useState<Handed | undefined>()
  const open = pages.data?.data.find(({ id }) => id === place.open)
  const hand = (given: Handed) => {
    setInviting(false)
    setHanded(given)
    pages.reload()
  }
  return (
    <>
      <div class="above">
        <button type="button" class="button primary" onClick={() => setInviting(true)}>
          {said.invite}
        </button>
      </div>
      <ListTable
        caption={SETTINGS_STRINGS.tabs.people}
        columns={COLUMNS}
        pages={pages}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => hrefOf('settings', id, TAB)}
        openKey={place.open}
        empty={
          <Empty icon="action" title={said.none}>
            {said.noneText}
          </Empty>
        }
      />
      {isInviting && (
        <Invitation roles={rolesFor(session.role)} close={() => setInviting(false)} done={hand} />
      )}
      {open && (
        <PersonDrawer
          key={open.id}
          person={open}
          session={session}
          changed={pages.reload}
          hand={hand}
          close={() => goTo(hrefOf('settings', undefined, TAB))}
        />
      )}
      {handed && (
        <ShownOnce
          title={said.password}
          text={said.passwordText(handed.email)}
          secrets={[handed.temporaryPassword]}
          close={() => setHanded(undefined)}
        />
      )}
    </>
  )
}

type Invited = { roles: readonly Role[]; close: () => void; done: (handed: Handed) => void }

function Invitation({ roles, close, done }: Invited) {
  const sending = useSending(async (given, headers) => {
    const body = { email: textOf(given, 'email'), role: choiceOf(given, 'role', roles) }
    done(await send('POST', USERS, {}, { body, headers }))
  })
  return (
    <DialogForm title={said.invite} action={said.invite} sending={sending} close={close}>
      <p class="muted">{said.inviteText}</p>
      <Field label={said.email}>
        {(id) => <input id={id} name="email" type="email" required autocomplete="off" />}
      </Field>
      <Field label={said.role}>
        {(id) => <RoleSelect id={id} roles={roles} chosen="support" />}
      </Field>
    </DialogForm>
  )
}

type Roles = { id: string; roles: readonly Role[]; chosen: Role }

export function RoleSelect({ id, roles, chosen }: Roles) {
  return (
    <select id={id} name="role" defaultValue={chosen}>
      {roles.map((role) => (
        <option key={role} value={role} selected={role === chosen}>
          {said.roles[role]}
        </option>
      ))}
    </select>
  )
}
