// A user's passkeys: their storage, challenges, WebAuthn options and checks, and the user's own changes.
//
// The device holds the private key. The service stores the public key and a counter, which detects a copied
// device if the device increments it.

import { createHash, randomBytes } from 'node:crypto'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { type ClientId, type PasskeyId, timeOrderedId, type UserId } from '#ids.ts'
import type { Sealer } from '#seal.ts'
import {
  dropBegunTotp,
  dropIdleRecoveryCodes,
  hasSecondFactor,
  replaceRecoveryCodes,
} from './second-factors.ts'
import { endOtherSessions, lockUserOf, type SignedInSession } from './sessions.ts'
import { recordGrant } from './users.ts'

const PASSKEYS_MAX = 20

export type Passkey = {
  id: PasskeyId
  userId: UserId
  credentialId: Buffer
  publicKey: Buffer
  counter: number
  transports: string[]
  name: string
  createdAt: Date
  usedAt: Date | null
}

const PASSKEY_COLUMNS = `
  id, user_id, credential_id, public_key,
  counter::float8 as counter, transports, name, created_at, used_at`

export async function listPasskeys(db: Queryable, userId: UserId): Promise<Passkey[]> {
  const { rows } = await db.query<Passkey>({
    name: 'list-passkeys',
    text: `select ${PASSKEY_COLUMNS} from passkeys where user_id = $1 order by id desc`,
    values: [userId],
  })
  return rows
}

// Finds a passkey of any user by the id that the device gave it.
async function findPasskey(db: Queryable, credentialId: Buffer): Promise<Passkey | undefined> {
  const { rows } = await db.query<Passkey>({
    name: 'find-passkey',
    text: `select ${PASSKEY_COLUMNS} from passkeys where credential_id = $1`,
    values: [credentialId],
  })
  return rows[0]
}

type NewPasskey = Pick<
  Passkey,
  'credentialId' | 'publicKey' | 'counter' | 'transports' | 'name'
> & {
  user: { id: UserId; clientId: ClientId }
}

// Stores a new passkey. The caller must lock the user, or two concurrent calls could exceed the limit.
async function addPasskey(tx: Transaction, now: Date, passkey: NewPasskey): Promise<Passkey> {
  const { user, credentialId, publicKey, counter, transports, name } = passkey
  const { length } = await listPasskeys(tx, user.id)
  if (length >= PASSKEYS_MAX) throw new Refusal('too_many_passkeys')
  const { rows } = await tx.query<Passkey>({
    name: 'add-passkey',
    text: `insert into passkeys (id, client_id, user_id, credential_id, public_key, counter,
                                 transports, name, created_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
           on conflict (credential_id) do nothing
           returning ${PASSKEY_COLUMNS}`,
    values: [
      timeOrderedId(now),
      user.clientId,
      user.id,
      credentialId,
      publicKey,
      counter,
      transports,
      name,
      now,
    ],
  })
  if (!rows[0]) throw new Refusal('passkey_exists')
  return rows[0]
}

type Use = { id: PasskeyId; userId: UserId; counter: number }

// Records a use of the passkey. Of two concurrent uses with the same counter, the database accepts one.
// Returns false if the passkey is gone, belongs to another user, or its counter has not advanced, as for a
// copied device. Devices without a counter always send 0.
export async function usePasskey(tx: Transaction, now: Date, use: Use): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'use-passkey',
    text: `update passkeys set counter = $3, used_at = $4
            where id = $1 and user_id = $2 and (counter < $3 or (counter = 0 and $3 = 0))`,
    values: [use.id, use.userId, use.counter, now],
  })
  return rowCount === 1
}

// Renames one of the user's own passkeys. Returns the old name too, for the audit log.
export async function renamePasskey(
  tx: Transaction,
  userId: UserId,
  { id, name }: { id: PasskeyId; name: string },
): Promise<{ passkey: Passkey; oldName: string }> {
  const passkey = (await listPasskeys(tx, userId)).find((each) => each.id === id)
  if (!passkey) throw new Refusal('passkey_not_found')
  await tx.query({
    name: 'rename-passkey',
    text: 'update passkeys set name = $3 where id = $1 and user_id = $2',
    values: [id, userId, name],
  })
  return { passkey: { ...passkey, name }, oldName: passkey.name }
}

async function removePasskey(tx: Transaction, userId: UserId, id: PasskeyId): Promise<string> {
  const { rows } = await tx.query<{ name: string }>({
    name: 'remove-passkey',
    text: 'delete from passkeys where id = $1 and user_id = $2 returning name',
    values: [id, userId],
  })
  if (!rows[0]) throw new Refusal('passkey_not_found')
  return rows[0].name
}

