// The user's own account: password, second factor, passkeys, sessions.

import { useState } from 'preact/hooks'
import { settingsStrings } from '../../../copy.ts'
import { getPage, type Schemas, send } from '../../api.ts'
import { deviceName } from '../../device-names.ts'
import { useLoaded, usePage } from '../../loading.ts'
import { Action, ActionForm, AtOnceButton } from '../../parts/action.tsx'
import { InputField } from '../../parts/forms.tsx'
import { Pending } from '../../parts/states.tsx'
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
  const [round, setRound] = useState(0) // Another round empties the fields.
  return (
    <section class="card panel" aria-labelledby="password">
      <h2 id="password">{strings.password}</h2>
      <ActionForm
        key={round}
        action={strings.change}
        run={(form) => changePassword(String(form.get('current')), String(form.get('chosen')))}
        message={strings.changed}
        done={() => {
          setRound((before) => before + 1)
          changed()
        }}
      >
        <p class="muted">{strings.passwordText}</p>
        <InputField
          label={strings.current}
          name="current"
          type="password"
          autocomplete="current-password"
          required
        />
        <InputField
          label={strings.chosen}
          hint={strings.chosenHint}
          name="chosen"
          type="password"
          autocomplete="new-password"
          required
        />
      </ActionForm>
    </section>
  )
}

function Sessions() {
  const { data, problem, reload } = usePage(SESSIONS, {})
  const end = async (id: string) => {
    await send('DELETE', `${SESSIONS}/{id}`, { params: { id } })
    toast(strings.ended)
    reload()
  }
  return (
    <section class="card panel" aria-labelledby="sessions">
      <h2 id="sessions">{strings.sessions}</h2>
      <Pending {...{ data, problem, reload }} kind="rows" lines={2} />
      <ul class="attempts">
        {data?.data.map((session) => (
          <OneSession key={session.id} session={session} end={end} />
        ))}
      </ul>
      <div class="actions">
        <Action
          action={strings.everywhere}
          isDangerous
          text={strings.everywhereText}
          run={async () => {
            await send('DELETE', SESSIONS, {})
            window.location.assign(BASE)
          }}
        />
      </div>
    </section>
  )
}

type OneProps = { session: Schemas['Session']; end: (id: string) => Promise<void> }

function OneSession({ session, end }: OneProps) {
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
      {!isCurrent && <AtOnceButton label={strings.end} run={() => end(id)} />}
    </li>
  )
}
