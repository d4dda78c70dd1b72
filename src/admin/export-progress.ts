// How far the files of an export are, on a terminal.

import type { Progress } from '#domain/proof/write-proof.ts'

const PROGRESS_EVERY_LINES = 50_000

export function progressTo(stream: NodeJS.WritableStream): (progress: Progress) => void {
  let shown = 0
  return ({ name, lines, isWhole }) => {
    if (!isWhole && lines < shown + PROGRESS_EVERY_LINES) return
    shown = isWhole ? 0 : lines
    stream.write(`\r${name}: ${lines} lines${isWhole ? '\n' : ''}`)
  }
}
