// A client's secrets, and their rotation, after which the old secret stays valid for a time. The client's
// users see them in Developers, and operators in Clients.

import { useState } from 'preact/hooks'
import { developersStrings, webhooksStrings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { Action, ActionDialog, OpenButton } from '../../parts/action.tsx'
import { ShowOnce } from '../../parts/dialog.tsx'
import { type Headers, SelectField } from '../../parts/forms.tsx'
import { Badge, Time } from '../../parts/values.tsx'

type ClientSecret = Schemas['ClientSecret']

const { secrets: strings } = developersStrings

type Rotate = (
  body: Schemas['SecretRotationRequest'],
  headers: Record<string, string>,
) => Promise<{ secret: string }>
type Props = { secrets: readonly ClientSecret[]; rotate: Rotate; changed: () => void }

// The client’s secrets, and the button that rotates them. A new secret is shown once.
export function ClientSecrets({ secrets, rotate, changed }: Props) {
  const [newSecret, setNewSecret] = useState<string | undefined>()
  return (
    <>
      <ul class="attempts">
        {secrets.map((secret) => (
          <SecretRow key={secret.keyId} secret={secret} />
        ))}
      </ul>
      <div class="actions">
        <OpenButton label={strings.rotate}>
          {(close) => (
            <RotationForm
              rotate={rotate}
              close={close}
              onDone={({ secret }) => {
                setNewSecret(secret)
                changed()
              }}
            />
          )}
        </OpenButton>
      </div>
      {newSecret && (
        <ShowOnce
          title={strings.made}
          text={strings.madeText}
          secrets={[newSecret]}
          close={() => setNewSecret(undefined)}
        />
      )}
    </>
  )
}

// A secret, named by its first characters. Secrets from before these were stored have an empty `keyId`.
function SecretRow({ secret: { keyId, createdAt, retiresAt, usedAt } }: { secret: ClientSecret }) {
  return (
    <li>
      <div class="session">
        <p>{keyId === '' ? strings.first : <code>{strings.begins(keyId)}</code>}</p>
        <p class="muted small">
          {strings.created} <Time at={createdAt} /> · {strings.used}{' '}
          {usedAt ? <Time at={usedAt} /> : strings.never}
        </p>
      </div>
      {retiresAt === null ? (
        <Badge state={strings.current} tone="good" />
      ) : (
        <span>
          {strings.until} <Time at={retiresAt} />
        </span>
      )}
    </li>
  )
}

type RotationFormProps = {
  rotate: Rotate
  close: () => void
  onDone: (newSecret: { secret: string }) => void
}

// The old secret stays valid for the chosen time, or ends at once. `overlap` is in seconds: a day, a week, 30
// days or 0.
function RotationForm({ rotate, close, onDone }: RotationFormProps) {
  const [overlap, setOverlap] = useState('86400')
  return (
    <ActionDialog
      action={strings.rotate}
      isDangerous={overlap === '0'}
      text={strings.rotateText}
      run={(form, headers) => rotate({ overlapSeconds: Number(form.text('overlap')) }, headers)}
      onDone={onDone}
      close={close}
    >
      <SelectField
        label={strings.overlap}
        name="overlap"
        value={overlap}
        onChange={(event) => setOverlap(event.currentTarget.value)}
        options={['86400', '604800', '2592000', '0']}
        names={strings.overlaps}
      />
      <p role="status" class="notice">
        {overlap === '0' ? strings.atOnce : ''}
      </p>
    </ActionDialog>
  )
}

const { actions: rotateSecretStrings } = webhooksStrings

type RotateSecretProps = {
  label?: string
  rotate: (headers: Headers) => Promise<Schemas['SigningSecret']>
  onDone: () => void
}

// The button that rotates a signing secret. `onDone` is called once the user has closed the dialog with the
// new secret.
export function RotateSecret(props: RotateSecretProps) {
  const { label = rotateSecretStrings.rotate, rotate, onDone } = props
  const [secret, setSecret] = useState<string | undefined>()
  return (
    <>
      <Action
        label={label}
        action={rotateSecretStrings.rotate}
        text={rotateSecretStrings.rotateText}
        run={(_, headers) => rotate(headers)}
        onDone={({ secret }) => setSecret(secret)}
      />
      {secret && (
        <ShowOnce
          title={rotateSecretStrings.rotated}
          text={rotateSecretStrings.rotatedText}
          secrets={[secret]}
          close={() => {
            setSecret(undefined)
            onDone()
          }}
        />
      )}
    </>
  )
}
