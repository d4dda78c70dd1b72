// The secrets a client logs in with: which there are, and a new one with an overlap.

import { useState } from 'preact/hooks'
import { send } from '../../api.ts'
import { DEVELOPER_STRINGS } from '../../developer-strings.ts'
import { DialogForm, ShownOnce } from '../../parts/dialog.tsx'
import { Field, textOf, useSending } from '../../parts/forms.tsx'
import { Badge, Time } from '../../parts/values.tsx'

export type ClientSecret = {
  keyId: string
  createdAt: string
  retiresAt: string | null
  usedAt: string | null
}

const { secrets: said } = DEVELOPER_STRINGS

type Props = { path: string; secrets: readonly ClientSecret[]; changed: () => void }

export function Secrets({ path, secrets, changed }: Props) {
  const [isAsking, setAsking] = useState(false)
  const [made, setMade] = useState<string | undefined>()
  return (
    <section class="card panel" aria-labelledby="secrets">
      <h2 id="secrets">{said.title}</h2>
      <p class="muted">{said.text}</p>
      <ul class="attempts">
        {secrets.map((secret) => (
          <Row key={secret.keyId} secret={secret} />
        ))}
      </ul>
      <div class="actions">
        <button type="button" class="button" onClick={() => setAsking(true)}>
          {said.rotate}
        </button>
      </div>
      {isAsking && (
        <RotationForm
          path={`${path}/rotate-secret`}
          close={() => setAsking(false)}
          done={(secret) => {
            setAsking(false)
            setMade(secret)
            changed()
          }}
        />
      )}
      {made && (
        <ShownOnce
          title={said.made}
          text={said.madeText}
          secrets={[made]}
          close={() => setMade(undefined)}
        />
      )}
    </section>
  )
}

function Row({ secret: { keyId, createdAt, retiresAt, usedAt } }: { secret: ClientSecret }) {
  return (
    <li>
      <div class="session">
        <p>{keyId === '' ? said.first : <code>{said.begins(keyId)}</code>}</p>
        <p class="muted small">
          {said.created} <Time at={createdAt} /> · {said.used}{' '}
          {usedAt ? <Time at={usedAt} /> : said.never}
        </p>
      </div>
      {retiresAt === null ? (
        <Badge state={said.current} tone="good" />
      ) : (
        <span>
          {said.until} <Time at={retiresAt} />
        </span>
      )}
    </li>
  )
}

function RotationForm({
  path,
  close,
  done,
}: {
  path: string
  close: () => void
  done: (secret: string) => void
}) {
  const [overlap, setOverlap] = useState('86400')
  const sending = useSending(async (given, headers) => {
    const body = { overlapSeconds: Number(textOf(given, 'overlap')) }
    const { secret } = await send<{ secret: string }>('POST', path, { body, headers })
    done(secret)
  })
  return (
    <DialogForm
      title={said.rotate}
      action={said.rotate}
      isDangerous={overlap === '0'}
      sending={sending}
      close={close}
    >
      <p class="muted">{said.rotateText}</p>
      <Field label={said.overlap}>
        {(id) => (
          <select
            id={id}
            name="overlap"
            value={overlap}
            onChange={(event) => setOverlap(event.currentTarget.value)}
          >
            {['86400', '604800', '2592000', '0'].map((seconds) => (
              <option key={seconds} value={seconds}>
                {said.overlaps[seconds as keyof typeof said.overlaps]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <p role="status" class="notice">
        {overlap === '0' ? said.atOnce : ''}
      </p>
    </DialogForm>
  )
}
