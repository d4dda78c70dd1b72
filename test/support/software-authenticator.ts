// A software device with passkeys: it makes keys (ES256) and signs challenges as a browser at some origin
// does. Tests falsify its claims to show that the service rejects them.

import {
  createHash,
  createSign,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'

// Flags of the authenticator data: the user was present, was verified, and a key is attached.
const PRESENT = 0x01
const VERIFIED = 0x04
const ATTESTED = 0x40

// The claims that a test falsifies.
export type Falsified = {
  origin?: string
  rpId?: string
  type?: string
  counter?: number
  isVerified?: boolean
  userHandle?: string
}

// A passkey as the device stores it.
type Held = { id: Buffer; key: KeyObject; userHandle: string; counter: number }
type Creation = { challenge: string; rp: { id: string }; user: { id: string } }
type Request = { challenge: string; rpId: string }
export type Authenticator = ReturnType<typeof newAuthenticator>

// A device whose browser shows the pages of `origin`.
export function newAuthenticator(origin = 'http://localhost:8080') {
  const clientData = (type: string, challenge: string, falsified: Falsified) =>
    Buffer.from(
      JSON.stringify({
        type: falsified.type ?? type,
        challenge,
        origin: falsified.origin ?? origin,
        crossOrigin: false,
      }),
    )

  return {
    // Makes a passkey. Returns the credential that the browser sends to the service, and the device's
    // passkey.
    create({ challenge, rp, user }: Creation, falsified: Falsified = {}) {
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const held: Held = { id: randomBytes(32), key: privateKey, userHandle: user.id, counter: 0 }
      const data = clientData('webauthn.create', challenge, falsified)
      const idLength = Buffer.from([0, held.id.length])
      // The id of the device model (AAGUID) is 16 zero bytes: unknown.
      const attested = Buffer.concat([Buffer.alloc(16), idLength, held.id, coseKey(publicKey)])
      const head = authenticatorData({ rpId: rp.id, counter: 0, flags: ATTESTED }, falsified)
      const attestationObject = cborAttestation(Buffer.concat([head, attested]))
      const credential = {
        ...credentialId(held),
        response: {
          clientDataJSON: data.toString('base64url'),
          attestationObject: attestationObject.toString('base64url'),
          transports: ['internal'],
        },
      }
      return { credential, held }
    },

    // Signs a challenge with a passkey; returns the credential that the browser sends.
    sign(held: Held, { challenge, rpId }: Request, falsified: Falsified = {}) {
      held.counter += 1
      const data = clientData('webauthn.get', challenge, falsified)
      const assertion = authenticatorData({ rpId, counter: held.counter, flags: 0 }, falsified)
      const signed = Buffer.concat([assertion, createHash('sha256').update(data).digest()])
      return {
        ...credentialId(held),
        response: {
          clientDataJSON: data.toString('base64url'),
          authenticatorData: assertion.toString('base64url'),
          signature: createSign('sha256').update(signed).sign(held.key, 'base64url'),
          userHandle: falsified.userHandle ?? held.userHandle,
        },
      }
    },
  }
}

// The fields by which a credential names its passkey.
function credentialId({ id }: Held) {
  const text = id.toString('base64url')
  return { id: text, rawId: text, type: 'public-key' }
}

type DataFields = { rpId: string; counter: number; flags: number }

// The part that the device signs: the hash of the relying party's id, the flags and the counter.
function authenticatorData({ rpId, counter, flags }: DataFields, falsified: Falsified): Buffer {
  const written = Buffer.alloc(5)
  written[0] = flags | PRESENT | (falsified.isVerified === false ? 0 : VERIFIED)
  written.writeUInt32BE(falsified.counter ?? counter, 1)
  const party = createHash('sha256')
    .update(falsified.rpId ?? rpId)
    .digest()
  return Buffer.concat([party, written])
}

// The public key in COSE: {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}
function coseKey(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const part = (label: number, text: string) =>
    Buffer.concat([Buffer.from([label, 0x58, 32]), Buffer.from(text, 'base64url')])
  return Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01]),
    part(0x21, x),
    part(0x22, y),
  ])
}

// The attestation object in CBOR: {"fmt": "none", "attStmt": {}, "authData": …}
function cborAttestation(authData: Buffer): Buffer {
  const text = (value: string) =>
    Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)])
  return Buffer.concat([
    Buffer.from([0xa3]),
    text('fmt'),
    text('none'),
    text('attStmt'),
    Buffer.from([0xa0]),
    text('authData'),
    Buffer.from([0x58, authData.length]),
    authData,
  ])
}
