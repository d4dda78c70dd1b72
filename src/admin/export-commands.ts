// `manilla export --proof <folder>`: the books as plain files that an auditor adds up with
// verifier/verify_proof.py or a program of their own (docs/proof.md).

import { resolve } from 'node:path'
import type { Pool } from '#db/pool.ts'
import { ProofProblem } from '#domain/proof/export-folder.ts'
import { type Details, type Proof, writeProof } from '#domain/proof/write-proof.ts'
import type { AdminCommand } from './admin-command.ts'
import { AdminProblem } from './admin-database.ts'
import { columns, UsageProblem } from './command-line.ts'
import { readDetails } from './export-details.ts'

const STATEMENT_MAX_MS = 3_600_000 // The first line may wait until all transfers are sorted.

export const exportCommands: readonly AdminCommand[] = [
  {
    name: 'export',
    summary: 'Export the books for an independent check.',
    options: [
      { name: 'proof', value: 'folder', about: 'Write them to this folder, new or empty.' },
      { name: 'proof-key', about: 'Only show the public key that signs exports.' },
    ],
    isTopLevel: true,
    statementMaxMs: STATEMENT_MAX_MS,
    async run(context, args) {
      const folder = args.text('proof')
      const isForKey = args.flag('proof-key')
      if (isForKey === (folder !== undefined) || folder === '') {
        throw new UsageProblem('Specify --proof <folder>, or --proof-key.')
      }
      const details = readDetails(context)
      const { publicKey } = details.key
      if (!folder) return { data: { publicKey }, text: publicKey }
      const path = resolve(folder)
      const proof = await runExport(context.db, { ...details, folder: path })
      return { data: { folder: path, ...proof }, text: describe(path, proof) }
    },
  },
]

async function runExport(db: Pool, options: Details & { folder: string }): Promise<Proof> {
  try {
    return await writeProof(db, options)
  } catch (error) {
    throw error instanceof ProofProblem ? new AdminProblem(error.message) : error
  }
}

function describe(folder: string, { files, publicKey }: Proof): string {
  const lines = files.map(({ name, lines }) => [name, `${lines} lines`] as const)
  return [
    `Exported to ${folder}`,
    ...columns(lines),
    '',
    `Public key: ${publicKey}`,
    `Verify: python3 verifier/verify_proof.py ${folder} --public-key ${publicKey}`,
  ].join('\n')
}
