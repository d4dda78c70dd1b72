// A new signing secret, an endpoint's or the client's own; shown when it is made.

import { useState } from 'preact/hooks'
import { send } from '../../api.ts'
import { Confirm, ShownOnce } from '../../parts/dialog.tsx'
import { WEBHOOK_STRINGS } from '../../webhook-strings.ts'

const { actions: said } = WEBHOOK_STRINGS

export function Rotation({ path, close }: { path: string; close: () => void }) {
  const [secret, setSecret] = useState<string | undefined>()
  if (secret) {
    return (
      <ShownOnce title={said.rotated} text={said.rotatedText} secrets={[secret]} close={close} />
    )
  }
  return (
    <Confirm
      title={said.rotate}
      action={said.rotate}
      run={async (headers) => {
        const made = await send<{ secret: string }>('POST', path, { body: {}, headers })
        setSecret(made.secret)
      }}
      done={() => {}}
      close={close}
    >
      {said.rotateText}
    </Confirm>
  )
}
