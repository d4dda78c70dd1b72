// Rotates a signing secret, an endpoint's or the client's own, and shows the new one.

import { useState } from 'preact/hooks'
import { send } from '../../api.ts'
import { Confirm, ShowOnce } from '../../parts/dialog.tsx'
import { webhooksStrings } from '../../strings/webhooks.ts'

const { actions: strings } = webhooksStrings

export function RotateSecret({ path, close }: { path: string; close: () => void }) {
  const [secret, setSecret] = useState<string | undefined>()
  if (secret) {
    return (
      <ShowOnce
        title={strings.rotated}
        text={strings.rotatedText}
        secrets={[secret]}
        close={close}
      />
    )
  }
  return (
    <Confirm
      title={strings.rotate}
      action={strings.rotate}
      run={async (headers) => {
        const made = await send<{ secret: string }>('POST', path, {}, headers)
        setSecret(made.secret)
      }}
      done={() => {}}
      close={close}
    >
      {strings.rotateText}
    </Confirm>
  )
}
