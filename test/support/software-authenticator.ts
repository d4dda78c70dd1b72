// A software device with passkeys: it makes keys (ES256) and signs challenges like a browser at some
// origin. Its claims can be falsified, to test that the service rejects them.

import {
  createHash,
  createSign,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'

const PRESENT = 0x01
const VERIFIED = 0x04
const ATTESTED = 0x40

export type Bent = {
  origin?: string
  rpId?: string
  type?: string
  counter?: number
  isVerified?: boolean
  userHandle?: string
}

type Held = { id: Buffer; key: KeyObject; userHandle: string; counter: number }
type Creation = { challenge: string; rp: { id: string }; user: { id: string } }
type Request = { challenge: string; rpId: string }
export type Authenticator = ReturnType<typeof newAuthenticator>

export function newAuthenticator(origin = 'http://localhost:8080') {
  const clientData = (type: string, challenge: string, bent: Bent) =>
    Buffer.from(
      JSON.stringify({
        type: bent.type ?? type,
        challenge,
        origin: bent.origin ?? origin,
        crossOrigin: false,
      }),
    )

  return {
    // Returns the browser's request body, and the new passkey.
    create({ challenge, rp, user }: Creation, bent: Bent = {}) {
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const held: Held = { id: randomBytes(32), key: privateKey, userHandle: user.id, counter: 0 }
      const data = clientData('webauthn.create', challenge, bent)
      const idLength = Buffer.from([0, held.id.length])
      const attested = Buffer.concat([Buffer.alloc(16), idLength, held.id, coseKey(publicKey)])
      const head = authenticatorData({ rpId: rp.id, counter: 0, flags: ATTESTED }, bent)
      const attestationObject = cborAttestation(Buffer.concat([head, attested]))
      const credential = {
        ...named(held),
        response: {
          clientDataJSON: data.toString('base64url'),
          attestationObject: attestationObject.toString('base64url'),
          transports: ['internal'],
        },
      }
      return { credential, held }
    },

    sign(held: Held, { challenge, rpId }: Request, bent: Bent = {}) {
      held.counter += 1
      const data = clientData('webauthn.get', challenge, bent)
      const assertion = authenticatorData({ rpId, counter: held.counter, flags: 0 }, bent)
      const signed = Buffer.concat([assertion, createHash('sha256').update(data).digest()])
      return {
        ...named(held),
        response: {
          clientDataJSON: data.toString('base64url'),
          authenticatorData: assertion.toString('base64url'),
          signature: createSign('sha256').update(signed).sign(held.key, 'base64url'),
          userHandle: bent.userHandle ?? held.userHandle,
        },
      }
    },
  }
}

function named({ id }: Held) {
  const text = id.toString('base64url')
  return { id: text, rawId: text, type: 'public-key' }
}

type Said = { rpId: string; counter: number; flags: number }

function authenticatorData({ rpId, counter, flags }: Said, bent: Bent): Buffer {
  const written = Buffer.alloc(5)
  written[0] = flags | PRESENT | (bent.isVerified === false ? 0 : VERIFIED)
  written.writeUInt32BE(bent.counter ?? counter, 1)
  const party = createHash('sha256')
    .update(bent.rpId ?? rpId)
    .digest()
  return Buffer.concat([party, written])
}

// {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}
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

// {"fmt": "none", "attStmt": {}, "authData": …}
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
