// Rotates a signing secret, an endpoint's or the client's own, and shows the new one.

import { useState } from 'preact/hooks'
import { webhooksStrings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { Action } from '../../parts/action.tsx'
import { ShowOnce } from '../../parts/dialog.tsx'
import type { Headers } from '../../parts/forms.tsx'

const { actions: strings } = webhooksStrings

type Props = {
  label?: string
  rotate: (headers: Headers) => Promise<Schemas['SigningSecret']>
  onDone: () => void
}

// The button that rotates a signing secret. `onDone` is called once the user has closed the dialog with the
// new secret.
export function RotateSecret({ label = strings.rotate, rotate, onDone }: Props) {
  const [secret, setSecret] = useState<string | undefined>()
  return (
    <>
      <Action
        label={label}
        action={strings.rotate}
        text={strings.rotateText}
        run={(_, headers) => rotate(headers)}
        onDone={({ secret }) => setSecret(secret)}
      />
      {secret && (
        <ShowOnce
          title={strings.rotated}
          text={strings.rotatedText}
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
