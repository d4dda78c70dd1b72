// The details of every export of the books: product, mode, time, signing key, and progress on a terminal.

import { readFileSync } from 'node:fs'
import { loadConfig } from '#config/config.ts'
import { proofKey } from '#domain/proof/proof-key.ts'
import type { Details, Progress } from '#domain/proof/write-proof.ts'
import { Sealer } from '#seal.ts'
import type { Context } from './admin-command.ts'

const PROGRESS_EVERY_LINES = 50_000
const PACKAGE = new URL('../../package.json', import.meta.url)

export function readDetails({ env, clock }: Context): Details {
  const { mode, secrets } = loadConfig(env, 'serve')
  const { name, version } = JSON.parse(readFileSync(PACKAGE, 'utf8'))
  return {
    exportedAt: clock(),
    product: `${name} ${version}`,
    mode,
    key: proofKey(new Sealer(secrets.data, secrets.hash)),
    onProgress: process.stderr.isTTY ? progressTo(process.stderr) : () => {},
  }
}

function progressTo(stream: NodeJS.WritableStream): (progress: Progress) => void {
  let lastShown = 0
  return ({ name, lines, isWhole }) => {
    if (!isWhole && lines < lastShown + PROGRESS_EVERY_LINES) return
    lastShown = isWhole ? 0 : lines
    stream.write(`\r${name}: ${lines} lines${isWhole ? '\n' : ''}`)
  }
}
