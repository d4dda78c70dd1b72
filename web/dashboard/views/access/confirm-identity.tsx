// Fields that confirm the user's identity before a change of credentials: a passkey, or the password and, for
// a user with a second factor, a code.

import { useState } from 'preact/hooks'
import { providerStrings, passkeyStrings as strings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { type Form, InputField } from '../../parts/forms.tsx'
import { hasPasskeys, passkeyToConfirm } from '../../passkeys.ts'
import { isProvenAtProvider, proveAtProvider } from '../../provider.tsx'
import type { Session } from '../../session.ts'

export type Factors = { hasTotp: boolean; hasPasskey: boolean; session: Session }

type Proof = { password?: string; code?: string; passkey?: Schemas['PasskeyAssertion'] }

export function ConfirmFields({ hasTotp, hasPasskey, session }: Factors) {
  const isProven = session.throughProvider && isProvenAtProvider()
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
          {isProven ? (
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
      {session.throughProvider && !isProven && !isByPasskey && (
        <Button style="start" onClick={() => void proveAtProvider(session)}>
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

export async function proofFrom(form: Form): Promise<Proof> {
  if (form.get('proof') === 'passkey') return { passkey: await passkeyToConfirm() }
  const [password, code] = [String(form.get('password') ?? ''), form.text('code')]
  return { ...(password ? { password } : {}), ...(code ? { code } : {}) }
}
