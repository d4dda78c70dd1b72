// Fields with which users confirm who they are before a change of their credentials: one of their
// passkeys, or the password and, where they have a second factor, a code.

import { useState } from 'preact/hooks'
import { passkeyStrings as strings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { InputField, textOf } from '../../parts/forms.tsx'
import { hasPasskeys, passkeyToConfirm } from '../../passkeys.ts'

export type Factors = { hasTotp: boolean; hasPasskey: boolean }

type Proof = { password?: string; code?: string; passkey?: Schemas['PasskeyAssertion'] }

export function ConfirmFields({ hasTotp, hasPasskey }: Factors) {
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
          <InputField
            label={strings.password}
            name="password"
            type="password"
            autocomplete="current-password"
            required
          />
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
      {mayUsePasskey && (
        <button type="button" class="button start" onClick={() => setByPasskey(!isByPasskey)}>
          {isByPasskey ? strings.usePassword : strings.usePasskey}
        </button>
      )}
    </>
  )
}

// Of a form with those fields.
export async function proofFrom(form: FormData): Promise<Proof> {
  if (form.get('proof') === 'passkey') return { passkey: await passkeyToConfirm() }
  const [password, code] = [String(form.get('password')), textOf(form, 'code')]
  return code ? { password, code } : { password }
}
