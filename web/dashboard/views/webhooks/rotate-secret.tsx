// Rotates a signing secret, an endpoint's or the client's own, and shows the new one.

import { useState } from 'preact/hooks'
import { webhooksStrings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { Confirm, ShowOnce } from '../../parts/dialog.tsx'

const { actions: strings } = webhooksStrings

type Props = {
  rotate: (headers: Record<string, string>) => Promise<Schemas['SigningSecret']>
  close: () => void
}

export function RotateSecret({ rotate, close }: Props) {
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
        setSecret((await rotate(headers)).secret)
      }}
      done={() => {}}
      close={close}
    >
      {strings.rotateText}
    </Confirm>
  )
}