// Removes all passkeys of a user whose password is reset. Returns how many.
export async function removePasskeys(tx: Transaction, userId: UserId): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'remove-passkeys-of-user',
    text: 'delete from passkeys where user_id = $1',
    values: [userId],
  })
  return rowCount ?? 0
}

// Challenges that passkeys sign: random, short-lived and for one purpose. Except for signing in, a
// challenge belongs to one session and ends with it. Taking a challenge deletes it, so that a
// replay fails (I71).

export const CHALLENGE_MS = 5 * 60_000
const CHALLENGE_BYTES = 32

type ChallengeUse = { purpose: 'sign_in' } | { purpose: 'register' | 'confirm'; sessionId: string }

// Stores and returns a new challenge, in place of the session's earlier one for the same purpose.
async function issueChallenge(db: Queryable, now: Date, use: ChallengeUse): Promise<Buffer> {
  const challenge = randomBytes(CHALLENGE_BYTES)
  await db.query({
    name: 'issue-passkey-challenge',
    text: `with replaced as (
             delete from passkey_challenges where session_id = $3 and purpose = $2)
           insert into passkey_challenges (challenge_hash, purpose, session_id, expires_at)
           values ($1, $2, $3, $4)`,
    values: [
      hashOf(challenge),
      use.purpose,
      sessionOf(use),
      new Date(now.getTime() + CHALLENGE_MS),
    ],
  })
  return challenge
}

// Deletes the challenge, and returns whether it was valid for this use. Call outside the action's
// transaction, so that the challenge is used up even if the action fails.
async function takeChallenge(
  db: Queryable,
  now: Date,
  { challenge, use }: { challenge: Buffer; use: ChallengeUse },
): Promise<boolean> {
  const { rows } = await db.query<{ isGood: boolean }>({
    name: 'take-passkey-challenge',
    text: `delete from passkey_challenges where challenge_hash = $1
           returning purpose = $2 and session_id is not distinct from $3 and expires_at > $4
                     as is_good`,
    values: [hashOf(challenge), use.purpose, sessionOf(use), now],
  })
  return rows[0]?.isGood ?? false
}

// A worker calls this regularly. An expired challenge is never accepted.
export async function deleteExpiredChallenges(db: Queryable, now: Date): Promise<void> {
  await db.query({
    name: 'forget-passkey-challenges',
    text: 'delete from passkey_challenges where expires_at <= $1',
    values: [now],
  })
}

function sessionOf(use: ChallengeUse): string | null {
  return use.purpose === 'sign_in' ? null : use.sessionId
}

function hashOf(challenge: Buffer): Buffer {
  return createHash('sha256').update(challenge).digest()
}

// WebAuthn options for browsers, and verification of their responses (by @simplewebauthn).
//
// Every passkey is discoverable and verifies its user (PIN, fingerprint, face), so that it signs in
// without a password. checkAttestation and checkAssertion check challenge, origin and relying party.
// usePasskey checks the counter in the database, so that concurrent uses cannot both pass.

const ALGORITHMS = [-8, -7, -257] // EdDSA, ES256, RS256. Some devices lack one or another.

// Loaded on demand: it takes 0.3 s and 20 MB, and many processes never see a passkey.
const loadWebAuthn = () => import('@simplewebauthn/server')

// Derived from the public URL: a passkey works only at that origin.
export type RelyingParty = { id: string; origin: string }

// The service as a WebAuthn relying party. A passkey works only at the origin of the public address.
export function relyingParty(publicAddress: string): RelyingParty {
  const { hostname, origin } = new URL(publicAddress)
  return { id: hostname, origin }
}

type Ceremony = { now: Date; relyingParty: RelyingParty }

// Returns the options with which the browser creates a passkey (PublicKeyCredentialCreationOptionsJSON), with
// a new challenge. Excludes devices that have a passkey of this user already.
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
    excludeCredentials: existing.map(toDescriptor),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
  }
}

// Returns the options with which the browser asks for a passkey (PublicKeyCredentialRequestOptionsJSON), with
// a new challenge. A signed-in user must use one of their own passkeys. For signing in, the browser offers
// every passkey of this origin.
export async function requestOptions(
  db: Queryable,
  { now, relyingParty: { id } }: Ceremony,
  session?: SignedInSession,
) {
  const use: ChallengeUse = session
    ? { purpose: 'confirm', sessionId: session.sessionId }
    : { purpose: 'sign_in' }
  const challenge = await issueChallenge(db, now, use)
  const passkeys = session ? await listPasskeys(db, session.user.id) : []
  return {
    challenge: challenge.toString('base64url'),
    rpId: id,
    timeout: CHALLENGE_MS,
    userVerification: 'required',
    allowCredentials: passkeys.map(toDescriptor),
  }
}

