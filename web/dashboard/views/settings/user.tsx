// One user: change role, disable, reset password, remove.

import { useState } from 'preact/hooks'
import { settingsStrings } from '../../../copy.ts'
import { problemFrom, send } from '../../api.ts'
import { humanize } from '../../format.ts'
import { staying } from '../../in-flight.ts'
import { Confirm, DialogForm } from '../../parts/dialog.tsx'
import { Drawer, Facts } from '../../parts/drawer.tsx'
import { choiceOf, Field, textOf, useSending } from '../../parts/forms.tsx'
import { Failed } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import { Time } from '../../parts/values.tsx'
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
  hand: (handed: TemporaryPassword) => void
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
      <div class="headline">
        <span class="headline-text">{email}</span>
        <UserBadge user={user} />
      </div>
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
  const { problem, isBusy, submit } = useSending(async (given) => {
    const body = { role: choiceOf(given, 'role', rolesFor(session, client)) }
    await send('PATCH', `${USERS}/{id}`, { params: { id: user.id }, body })
    toast(strings.changed)
    changed()
  })
  return (
    <form class="form role-form" onSubmit={submit} aria-busy={isBusy}>
      <Field label={strings.role}>
        {(id) => <RoleSelect id={id} session={session} client={client} chosen={user.role} />}
      </Field>
      {problem && <Failed problem={problem} />}
      <div class="form-end start">
        <button type="submit" class="button" disabled={isBusy}>
          {strings.changeRole}
        </button>
      </div>
    </form>
  )
}

function Vouch({ user, changed }: Props) {
  const [isAsked, setAsked] = useState(false)
  const sending = useSending(async (given) => {
    const body = { note: textOf(given, 'note') }
    await send('POST', `${USERS}/{id}/vouch`, { params: { id: user.id }, body })
    setAsked(false)
    toast(strings.vouched)
    changed()
  })
  const close = () => setAsked(false)
  const title = strings.vouchTitle(user.email)
  return (
    <div class="actions">
      <button type="button" class="button" onClick={() => setAsked(true)}>
        {strings.vouch}
      </button>
      {isAsked && (
        <DialogForm title={title} action={strings.vouch} sending={sending} close={close}>
          <p class="muted">{strings.vouchText}</p>
          <Field label={strings.vouchNote} hint={strings.vouchHint}>
            {(id) => <textarea id={id} name="note" rows={3} maxLength={500} required />}
          </Field>
        </DialogForm>
      )}
    </div>
  )
}

type Asking = 'disable' | 'reset' | 'remove'

function Actions({ mayTouch, ...props }: Props & { mayTouch: boolean }) {
  const { user, changed } = props
  const [asking, setAsking] = useState<Asking | undefined>()
  const enable = async () => {
    try {
      const change = { params: { id: user.id }, body: { isActive: true } }
      await staying(() => send('PATCH', `${USERS}/{id}`, change))
      toast(strings.changed)
      changed()
    } catch (error) {
      toast(problemFrom(error).message, 'bad')
    }
  }
  return (
    <>
      <div class="actions">
        {mayTouch && (
          <button type="button" class="button" onClick={() => setAsking('reset')}>
            {strings.reset}
          </button>
        )}
        {user.isActive ? (
          <button type="button" class="button" onClick={() => setAsking('disable')}>
            {strings.disable}
          </button>
        ) : (
          <button type="button" class="button" onClick={enable}>
            {strings.enable}
          </button>
        )}
        {mayTouch && (
          <button type="button" class="button danger-text" onClick={() => setAsking('remove')}>
            {strings.remove}
          </button>
        )}
      </div>
      {asking && <Asked {...props} asking={asking} stop={() => setAsking(undefined)} />}
    </>
  )
}

function Asked({
  user,
  asking,
  stop,
  changed,
  hand,
  close,
}: Props & { asking: Asking; stop: () => void }) {
  const [removesFactor, setRemovesFactor] = useState(false)
  const { id } = user
  const work = {
    disable: async () => {
      await send('PATCH', `${USERS}/{id}`, { params: { id }, body: { isActive: false } })
      changed()
    },
    reset: async (headers: Record<string, string>) => {
      const body = removesFactor ? { removeTotp: true } : {}
      hand(await send('POST', `${USERS}/{id}/reset-password`, { params: { id }, body, headers }))
    },
    remove: async () => {
      await send('DELETE', `${USERS}/{id}`, { params: { id } })
      toast(strings.removed)
      close()
      changed()
    },
  }
  return (
    <Confirm
      title={strings[asking]}
      action={strings[asking]}
      isDangerous={asking === 'remove'}
      run={work[asking]}
      close={stop}
    >
      <p>{strings[`${asking}Text`](user.email)}</p>
      {asking === 'reset' && user.hasTotp && (
        <label class="option">
          <input
            type="checkbox"
            checked={removesFactor}
            onChange={(event) => setRemovesFactor(event.currentTarget.checked)}
          />
          {strings.removeFactor}
        </label>
      )}
    </Confirm>
  )
}
