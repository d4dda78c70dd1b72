// WebAuthn options for browsers, and verification of their responses (by @simplewebauthn).
//
// Every passkey is discoverable and verifies its user (PIN, fingerprint, face), so that it signs in
// without a password. This file checks challenge, origin and relying party. The database checks the
// counter, so that concurrent uses cannot both pass.

import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Queryable } from '#db/pool.ts'
import type { UserId } from '#ids.ts'
import {
  CHALLENGE_MS,
  type ChallengeUse,
  issueChallenge,
  takeChallenge,
} from './passkey-challenges.ts'
import { findPasskey, listPasskeys, type Passkey } from './passkeys.ts'
import type { SignedInSession } from './sessions.ts'

const ALGORITHMS = [-8, -7, -257] // EdDSA, ES256, RS256. Each is missing on some devices.

// Loaded on demand: it takes 0.3 s and 20 MB, and many processes never see a passkey.
const library = () => import('@simplewebauthn/server')

// Derived from the public URL: a passkey works only at that origin.
export type RelyingParty = { id: string; origin: string }

export function relyingParty(publicAddress: string): RelyingParty {
  const { hostname, origin } = new URL(publicAddress)
  return { id: hostname, origin }
}

type Ceremony = { now: Date; relyingParty: RelyingParty }

// PublicKeyCredentialCreationOptionsJSON.
export async function creationOptions(
  db: Queryable,
  { now, relyingParty: { id } }: Ceremony,
  { sessionId, user, client }: SignedInSession,
) {
  const challenge = await issueChallenge(db, now, { purpose: 'register', sessionId })
  const existing = await listPasskeys(db, user.id)
  return {
    challenge: challenge.toString('base64url'),
    rp: { id, name: 'Manilla' },
    user: {
      id: handleOf(user.id).toString('base64url'),
      name: user.email,
      displayName: `${user.email} (${client.name})`,
    },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: CHALLENGE_MS,
    attestation: 'none',
    excludeCredentials: existing.map(describe),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
  }
}

// PublicKeyCredentialRequestOptionsJSON. A signed-in user must use one of their own passkeys. For
// signing in, the browser offers every passkey of this origin.
export async function requestOptions(
  db: Queryable,
  { now, relyingParty: { id } }: Ceremony,
  session?: SignedInSession,
) {
  const use: ChallengeUse = session
    ? { purpose: 'confirm', sessionId: session.sessionId }
    : { purpose: 'sign_in' }
  const challenge = await issueChallenge(db, now, use)
  const own = session ? await listPasskeys(db, session.user.id) : []
  return {
    challenge: challenge.toString('base64url'),
    rpId: id,
    timeout: CHALLENGE_MS,
    userVerification: 'required',
    allowCredentials: own.map(describe),
  }
}

type CheckedAttestation = Pick<Passkey, 'credentialId' | 'publicKey' | 'counter' | 'transports'>

export async function checkAttestation(
  db: Queryable,
  { now, relyingParty: { id, origin } }: Ceremony,
  { sessionId, credential }: { sessionId: string; credential: RegistrationResponseJSON },
): Promise<CheckedAttestation | undefined> {
  const use = { purpose: 'register', sessionId } as const
  const challenge = challengeIn(credential.response.clientDataJSON)
  if (!challenge || !(await takeChallenge(db, now, { challenge, use }))) return undefined
  const { verifyRegistrationResponse } = await library()
  const checked = await verifyRegistrationResponse({
    response: credential,
    expectedChallenge: challenge.toString('base64url'),
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(() => undefined) // The library throws on any invalid response.
  if (!checked?.verified) return undefined
  const { id: credentialId, publicKey, counter } = checked.registrationInfo.credential
  return {
    credentialId: Buffer.from(credentialId, 'base64url'),
    publicKey: Buffer.from(publicKey),
    counter,
    transports: credential.response.transports ?? [],
  }
}

// `counter` is undefined if the assertion is wrong. `passkey` is the one the assertion names, if it
// exists.
export type CheckedAssertion = { passkey: Passkey | undefined; counter: number | undefined }

type Assertion = { use: ChallengeUse; credential: AuthenticationResponseJSON }

export async function checkAssertion(
  db: Queryable,
  { now, relyingParty: { id, origin } }: Ceremony,
  { use, credential }: Assertion,
): Promise<CheckedAssertion> {
  const challenge = challengeIn(credential.response.clientDataJSON)
  const isFresh = challenge !== undefined && (await takeChallenge(db, now, { challenge, use }))
  const passkey = await findPasskey(db, Buffer.from(credential.id, 'base64url'))
  const { userHandle } = credential.response
  const isOwn = !userHandle || (passkey && isHandleOf(passkey.userId, userHandle))
  if (!isFresh || !passkey || !isOwn) return { passkey, counter: undefined }
  const { verifyAuthenticationResponse } = await library()
  const checked = await verifyAuthenticationResponse({
    response: credential,
    expectedChallenge: challenge.toString('base64url'),
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
    credential: { id: credential.id, publicKey: new Uint8Array(passkey.publicKey), counter: 0 },
  }).catch(() => undefined)
  const counter = checked?.verified ? checked.authenticationInfo.newCounter : undefined
  return { passkey, counter }
}

function challengeIn(clientDataJson: string): Buffer | undefined {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString())
    return typeof challenge === 'string' ? Buffer.from(challenge, 'base64url') : undefined
  } catch {
    return undefined
  }
}

// The device stores this handle, so it reveals nothing about the person.
function handleOf(userId: UserId): Buffer {
  return Buffer.from(userId.replaceAll('-', ''), 'hex')
}

function isHandleOf(userId: UserId, handle: string): boolean {
  return Buffer.from(handle, 'base64url').equals(handleOf(userId))
}

function describe({ credentialId, transports }: Passkey) {
  return { id: credentialId.toString('base64url'), type: 'public-key', transports }
}
