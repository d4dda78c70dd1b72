// Passkeys in this browser (WebAuthn, by @simplewebauthn). Failures are thrown as a Problem.

import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnError,
} from '@simplewebauthn/browser'
import { passkeyStrings as strings } from '../copy.ts'
import { Problem, type Schemas, send } from './api.ts'

// Browsers offer passkeys only over TLS or on localhost, and never for an IP address.
export function hasPasskeys(): boolean {
  const isAddress = /^[\d.]+$|^\[/.test(window.location.hostname)
  return typeof window.PublicKeyCredential === 'function' && !isAddress
}

// Lets the user's device create a passkey for the service's challenge.
export async function createPasskey(
  options: Schemas['PasskeyCreationOptions'],
): Promise<Schemas['PasskeyAttestation']> {
  const optionsJSON = options as PublicKeyCredentialCreationOptionsJSON
  const { id, rawId, type, response } = await startRegistration({ optionsJSON }).catch(throwProblem)
  const { clientDataJSON, attestationObject, transports = [] } = response
  return { id, rawId, type, response: { clientDataJSON, attestationObject, transports } }
}

export async function passkeyForSignIn(): Promise<Schemas['PasskeyAssertion']> {
  return signChallenge(await send('POST', '/dashboard/api/session/passkey/challenge', {}))
}

export async function passkeyToConfirm(): Promise<Schemas['PasskeyAssertion']> {
  return signChallenge(await send('POST', '/dashboard/api/passkeys/challenge', {}))
}

// Lets the user choose a passkey and sign the service's challenge.
async function signChallenge(
  options: Schemas['PasskeyRequestOptions'],
): Promise<Schemas['PasskeyAssertion']> {
  const optionsJSON = options as PublicKeyCredentialRequestOptionsJSON
  const { id, rawId, type, response } = await startAuthentication({ optionsJSON }).catch(
    throwProblem,
  )
  const { clientDataJSON, authenticatorData, signature, userHandle } = response
  const proof = { clientDataJSON, authenticatorData, signature }
  return { id, rawId, type, response: userHandle ? { ...proof, userHandle } : proof }
}

const REASONS: Record<string, string> = {
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: strings.alreadyHere,
  ERROR_INVALID_DOMAIN: strings.wrongAddress,
  ERROR_INVALID_RP_ID: strings.wrongAddress,
  ERROR_AUTHENTICATOR_MISSING_DISCOVERABLE_CREDENTIAL_SUPPORT: strings.unfit,
  ERROR_AUTHENTICATOR_MISSING_USER_VERIFICATION_SUPPORT: strings.unfit,
}

// Browsers do not say whether there was no passkey, the user did not respond, or the user refused, so one
// message covers all three.
function throwProblem(error: unknown): never {
  const code = error instanceof WebAuthnError ? error.code : ''
  throw new Problem('passkey_not_used', REASONS[code] ?? strings.notUsed)
}
