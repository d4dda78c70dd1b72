// `manilla export --proof <folder>`: the books as plain files that an auditor re-adds with
// verifier/verify_proof.py, or a program of their own (docs/proof.md).

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { loadConfig } from '#config/config.ts'
import { ProofProblem } from '#domain/proof/export-folder.ts'
import { proofKey } from '#domain/proof/proof-key.ts'
import { type Proof, writeProof } from '#domain/proof/write-proof.ts'
import { Sealer } from '#seal.ts'
import type { AdminCommand, Context } from './admin-command.ts'
import { AdminProblem } from './admin-database.ts'
import { columns, UsageProblem } from './command-line.ts'
import { progressTo } from './export-progress.ts'

const STATEMENT_MAX_MS = 3_600_000 // The first line may wait until all transfers are sorted.
const PACKAGE = new URL('../../package.json', import.meta.url)

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
    async run(context, given) {
      const folder = given.text('proof')
      const isForKey = given.flag('proof-key')
      if (isForKey === (folder !== undefined) || folder === '') {
        throw new UsageProblem('Specify --proof <folder>, or --proof-key.')
      }
      const { mode, key } = readKey(context)
      if (!folder) return { data: { publicKey: key.publicKey }, text: key.publicKey }
      const path = resolve(folder)
      const proof = await exported(context, { folder: path, mode, key })
      return { data: { folder: path, ...proof }, text: describe(path, proof) }
    },
  },
]

function readKey({ env }: Context) {
  const { mode, secrets } = loadConfig(env, 'serve')
  return { mode, key: proofKey(new Sealer(secrets.data, secrets.hash)) }
}

type Asked = { folder: string } & ReturnType<typeof readKey>

async function exported({ db, clock }: Context, asked: Asked): Promise<Proof> {
  const { name, version } = JSON.parse(readFileSync(PACKAGE, 'utf8'))
  const onProgress = process.stderr.isTTY ? progressTo(process.stderr) : () => {}
  const details = { exportedAt: clock(), product: `${name} ${version}`, onProgress }
  try {
    return await writeProof(db, { ...asked, ...details })
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