// Checks the browser's response to creationOptions. Returns the new passkey, or undefined if the response is
// wrong.
export async function checkAttestation(
  db: Queryable,
  { now, relyingParty: { id, origin } }: Ceremony,
  { sessionId, credential }: { sessionId: string; credential: RegistrationResponseJSON },
): Promise<Pick<Passkey, 'credentialId' | 'publicKey' | 'counter' | 'transports'> | undefined> {
  const use = { purpose: 'register', sessionId } as const
  const challenge = challengeIn(credential.response.clientDataJSON)
  if (!challenge || !(await takeChallenge(db, now, { challenge, use }))) return undefined
  const { verifyRegistrationResponse } = await loadWebAuthn()
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

// `counter` is undefined if the assertion is wrong. `passkey` is the passkey that the assertion names, if it
// exists.
export type CheckedAssertion = { passkey: Passkey | undefined; counter: number | undefined }

// Checks the browser's response to requestOptions. The library gets 0 as the stored counter: usePasskey
// compares the real one in the database, so that concurrent uses cannot both pass. Returns no counter if the
// response is wrong.
export async function checkAssertion(
  db: Queryable,
  { now, relyingParty: { id, origin } }: Ceremony,
  { use, credential }: { use: ChallengeUse; credential: AuthenticationResponseJSON },
): Promise<CheckedAssertion> {
  const challenge = challengeIn(credential.response.clientDataJSON)
  const isFresh = challenge !== undefined && (await takeChallenge(db, now, { challenge, use }))
  const passkey = await findPasskey(db, Buffer.from(credential.id, 'base64url'))
  const { userHandle } = credential.response
  const matchesUser = !userHandle || (passkey && isHandleOf(passkey.userId, userHandle))
  if (!isFresh || !passkey || !matchesUser) return { passkey, counter: undefined }
  const { verifyAuthenticationResponse } = await loadWebAuthn()
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

// Reads the challenge that the browser signed. Undefined if the browser's data is malformed.
function challengeIn(clientDataJson: string): Buffer | undefined {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString())
    return typeof challenge === 'string' ? Buffer.from(challenge, 'base64url') : undefined
  } catch {
    return undefined
  }
}

// The WebAuthn user handle. The device stores it, so it must reveal nothing about the person.
function handleOf(userId: UserId): Buffer {
  return Buffer.from(userId.replaceAll('-', ''), 'hex')
}

function isHandleOf(userId: UserId, handle: string): boolean {
  return Buffer.from(handle, 'base64url').equals(handleOf(userId))
}

function toDescriptor({ credentialId, transports }: Passkey) {
  return { id: credentialId.toString('base64url'), type: 'public-key', transports }
}

// Users' changes of their own passkeys. A new passkey is new access to the account, so the user
// must wait before approving anything, as after any grant (users.ts). A passkey may be
// removed because its device was lost, so removal ends the user's other sessions.

type PasskeyRegistration = {
  session: SignedInSession
  passkey: Pick<Passkey, 'credentialId' | 'publicKey' | 'counter' | 'transports' | 'name'>
}

// Stores a passkey that checkAttestation accepted. Recovery codes come with the first second factor and are
// shown only once.
export async function registerPasskey(
  tx: Transaction,
  { now, sealer }: { now: Date; sealer: Sealer },
  { session, passkey }: PasskeyRegistration,
): Promise<{ passkey: Passkey; recoveryCodes: string[] }> {
  const { user } = session
  await lockUserOf(tx, session)
  const isFirst = !(await hasSecondFactor(tx, user.id))
  const added = await addPasskey(tx, now, { ...passkey, user })
  await dropBegunTotp(tx, user.id)
  const by = { userId: user.id, clientId: user.clientId }
  await recordGrant(tx, now, { by, user, isNewPassword: false })
  const recoveryCodes = isFirst ? await replaceRecoveryCodes(tx, sealer, user.id) : []
  return { passkey: added, recoveryCodes }
}

// Removes one of the user's own passkeys. Returns its name, for the audit log.
export async function dropPasskey(
  tx: Transaction,
  session: SignedInSession,
  id: PasskeyId,
): Promise<string> {
  const { sessionId, user } = session
  await lockUserOf(tx, session)
  const name = await removePasskey(tx, user.id, id)
  await dropIdleRecoveryCodes(tx, user.id)
  await endOtherSessions(tx, user.id, sessionId)
  return name
}
