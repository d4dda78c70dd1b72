// Fields with which users confirm who they are before a change of their credentials: one of their
// passkeys, or the password and, where they have a second factor, a code.

import { useState } from 'preact/hooks'
import { passkeyStrings as strings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { Field, textOf } from '../../parts/forms.tsx'
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
          <Field label={strings.password}>
            {(id) => (
              <input
                id={id}
                name="password"
                type="password"
                autocomplete="current-password"
                required
              />
            )}
          </Field>
          {(hasTotp || hasPasskey) && (
            <Field label={hasTotp ? strings.code : strings.recoveryCode}>
              {(id) => <input id={id} name="code" autocomplete="one-time-code" required />}
            </Field>
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
export async function proofFrom(given: FormData): Promise<Proof> {
  if (given.get('proof') === 'passkey') return { passkey: await passkeyToConfirm() }
  const [password, code] = [String(given.get('password')), textOf(given, 'code')]
  return code ? { password, code } : { password }
}
