// Tampers with copies of an export, each in its own way, and asserts that both readers find it.

import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { readProof } from '../support/proof-reader.ts'
import { KEY, PYTHON, verifyAllInPython } from '../support/proving.ts'
import type { Tampering } from './tampering.ts'

type Exported = { original: string; copies: string }

export async function assertFound(
  t: TestContext,
  { original, copies }: Exported,
  tamperings: readonly Tampering[],
): Promise<void> {
  const changed = tamperings.map(({ tamper }, at) => {
    const copy = join(copies, `changed-${at}`)
    cpSync(original, copy, { recursive: true })
    tamper(copy)
    return copy
  })
  const verdicts = PYTHON ? verifyAllInPython(changed) : []
  for (const [at, { what, python, typescript, doesNotSee }] of tamperings.entries()) {
    await t.test(what, () => {
      const faults = readProof(changed[at] as string, KEY.publicKey)
      for (const seen of typescript) {
        assert(
          faults.some((fault) => seen.test(fault)),
          `${faults}`,
        )
      }
      const verdict = verdicts[at]
      if (!verdict) return
      assert.deepEqual([verdict.code, verdict.err], [1, ''], verdict.out)
      for (const seen of python) assert.match(verdict.out, seen)
      if (doesNotSee) assert.doesNotMatch(verdict.out, doesNotSee)
    })
  }
}
