// Exports the books of a test as a proof, and verifies it: always with the reader in TypeScript, and with
// the verifier in Python if python3 exists.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { loadConfig } from '#config/config.ts'
import type { Pool } from '#db/pool.ts'
import { proofKey } from '#domain/proof/proof-key.ts'
import { writeProof } from '#domain/proof/write-proof.ts'
import { Sealer } from '#seal.ts'
import { readProof } from './proof-reader.ts'
import { SECRETS, START } from './settings.ts'
import { createTempFolder } from './temp-folder.ts'

export const VERIFIER = join(import.meta.dirname, '../../verifier/verify_proof.py')
export const PYTHON = spawnSync('python3', ['--version']).status === 0 ? 'python3' : undefined
// For the names of tests: a run without Python says so.
export const READERS = PYTHON ? 'TypeScript and Python' : 'TypeScript only: python3 is absent'

const { secrets } = loadConfig(SECRETS, 'serve')
export const KEY = proofKey(new Sealer(secrets.data, secrets.hash))

export function exportProof(db: Pool, folder: string) {
  const details = { exportedAt: START, product: 'manilla 0.0.0', mode: 'sandbox' }
  return writeProof(db, { folder, key: KEY, ...details, onProgress: () => {} })
}

export type Verdict = { code: number | null; out: string; err: string }

export function verifyInPython(folder: string, ...args: string[]): Verdict {
  const options = args.length > 0 ? args : ['--public-key', KEY.publicKey]
  const run = spawnSync('python3', [VERIFIER, folder, ...options], { encoding: 'utf8' })
  return { code: run.status, out: run.stdout, err: run.stderr }
}

// In one process: starting one takes longer than verifying a small export.
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

// I70: neither verifier finds a fault.
export async function assertProven(db: Pool): Promise<void> {
  using folder = createTempFolder()
  await exportProof(db, folder.path)
  assert.deepEqual(readProof(folder.path, KEY.publicKey), [])
  if (!PYTHON) return
  const { code, out, err } = verifyInPython(folder.path)
  assert.equal(code, 0, `${out}${err}`)
}
