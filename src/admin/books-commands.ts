// `manilla export --proof <folder>` writes the books as plain files. An auditor adds them up with
// verifier/verify_proof.py or with another program (docs/proof.md).

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { loadConfig } from '#config/config.ts'
import type { Pool } from '#db/pool.ts'
import { proofKey } from '#proof/files.ts'
import { type Details, type Progress, type Proof, ProofProblem, writeProof } from '#proof/write.ts'
import { Sealer } from '#seal.ts'
import { AdminProblem, type Context, UsageProblem, type View } from './operator-command.ts'

const EXPORT_STATEMENT_MAX_MS = 3_600_000 // The first row may wait until all transfers are sorted.
const PROGRESS_EVERY_LINES = 50_000
const PACKAGE = new URL('../../package.json', import.meta.url)
type Export = { proof?: string; proofKey?: boolean }

export async function exportBooks(context: Context, { proof: folder, proofKey: isForKey }: Export) {
  if ((isForKey === true) === (folder !== undefined) || folder === '') {
    throw new UsageProblem('Specify --proof <folder>, or --proof-key.')
  }
  const details = readDetails(context)
  const { publicKey } = details.key
  if (!folder) return { data: { publicKey }, view: publicKey }
  const path = resolve(folder)
  const proof = await runExport(context.db, { ...details, folder: path })
  const rows = proof.files.map(({ name, lines }) => [name, lines])
  const view: View[] = [
    `Exported to ${path}`,
    { columns: ['file', 'lines'], rows },
    `Public key: ${publicKey}`,
    `Verify: python3 verifier/verify_proof.py ${path} --public-key ${publicKey}`,
  ]
  return { data: { folder: path, ...proof }, view }
}
exportBooks.statementMaxMs = EXPORT_STATEMENT_MAX_MS

async function runExport(db: Pool, options: Details & { folder: string }): Promise<Proof> {
  try {
    return await writeProof(db, options)
  } catch (error) {
    throw error instanceof ProofProblem ? new AdminProblem(error.message) : error
  }
}

function readDetails({ env, clock, showProgress }: Context): Details {
  const { mode, secrets } = loadConfig(env, 'serve')
  const { name, version } = JSON.parse(readFileSync(PACKAGE, 'utf8'))
  return {
    exportedAt: clock(),
    product: `${name} ${version}`,
    mode,
    key: proofKey(new Sealer(secrets.data, secrets.hash)),
    onProgress: throttled(showProgress),
  }
}

function throttled(show: Context['showProgress']): (progress: Progress) => void {
  let lastShown = 0
  return ({ name, lines, isWhole }) => {
    if (!isWhole && lines < lastShown + PROGRESS_EVERY_LINES) return
    lastShown = isWhole ? 0 : lines
    show(`${name}: ${lines} lines`)
  }
}
