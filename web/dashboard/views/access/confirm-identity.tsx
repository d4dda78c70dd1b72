// Fields that confirm the user's identity before a change of credentials: a passkey, or the password and, for
// a user with a second factor, a code.

import { useState } from 'preact/hooks'
import { providerStrings, passkeyStrings as strings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { Button } from '../../parts/controls.tsx'
import { type Form, InputField } from '../../parts/forms.tsx'
import { hasPasskeys, passkeyToConfirm } from '../../passkeys.ts'
import { confirmAtProvider, isConfirmedAtProvider } from '../../provider.tsx'
import type { Session } from '../../session.ts'

export type Factors = { hasTotp: boolean; hasPasskey: boolean; session: Session }

type Proof = { password?: string; code?: string; passkey?: Schemas['PasskeyAssertion'] }

// The fields by which the user confirms their identity before a change of credentials; proofFrom() reads
// them. A recent confirmation at the sign-in provider replaces the password.
export function ConfirmFields({ hasTotp, hasPasskey, session }: Factors) {
  const isConfirmed = session.throughProvider && isConfirmedAtProvider()
  const mayUsePasskey = hasPasskey && hasPasskeys()
  const [isByPasskey, setByPasskey] = useState(mayUsePasskey)
  return (
    <>
      {isByPasskey ? (
        <>
          <input type="hidden" name="proof" value="passkey" />
          <p class="muted">{strings.confirmText}</p>
        </>
      ) : (
        <>
          {isConfirmed ? (
            <p class="muted">{providerStrings.proven}</p>
          ) : (
            <InputField
              label={strings.password}
              name="password"
              type="password"
              autocomplete="current-password"
              required
            />
          )}
          {(hasTotp || hasPasskey) && (
            <InputField
              label={hasTotp ? strings.code : strings.recoveryCode}
              name="code"
              autocomplete="one-time-code"
              required
            />
          )}
        </>
      )}
      {session.throughProvider && !isConfirmed && !isByPasskey && (
        <Button style="start" onClick={() => void confirmAtProvider(session)}>
          {providerStrings.prove}
        </Button>
      )}
      {mayUsePasskey && (
        <Button style="start" onClick={() => setByPasskey(!isByPasskey)}>
          {isByPasskey ? strings.usePassword : strings.usePasskey}
        </Button>
      )}
    </>
  )
}

// Reads the proof of identity from a form with ConfirmFields. A passkey signs the service's challenge now.
export async function proofFrom(form: Form): Promise<Proof> {
  if (form.get('proof') === 'passkey') return { passkey: await passkeyToConfirm() }
  const [password, code] = [String(form.get('password') ?? ''), form.text('code')]
  return { ...(password ? { password } : {}), ...(code ? { code } : {}) }
}
