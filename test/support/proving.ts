// Exports the books of a test as a proof, and verifies the proof: always with the reader in TypeScript, and
// with the verifier in Python if python3 exists.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { loadConfig } from '#config/config.ts'
import type { Pool } from '#db/pool.ts'
import { proofKey } from '#proof/files.ts'
import { signManifest, writeProof } from '#proof/write.ts'
import { Sealer } from '#seal.ts'
import { readProof } from './proof-reader.ts'
import { SECRETS, START } from './settings.ts'
import { createTempFolder } from './temp-folder.ts'

export const VERIFIER = join(import.meta.dirname, '../../verifier/verify_proof.py')
export const PYTHON = spawnSync('python3', ['--version']).status === 0 ? 'python3' : undefined
// Part of the names of tests, so that a run without Python says so.
export const READERS = PYTHON ? 'TypeScript and Python' : 'TypeScript only: python3 is absent'

const { secrets } = loadConfig(SECRETS, 'serve')
export const KEY = proofKey(new Sealer(secrets.data, secrets.hash))

// Writes a proof of the books into the folder.
export function exportProof(db: Pool, folder: string) {
  const details = { exportedAt: START, product: 'manilla 0.0.0', mode: 'sandbox' }
  return writeProof(db, { folder, key: KEY, ...details, onProgress: () => {} })
}

export type Verdict = { code: number | null; out: string; err: string }

// Runs the verifier in Python, by default with the public key pinned.
export function verifyInPython(folder: string, ...args: string[]): Verdict {
  const options = args.length > 0 ? args : ['--public-key', KEY.publicKey]
  const run = spawnSync('python3', [VERIFIER, folder, ...options], { encoding: 'utf8' })
  return { code: run.status, out: run.stdout, err: run.stderr }
}

// Verifies a month's pack, a zip archive of the month's reports, in Python.
export function verifyPack(pack: Buffer, key = KEY.publicKey) {
  using folder = createTempFolder()
  const archive = join(folder.path, 'pack.zip')
  writeFileSync(archive, pack)
  const { code, out, err } = verifyInPython(archive, '--public-key', key)
  return { status: code, output: out + err }
}

// A change to one file of a pack.
export type Edit = { name: string; change: (text: string) => string }

// Verifies one copy of the pack for each edit, in which that file is changed. With `isSigned`, the manifest
// has the hash of the changed file and is signed again, as an attacker could do who has the key.
export function verifyEdits(pack: Buffer, edits: readonly Edit[], { isSigned = false } = {}) {
  using folder = createTempFolder()
  const files = unpack(pack, folder.path)
  const folders = edits.map(({ name, change }, index) => {
    const text = files.get(name)
    assert(text !== undefined, name)
    const changed = change(text)
    assert.notEqual(changed, text, `${name} is changed`)
    const target = join(folder.path, `${index}`)
    mkdirSync(target)
    const edited = new Map(files).set(name, changed)
    if (isSigned) edited.set('manifest.json', signAgain(edited))
    for (const [fileName, content] of edited) writeFileSync(join(target, fileName), content)
    return target
  })
  return verifyAllInPython(folders).map(({ code, out, err }) => ({
    status: code,
    output: out + err,
  }))
}

// Unpacks a pack into a folder; returns its files by name.
export function unpack(pack: Buffer, folder: string): Map<string, string> {
  const archive = join(folder, 'pack.zip')
  const target = join(folder, 'unpacked')
  writeFileSync(archive, pack)
  const { status, stderr } = spawnSync('python3', ['-m', 'zipfile', '-e', archive, target])
  assert.equal(status, 0, `${stderr}`)
  const names = readdirSync(target)
  return new Map(names.map((name) => [name, readFileSync(join(target, name), 'utf8')]))
}

// The manifest with the hashes of these files, and a valid signature.
function signAgain(files: ReadonlyMap<string, string>): string {
  const { signature: _, ...manifest } = JSON.parse(files.get('manifest.json') as string)
  const hashed = manifest.files.map(({ name }: { name: string }) => {
    const sha256 = createHash('sha256')
      .update(files.get(name) as string)
      .digest('hex')
    return { name, sha256 }
  })
  return signManifest({ ...manifest, files: hashed }, KEY)
}

// Verifies many exports in one Python process, because starting a process takes longer than verifying a small
// export.
export function verifyAllInPython(folders: readonly string[]): Verdict[] {
  const program = `import contextlib, io, json, sys
sys.path.insert(0, sys.argv[1])
import verify_proof
verdicts = []
for folder in json.load(sys.stdin):
    out, err = io.StringIO(), io.StringIO()
    sys.argv[1:] = [folder, "--public-key", "${KEY.publicKey}"]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = verify_proof.main()
    verdicts.append({"code": code, "out": out.getvalue(), "err": err.getvalue()})
print(json.dumps(verdicts))`
  const args = ['-B', '-c', program, dirname(VERIFIER)]
  const run = spawnSync('python3', args, { input: JSON.stringify(folders), encoding: 'utf8' })
  assert.equal(run.status, 0, run.stderr)
  return JSON.parse(run.stdout)
}

// Asserts that neither verifier finds a fault in the books (I70).
export async function assertProven(db: Pool): Promise<void> {
  using folder = createTempFolder()
  await exportProof(db, folder.path)
  assert.deepEqual(readProof(folder.path, KEY.publicKey), [])
  if (!PYTHON) return
  const { code, out, err } = verifyInPython(folder.path)
  assert.equal(code, 0, `${out}${err}`)
}
