// The users of a client, and inviting one.

import { useState } from 'preact/hooks'
import { settingsStrings } from '../../../copy.ts'
import { type Query, send } from '../../api.ts'
import { humanize } from '../../format.ts'
import { usePages } from '../../loading.ts'
import { Action } from '../../parts/action.tsx'
import { ShowOnce } from '../../parts/dialog.tsx'
import { Field, InputField } from '../../parts/forms.tsx'
import { Empty } from '../../parts/states.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/values.tsx'
import { closeTo, hrefOf } from '../../routing.ts'
import type { ViewProps } from '../../view-props.ts'
import { UserDrawer } from './user.tsx'
import {
  type OfClient,
  RoleSelect,
  rolesFor,
  type TemporaryPassword,
  USERS,
  type User,
  UserBadge,
} from './user-fields.tsx'

const { users: strings } = settingsStrings

const COLUMNS: readonly Column<User>[] = [
  { name: strings.email, place: 'lead', show: ({ email }) => email },
  { name: strings.role, place: 'second', show: ({ role }) => humanize(role) },
  { name: strings.state, place: 'state', show: (user) => <UserBadge user={user} /> },
  {
    name: strings.factor,
    show: ({ hasTotp, hasPasskey }) =>
      hasTotp || hasPasskey ? strings.hasFactor : strings.noFactor,
  },
  {
    name: strings.signedIn,
    place: 'time',
    show: ({ signedInAt }) => (signedInAt ? <Time at={signedInAt} /> : strings.never),
  },
]

export function Users(props: ViewProps) {
  return (
    <UserList {...props} view="settings" query={{ tab: 'users' }} client={props.session.client} />
  )
}

type Props = ViewProps & {
  view: string
  query: Query
  client: OfClient
}

export function UserList({ session, place, view, query, client }: Props) {
  const pages = usePages(USERS, {}, { clientId: client.clientId })
  const [handed, setTemporaryPassword] = useState<TemporaryPassword | undefined>()
  const open = pages.data?.data.find(({ id }) => id === place.open)
  const hand = (password: TemporaryPassword) => {
    setTemporaryPassword(password)
    pages.reload()
  }
  return (
    <>
      <div class="above">
        <Action
          action={strings.invite}
          style="primary"
          text={strings.inviteText}
          run={(form, headers) => {
            const role = form.choice('role', rolesFor(session, client))
            const body = { email: form.text('email'), role, clientId: client.clientId }
            return send('POST', USERS, { body, headers })
          }}
          done={hand}
        >
          <InputField label={strings.email} name="email" type="email" required />
          <Field label={strings.role}>
            {(id) => (
              <RoleSelect
                id={id}
                session={session}
                client={client}
                chosen={pages.data?.data.length === 0 ? 'owner' : 'support'}
              />
            )}
          </Field>
        </Action>
      </div>
      <ListTable
        caption={settingsStrings.tabs.users}
        columns={COLUMNS}
        pages={pages}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => hrefOf(view, id, query)}
        openKey={place.open}
        empty={<Empty icon="action" title={strings.none} text={strings.noneText} />}
      />
      {open && (
        <UserDrawer
          key={open.id}
          user={open}
          session={session}
          client={client}
          changed={pages.reload}
          hand={hand}
          close={() => closeTo(hrefOf(view, undefined, query))}
        />
      )}
      {handed && (
        <ShowOnce
          title={strings.password}
          text={strings.passwordText(handed.email)}
          secrets={[handed.invitationLink, handed.temporaryPassword]}
          close={() => setTemporaryPassword(undefined)}
        />
      )}
    </>
  )
}
