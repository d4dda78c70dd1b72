// Verifying a proof export (I70): any change to its files is found, with its place. The verifier in
// TypeScript always runs, the one in Python where Python is installed.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { signManifest } from '#proof/write.ts'
import { createTestDatabase } from '../support/database.ts'
import { postManyCredits } from '../support/many-credits.ts'
import { readProof } from '../support/proof-reader.ts'
import { exportProof, KEY, PYTHON, READERS, VERIFIER, verifyInPython } from '../support/proving.ts'
import { createTempFolder } from '../support/temp-folder.ts'
import { assertFound } from './finding.ts'
import { TAMPERINGS } from './tampering.ts'

const MANY = 20_000

test(`an export of 20,000 credits is found right by ${READERS}`, async () => {
  using folder = createTempFolder()
  await exportCredits(folder.path, MANY)

  const faults = readProof(folder.path, KEY.publicKey)

  assert.deepEqual(faults, [])
  if (!PYTHON) return
  const { code, out, err } = verifyInPython(folder.path)
  assert.equal(code, 0, `${out}${err}`)
  assert.match(out, /Verified: everything adds up\.\n$/)
  assert.match(out, /collection +NGN +1,000 +0\.00 +([\d,.]+) +\1\n/)
  assert.match(out, /signature: right\n/)
})

test(`a changed amount is found at its place, by ${READERS}`, async (t) => {
  using original = createTempFolder()
  await exportCredits(original.path, 1_000)
  using copies = createTempFolder()
  await assertFound(t, { original: original.path, copies: copies.path }, TAMPERINGS)
})

test(`an incomplete export is refused by ${READERS}`, async () => {
  using folder = createTempFolder()
  await exportCredits(folder.path, 10)
  const manifest = join(folder.path, 'manifest.json')
  using copy = createTempFolder()
  cpSync(folder.path, copy.path, { recursive: true })
  rmSync(join(copy.path, 'manifest.json'))
  assert.throws(() => readProof(copy.path, KEY.publicKey), /ENOENT/)
  if (!PYTHON) return

  const unpinned = verifyInPython(folder.path, '--')
  const misused = verifyInPython(folder.path, '--public-key', 'abc')
  writeFileSync(join(copy.path, 'manifest.json'), inFormat(manifest, 'manilla-proof/2'))
  const foreign = verifyInPython(copy.path)
  rmSync(join(folder.path, 'credits.ndjson'))
  const incomplete = verifyInPython(folder.path)
  writeFileSync(manifest, '{}')
  const odd = verifyInPython(folder.path)
  rmSync(manifest)
  const none = verifyInPython(folder.path)

  assert.equal(unpinned.code, 0)
  assert.match(unpinned.out, new RegExp(`signature: right, by key ${KEY.publicKey}, which was not`))
  assert.deepEqual([misused.code, foreign.code], [2, 2])
  assert.match(foreign.err, /is of the format manilla-proof\/2; this verifies manilla-proof\/1/)
  assert.equal(incomplete.code, 1)
  assert.match(incomplete.out, /FAULT credits.ndjson: cannot be read/)
  assert.deepEqual([odd.code, none.code], [2, 2])
  assert.match(odd.err, /manifest.json does not end with a signature/)
  assert.match(none.err, /not a whole export/)
})

// The manifest with its format's name changed, signed again.
function inFormat(path: string, format: string): string {
  const { signature: _, ...manifest } = JSON.parse(readFileSync(path, 'utf8'))
  return signManifest({ ...manifest, format }, KEY)
}

// RFC 8032, section 7.1: TEST 1, 2, 3 and SHA(abc), as public key, message and signature.
const VECTORS = [
  [
    'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    '',
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b' +
      'd25bf5f0595bbe24655141438e7a100b',
  ],
  [
    '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    '72',
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c' +
      '387b2eaeb4302aeeb00d291612bb0c00',
  ],
  [
    'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    'af82',
    '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659' +
      '4a7c15e9716ed28dc027beceea1ec40a',
  ],
  [
    'ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf',
    'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd' +
      '454d4423643ce80e2a9ac94fa54ca49f',
    'dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e030' +
      '3dca179c138ac17ad9bef1177331a704',
  ],
] as const

