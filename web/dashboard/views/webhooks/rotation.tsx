// A new signing secret, an endpoint's or the client's own; shown when it is made.

import { useState } from 'preact/hooks'
import type { Schemas } from '../../api.ts'
import { Confirm, ShownOnce } from '../../parts/dialog.tsx'
import { WEBHOOK_STRINGS } from '../../webhook-strings.ts'

const { actions: said } = WEBHOOK_STRINGS

type Props = {
  rotate: (headers: Record<string, string>) => Promise<Schemas['SigningSecret']>
  close: () => void
}

export function Rotation({ rotate, close }: Props) {
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
        setSecret((await rotate(headers)).secret)
      }}
      done={() => {}}
      close={close}
    >
      {said.rotateText}
    </Confirm>
  )
}
