// The user's own passkeys: add, rename, remove.

import { useState } from 'preact/hooks'
import { passkeyStrings as strings } from '../../../copy.ts'
import { type Page, type Schemas, send } from '../../api.ts'
import { deviceName } from '../../device-names.ts'
import type { Loaded } from '../../loading.ts'
import { Action, ActionDialog, OpenButton } from '../../parts/action.tsx'
import { ShowOnce } from '../../parts/dialog.tsx'
import { InputField } from '../../parts/forms.tsx'
import { Pending } from '../../parts/states.tsx'
import { Time } from '../../parts/values.tsx'
import { createPasskey, hasPasskeys } from '../../passkeys.ts'
import { ConfirmFields, type Factors, proofFrom } from './confirm-identity.tsx'

export const PASSKEYS = '/dashboard/api/passkeys'
const NAME_LENGTH_MAX = 100

type Passkey = Schemas['Passkey']

type Props = { loaded: Loaded<Page<Passkey>>; factors: Factors; removed: () => void }

// `removed` is called after a passkey was removed, which ends the user’s other sessions.
export function Passkeys({ loaded: { data, problem, reload }, factors, removed }: Props) {
  const [recoveryCodes, setRecoveryCodes] = useState<readonly string[]>([]) // New recovery codes, shown once.
  return (
    <section class="card panel" aria-labelledby="passkeys">
      <h2 id="passkeys">{strings.title}</h2>
      <p class="muted">
        {strings.text} {strings.alone}
      </p>
      <Pending {...{ data, problem, reload }} kind="rows" lines={2} />
      {data?.data.length === 0 && <p class="muted">{strings.none}</p>}
      <ul class="attempts">
        {data?.data.map((passkey) => (
          <OnePasskey key={passkey.id} {...{ passkey, factors, removed }} changed={reload} />
        ))}
      </ul>
      {hasPasskeys() ? (
        <div class="actions">
          <OpenButton label={strings.add}>
            {(close) => (
              <AddPasskeyDialog
                factors={factors}
                close={close}
                onDone={(added) => {
                  setRecoveryCodes(added)
                  reload()
                }}
              />
            )}
          </OpenButton>
        </div>
      ) : (
        <p class="muted small">{strings.unsupported}</p>
      )}
      {recoveryCodes.length > 0 && (
        <ShowOnce
          title={strings.codes}
          text={strings.codesText}
          secrets={recoveryCodes}
          close={() => setRecoveryCodes([])}
        />
      )}
    </section>
  )
}

type OneProps = { passkey: Passkey; factors: Factors; changed: () => void; removed: () => void }

function OnePasskey({ passkey, factors, changed, removed }: OneProps) {
  const { id, name, createdAt, usedAt } = passkey
  const params = { id }
  return (
    <li>
      <div class="session">
        <p>{name}</p>
        <p class="muted small">
          {strings.created} <Time at={createdAt} /> ·{' '}
          {usedAt ? (
            <>
              {strings.used} <Time at={usedAt} />
            </>
          ) : (
            strings.never
          )}
        </p>
      </div>
      <div class="actions">
        <Action
          title={strings.rename}
          action={strings.save}
          label={strings.rename}
          name={strings.renameOne(name)}
          run={(form) =>
            send('PATCH', `${PASSKEYS}/{id}`, { params, body: { name: form.text('name') } })
          }
          message={strings.renamed}
          onDone={changed}
        >
          <NameField name={name} />
        </Action>
        <Action
          title={strings.removeOne(name)}
          action={strings.remove}
          style="danger-text"
          name={strings.removeOne(name)}
          isDangerous
          text={strings.removeText(name)}
          run={async (form) =>
            send('POST', `${PASSKEYS}/{id}/remove`, { params, body: await proofFrom(form) })
          }
          message={strings.removed}
          onDone={() => {
            changed()
            removed()
          }}
        >
          <ConfirmFields {...factors} />
        </Action>
      </div>
    </li>
  )
}

type AddPasskeyProps = { close: () => void; factors: Factors }

function AddPasskeyDialog(props: AddPasskeyProps & { onDone: (codes: string[]) => void }) {
  const { close, factors, onDone } = props
  return (
    <ActionDialog
      action={strings.add}
      run={async (form) => {
        const options = await send('POST', PASSKEYS, { body: await proofFrom(form) })
        const credential = await createPasskey(options)
        const body = { name: form.text('name'), credential }
        return send('POST', `${PASSKEYS}/confirm`, { body })
      }}
      message={strings.added}
      onDone={({ recoveryCodes }) => onDone(recoveryCodes)}
      close={close}
    >
      <NameField name={deviceName(navigator.userAgent)} />
      <ConfirmFields {...factors} />
      <p class="muted small">{strings.wait}</p>
    </ActionDialog>
  )
}

const NameField = ({ name }: { name: string }) => (
  <InputField
    label={strings.name}
    hint={strings.nameHint}
    name="name"
    defaultValue={name}
    maxLength={NAME_LENGTH_MAX}
    required
  />
)
