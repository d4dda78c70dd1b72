// Tampers with copies of an export, each in another way, and asserts that both verifiers find it.

import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { readProof } from '../support/proof-reader.ts'
import { KEY, PYTHON, verifyAllInPython } from '../support/proving.ts'
import type { Tampering } from './tampering.ts'

type Exported = { original: string; copies: string }

// The `python` and `typescript` messages of a tampering must be reported by that verifier. `doesNotSee` is a
// message that the Python verifier must not report.
export async function assertFound(
  t: TestContext,
  { original, copies }: Exported,
  tamperings: readonly Tampering[],
): Promise<void> {
  // A copy of the export for each tampering.
  const changed = tamperings.map(({ tamper }, index) => {
    const copy = join(copies, `changed-${index}`)
    cpSync(original, copy, { recursive: true })
    tamper(copy)
    return copy
  })
  const verdicts = PYTHON ? verifyAllInPython(changed) : []
  for (const [index, { what, python, typescript, doesNotSee }] of tamperings.entries()) {
    await t.test(what, () => {
      const faults = readProof(changed[index] as string, KEY.publicKey)
      for (const seen of typescript) {
        assert(
          faults.some((fault) => seen.test(fault)),
          `${faults}`,
        )
      }
      const verdict = verdicts[index]
      if (!verdict) return
      assert.deepEqual([verdict.code, verdict.err], [1, ''], verdict.out)
      for (const seen of python) assert.match(verdict.out, seen)
      if (doesNotSee) assert.doesNotMatch(verdict.out, doesNotSee)
    })
  }
}
