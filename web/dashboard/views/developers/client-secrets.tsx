// A client's secrets, and rotation with an overlap: by its users here, by operators in Clients.

import { useState } from 'preact/hooks'
import { developersStrings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { DialogForm, ShowOnce } from '../../parts/dialog.tsx'
import { Field, textOf, useSending } from '../../parts/forms.tsx'
import { Badge, Time } from '../../parts/values.tsx'

export type ClientSecret = Schemas['ClientSecret']

const { secrets: strings } = developersStrings

type Rotate = (
  body: Schemas['SecretRotationRequest'],
  headers: Record<string, string>,
) => Promise<{ secret: string }>
type Props = { secrets: readonly ClientSecret[]; rotate: Rotate; changed: () => void }

export function ClientSecrets({ secrets, rotate, changed }: Props) {
  const [isAsking, setAsking] = useState(false)
  const [made, setMade] = useState<string | undefined>()
  return (
    <>
      <ul class="attempts">
        {secrets.map((secret) => (
          <Row key={secret.keyId} secret={secret} />
        ))}
      </ul>
      <div class="actions">
        <button type="button" class="button" onClick={() => setAsking(true)}>
          {strings.rotate}
        </button>
      </div>
      {isAsking && (
        <RotationForm
          rotate={rotate}
          close={() => setAsking(false)}
          done={(secret) => {
            setAsking(false)
            setMade(secret)
            changed()
          }}
        />
      )}
      {made && (
        <ShowOnce
          title={strings.made}
          text={strings.madeText}
          secrets={[made]}
          close={() => setMade(undefined)}
        />
      )}
    </>
  )
}

function Row({ secret: { keyId, createdAt, retiresAt, usedAt } }: { secret: ClientSecret }) {
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

type Rotation = { rotate: Rotate; close: () => void; done: (secret: string) => void }

function RotationForm({ rotate, close, done }: Rotation) {
  const [overlap, setOverlap] = useState('86400')
  const sending = useSending(async (given, headers) => {
    const body = { overlapSeconds: Number(textOf(given, 'overlap')) }
    done((await rotate(body, headers)).secret)
  })
  return (
    <DialogForm
      title={strings.rotate}
      action={strings.rotate}
      isDangerous={overlap === '0'}
      sending={sending}
      close={close}
    >
      <p class="muted">{strings.rotateText}</p>
      <Field label={strings.overlap}>
        {(id) => (
          <select
            id={id}
            name="overlap"
            value={overlap}
            onChange={(event) => setOverlap(event.currentTarget.value)}
          >
            {['86400', '604800', '2592000', '0'].map((seconds) => (
              <option key={seconds} value={seconds}>
                {strings.overlaps[seconds as keyof typeof strings.overlaps]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <p role="status" class="notice">
        {overlap === '0' ? strings.atOnce : ''}
      </p>
    </DialogForm>
  )
}
