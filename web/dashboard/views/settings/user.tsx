// One user: change role, disable, reset password, remove.

import { settingsStrings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { humanize } from '../../format.ts'
import { Action, ActionForm, AtOnceButton } from '../../parts/action.tsx'
import { Drawer, Facts } from '../../parts/drawer.tsx'
import { CheckBox, Field, TextAreaField } from '../../parts/forms.tsx'
import { toast } from '../../parts/toasts.tsx'
import { TextHeadline, Time } from '../../parts/values.tsx'
import type { Session } from '../../session.ts'
import {
  mayDisable,
  mayManage,
  type OfClient,
  RoleSelect,
  rolesFor,
  type TemporaryPassword,
  USERS,
  type User,
  UserBadge,
} from './user-fields.tsx'

const { users: strings } = settingsStrings

type Props = {
  user: User
  session: Session
  client: OfClient
  changed: () => void
  hand: (password: TemporaryPassword) => void
  close: () => void
}

export function UserDrawer(props: Props) {
  const { user, session, client, close } = props
  const { email, role, hasTotp, hasPasskey, signedInAt, createdAt, countsFrom } = user
  const isOwn = user.id === session.user.id
  const mayTouch = !isOwn && mayManage(session, client, role)
  const mayOnlyDisable = !isOwn && !mayTouch && user.isActive && mayDisable(session, role)
  return (
    <Drawer title={strings.one} close={close}>
      <TextHeadline text={email} badge={<UserBadge user={user} />} />
      <Facts
        facts={[
          [strings.role, humanize(role)],
          [strings.factor, hasTotp || hasPasskey ? strings.hasFactor : strings.noFactor],
          [strings.counts, countsFrom ? strings.countsOwn : strings.countsOther],
          [strings.signedIn, signedInAt ? <Time at={signedInAt} /> : strings.never],
          [strings.created, <Time key="created" at={createdAt} />],
        ]}
      />
      {isOwn && <p class="notice">{strings.you}</p>}
      {mayTouch && <RoleForm {...props} />}
      {mayTouch && session.role === 'operator' && !user.isPasswordTemporary && <Vouch {...props} />}
      {(mayTouch || mayOnlyDisable) && <Actions {...props} mayTouch={mayTouch} />}
    </Drawer>
  )
}

function RoleForm({ user, session, client, changed }: Props) {
  return (
    <ActionForm
      action={strings.changeRole}
      class="role-form"
      run={(form) => {
        const body = { role: form.choice('role', rolesFor(session, client)) }
        return send('PATCH', `${USERS}/{id}`, { params: { id: user.id }, body })
      }}
      message={strings.changed}
      done={changed}
    >
      <Field label={strings.role}>
        {(id) => <RoleSelect id={id} session={session} client={client} chosen={user.role} />}
      </Field>
    </ActionForm>
  )
}

function Vouch({ user, changed }: Props) {
  return (
    <div class="actions">
      <Action
        title={strings.vouchTitle(user.email)}
        action={strings.vouch}
        text={strings.vouchText}
        run={(form) => {
          const body = { note: form.text('note') }
          return send('POST', `${USERS}/{id}/vouch`, { params: { id: user.id }, body })
        }}
        message={strings.vouched}
        done={changed}
      >
        <TextAreaField
          label={strings.vouchNote}
          hint={strings.vouchHint}
          name="note"
          rows={3}
          maxLength={500}
          required
        />
      </Action>
    </div>
  )
}

function Actions({ user, changed, hand, close, mayTouch }: Props & { mayTouch: boolean }) {
  const { id, email, hasTotp, isActive } = user
  const params = { id }
  return (
    <div class="actions">
      <Action
        action={strings.reset}
        isOffered={mayTouch}
        text={<p>{strings.resetText(email)}</p>}
        run={(form, headers) => {
          const body = form.has('removesFactor') ? { removeTotp: true } : {}
          return send('POST', `${USERS}/{id}/reset-password`, { params, body, headers })
        }}
        done={hand}
      >
        {hasTotp && <CheckBox name="removesFactor" label={strings.removeFactor} />}
      </Action>
      <Action
        action={strings.disable}
        isOffered={isActive}
        text={<p>{strings.disableText(email)}</p>}
        run={() => send('PATCH', `${USERS}/{id}`, { params, body: { isActive: false } })}
        done={changed}
      />
      {!isActive && (
        <AtOnceButton
          label={strings.enable}
          run={async () => {
            await send('PATCH', `${USERS}/{id}`, { params, body: { isActive: true } })
            toast(strings.changed)
            changed()
          }}
        />
      )}
      <Action
        action={strings.remove}
        style="danger-text"
        isOffered={mayTouch}
        isDangerous
        text={<p>{strings.removeText(email)}</p>}
        run={() => send('DELETE', `${USERS}/{id}`, { params })}
        message={strings.removed}
        done={() => {
          close()
          changed()
        }}
      />
    </div>
  )
}