test(`signatures are verified as RFC 8032 has it by ${READERS}`, () => {
  // Signatures by new keys, over messages of different lengths.
  const made = Array.from({ length: 8 }, (_, at) => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(12).toString('hex')
    const message = Buffer.alloc(at * 37, at)
    return [key, message.toString('hex'), sign(null, message, privateKey).toString('hex')] as const
  })
  const right = [...VECTORS, ...made]
  const order = 2n ** 252n + 27742317777372353535851937790883648493n
  const wrong = right.flatMap(([key, message, signature]) => [
    [key, `${message}00`, signature],
    [key, message, flip(signature, 3)],
    [key, message, flip(signature, 100)],
    [flip(key, 9), message, signature],
    [key, message, signature.slice(2)],
    [key, message, signature.slice(0, 64) + malleated(signature.slice(64), order)],
  ])
  const expected = [...right.map(() => true), ...wrong.map(() => false)]
  assert.deepEqual([...right, ...wrong].map(verifyInTypeScript), expected)
  if (!PYTHON) return

  const program = `import json, sys; sys.path.insert(0, ${JSON.stringify(dirname(VERIFIER))})
from verify_proof import ed25519_verify
print(json.dumps([ed25519_verify(*map(bytes.fromhex, each)) for each in json.load(sys.stdin)]))`
  const input = JSON.stringify([...right, ...wrong])
  const { stdout, stderr } = spawnSync(PYTHON, ['-B', '-c', program], { input, encoding: 'utf8' })

  assert.deepEqual(JSON.parse(stdout || JSON.stringify(stderr)), expected)
})

test(`the verifier knows every kind of ledger account (${READERS})`, async () => {
  await using database = await createTestDatabase()
  const { rows } = await database.pool.query<{ rule: string }>(
    `select pg_get_constraintdef(oid) as rule from pg_constraint
      where conname = 'ledger_accounts_kind_known'`,
  )
  const kinds = /'\{(.*)\}'::text\[\]/.exec(rows[0]?.rule ?? '')?.[1]?.split(',') ?? []
  assert(kinds.length > 20)
  if (!PYTHON) return

  const program = `import json, sys; sys.path.insert(0, ${JSON.stringify(dirname(VERIFIER))})
from verify_proof import KINDS
print(json.dumps(KINDS))`
  const { stdout, stderr } = spawnSync(PYTHON, ['-B', '-c', program], { encoding: 'utf8' })

  assert.deepEqual(JSON.parse(stdout || JSON.stringify(stderr)).sort(), kinds.sort())
})

// Verifies a signature with Node's own Ed25519, for comparison with the Python code.
function verifyInTypeScript([key, message, signature]: readonly string[]): boolean {
  const der = Buffer.from(`302a300506032b6570032100${key}`, 'hex')
  const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' })
  const bytes = (hex: string | undefined) => Buffer.from(hex ?? '', 'hex')
  return verify(null, bytes(message), publicKey, bytes(signature))
}

// Flips one bit of the hexadecimal digit at this index.
function flip(hex: string, index: number): string {
  const digit = Number.parseInt(hex[index] as string, 16) ^ 1
  return `${hex.slice(0, index)}${digit.toString(16)}${hex.slice(index + 1)}`
}

// S plus the order of the group. A signature with this S also satisfies the equation, but RFC 8032 says to
// refuse it.
function malleated(s: string, order: bigint): string {
  const value = BigInt(`0x${Buffer.from(s, 'hex').reverse().toString('hex')}`) + order
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse().toString('hex')
}

// Exports the proof of new books that have this many credits.
async function exportCredits(folder: string, count: number): Promise<void> {
  await using database = await createTestDatabase()
  await postManyCredits(database.pool, count)
  await exportProof(database.pool, folder)
}
