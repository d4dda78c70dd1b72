// The client's users, and inviting one.

import { useState } from 'preact/hooks'
import { settingsStrings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { humanize } from '../../format.ts'
import { usePages } from '../../loading.ts'
import { DialogForm, ShowOnce } from '../../parts/dialog.tsx'
import { choiceOf, Field, textOf, useSending } from '../../parts/forms.tsx'
import { Empty } from '../../parts/states.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/values.tsx'
import { goTo, hrefOf } from '../../routing.ts'
import type { Session } from '../../session.ts'
import type { ViewProps } from '../../view-props.ts'
import { UserDrawer } from './user.tsx'
import {
  RoleSelect,
  rolesFor,
  type TemporaryPassword,
  USERS,
  type User,
  UserBadge,
} from './user-fields.tsx'

const { users: strings } = settingsStrings
const TAB = { tab: 'users' }

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

export function Users({ session, place }: ViewProps) {
  const pages = usePages(USERS, {})
  const [isInviting, setInviting] = useState(false)
  const [handed, setTemporaryPassword] = useState<TemporaryPassword | undefined>()
  const open = pages.data?.data.find(({ id }) => id === place.open)
  const hand = (given: TemporaryPassword) => {
    setInviting(false)
    setTemporaryPassword(given)
    pages.reload()
  }
  return (
    <>
      <div class="above">
        <button type="button" class="button primary" onClick={() => setInviting(true)}>
          {strings.invite}
        </button>
      </div>
      <ListTable
        caption={settingsStrings.tabs.users}
        columns={COLUMNS}
        pages={pages}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => hrefOf('settings', id, TAB)}
        openKey={place.open}
        empty={
          <Empty icon="action" title={strings.none}>
            {strings.noneText}
          </Empty>
        }
      />
      {isInviting && <Invitation session={session} close={() => setInviting(false)} done={hand} />}
      {open && (
        <UserDrawer
          key={open.id}
          user={open}
          session={session}
          changed={pages.reload}
          hand={hand}
          close={() => goTo(hrefOf('settings', undefined, TAB))}
        />
      )}
      {handed && (
        <ShowOnce
          title={strings.password}
          text={strings.passwordText(handed.email)}
          secrets={[handed.temporaryPassword]}
          close={() => setTemporaryPassword(undefined)}
        />
      )}
    </>
  )
}

type Invited = {
  session: Session
  close: () => void
  done: (handed: TemporaryPassword) => void
}

function Invitation({ session, close, done }: Invited) {
  const roles = rolesFor(session)
  const sending = useSending(async (given, headers) => {
    const body = { email: textOf(given, 'email'), role: choiceOf(given, 'role', roles) }
    done(await send('POST', USERS, { body, headers }))
  })
  return (
    <DialogForm title={strings.invite} action={strings.invite} sending={sending} close={close}>
      <p class="muted">{strings.inviteText}</p>
      <Field label={strings.email}>
        {(id) => <input id={id} name="email" type="email" required autocomplete="off" />}
      </Field>
      <Field label={strings.role}>
        {(id) => <RoleSelect id={id} session={session} chosen="support" />}
      </Field>
    </DialogForm>
  )
}
