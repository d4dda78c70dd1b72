// One's own account: password, two-factor authentication, passkeys, active sessions.

import { useState } from 'preact/hooks'
import { settingsStrings } from '../../../copy.ts'
import { getPage, problemFrom, type Schemas, send } from '../../api.ts'
import { deviceName } from '../../device-names.ts'
import { useLoaded } from '../../loading.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { Field, useSending } from '../../parts/forms.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import { Badge, Time } from '../../parts/values.tsx'
import { BASE } from '../../routing.ts'
import { changePassword } from '../../session.ts'
import type { ViewProps } from '../../view-props.ts'
import { PASSKEYS, Passkeys } from './passkeys.tsx'
import { SecondFactor } from './second-factor.tsx'

const { profile: strings } = settingsStrings
const SESSIONS = '/dashboard/api/sessions'

export function Profile({ session }: ViewProps) {
  const [changes, setChanges] = useState(0)
  const [hasTotp, setTotp] = useState(session.user.hasTotp)
  const passkeys = useLoaded(PASSKEYS, (signal) => getPage(PASSKEYS, {}, { signal }))
  const factors = { hasTotp, hasPasskey: (passkeys.data?.data.length ?? 0) > 0 }
  const othersEnded = () => setChanges(changes + 1)
  return (
    <>
      <Password changed={othersEnded} />
      <SecondFactor factors={factors} changed={setTotp} />
      <Passkeys loaded={passkeys} factors={factors} removed={othersEnded} />
      <Sessions key={changes} />
    </>
  )
}

function Password({ changed }: { changed: () => void }) {
  const [round, setRound] = useState(0) // A new one empties the fields.
  const { problem, isBusy, submit } = useSending(async (given) => {
    await changePassword(String(given.get('current')), String(given.get('chosen')))
    toast(strings.changed)
    setRound((before) => before + 1)
    changed()
  })
  return (
    <section class="card panel" aria-labelledby="password">
      <h2 id="password">{strings.password}</h2>
      <form key={round} class="form" onSubmit={submit} aria-busy={isBusy}>
        <p class="muted">{strings.passwordText}</p>
        <Field label={strings.current}>
          {(id) => (
            <input
              id={id}
              name="current"
              type="password"
              autocomplete="current-password"
              required
            />
          )}
        </Field>
        <Field label={strings.chosen} hint={strings.chosenHint}>
          {(id) => (
            <input id={id} name="chosen" type="password" autocomplete="new-password" required />
          )}
        </Field>
        {problem && <Failed problem={problem} />}
        <div class="form-end start">
          <button type="submit" class="button" disabled={isBusy}>
            {strings.change}
          </button>
        </div>
      </form>
    </section>
  )
}

type OwnSession = Schemas['Session']

function Sessions() {
  const [isLeaving, setLeaving] = useState(false)
  const { data, problem, reload } = useLoaded(SESSIONS, (signal) =>
    getPage(SESSIONS, {}, { signal }),
  )
  const end = async (id: string) => {
    try {
      await send('DELETE', `${SESSIONS}/{id}`, { params: { id } })
      toast(strings.ended)
      reload()
    } catch (error) {
      toast(problemFrom(error).message, 'bad')
    }
  }
  return (
    <section class="card panel" aria-labelledby="sessions">
      <h2 id="sessions">{strings.sessions}</h2>
      {problem && <Failed problem={problem} retry={reload} />}
      {!problem && !data && <Skeleton kind="rows" lines={2} />}
      <ul class="attempts">
        {data?.data.map((session) => (
          <OneSession key={session.id} session={session} end={end} />
        ))}
      </ul>
      <div class="actions">
        <button type="button" class="button" onClick={() => setLeaving(true)}>
          {strings.everywhere}
        </button>
      </div>
      {isLeaving && (
        <Confirm
          title={strings.everywhere}
          action={strings.everywhere}
          isDangerous
          run={async () => {
            await send('DELETE', SESSIONS, {})
            window.location.assign(BASE)
          }}
          close={() => setLeaving(false)}
        >
          {strings.everywhereText}
        </Confirm>
      )}
    </section>
  )
}

function OneSession({ session, end }: { session: OwnSession; end: (id: string) => void }) {
  const { id, address, userAgent, isCurrent, createdAt, seenAt } = session
  return (
    <li>
      <div class="session">
        <p>
          <span title={userAgent}>{deviceName(userAgent)}</span>{' '}
          {isCurrent && <Badge state={strings.here} tone="good" />}
        </p>
        <p class="muted small">
          {address} {strings.since} <Time at={createdAt} /> · {strings.seen} <Time at={seenAt} />
        </p>
      </div>
      {!isCurrent && (
        <button type="button" class="button" onClick={() => end(id)}>
          {strings.end}
        </button>
      )}
    </li>
  )
}
