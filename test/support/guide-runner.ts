// Follows a guide of docs/ as its reader would: in an empty home folder with the clone at ~/manilla, block by
// block, in one shell. A block with a file name (```js shop.mjs) is saved under that name; a block of `sh` is
// typed; a block of `text` has lines that the screen must show, where … stands for anything.

import assert from 'node:assert/strict'
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from './embedded-bench.ts'

const ROOT = join(import.meta.dirname, '../..')
const BLOCK = /^```(\w+)(?: (\S+))?\n(.*?)^```$/gms

export type Block = { language: string; fileName: string | undefined; content: string }

// The code blocks of a guide, in order.
export function blocksOf(markdown: string): Block[] {
  return Array.from(markdown.matchAll(BLOCK), ([, language = '', fileName, content = '']) => ({
    language,
    fileName,
    content,
  }))
}

// `replaced` maps the guide's addresses and ports to those of the test.
export type Reader = {
  home: string
  env: Record<string, string>
  replaced: Record<string, string>
}

// Follows the guide block by block: saves, types or expects what the block has. Fails at the first block that
// does not work.
export async function followGuide(path: string, { home, env, replaced }: Reader): Promise<void> {
  mkdirSync(join(home, 'shop'), { recursive: true })
  if (!existsSync(join(home, 'manilla'))) symlinkSync(ROOT, join(home, 'manilla'))
  await using shell = startShell(join(home, 'shop'), { ...env, HOME: home })
  for (const { language, fileName, content } of blocksOf(await readFile(path, 'utf8'))) {
    const text = Object.entries(replaced).reduce(
      (result, [original, replacement]) => result.replaceAll(original, replacement),
      content,
    )
    if (fileName) writeFileSync(join(home, 'shop', fileName), text)
    else if (language === 'sh') await shell.type(text)
    else if (language === 'text') await shell.shows(text)
    else assert.fail(`${path}: nothing can be done with a block of ${language}`)
  }
}

// Starts a shell. `type` waits until the commands have ended, and asserts that the last one succeeded;
// `shows` waits until the screen has all expected lines.
function startShell(cwd: string, env: Record<string, string>) {
  // Detached gives the shell its own process group, so that its background processes end with it.
  const shell = spawn('bash', ['--noprofile', '--norc'], { cwd, env, detached: true })
  const screen = screenOf(shell)
  let count = 0
  return {
    async type(commands: string): Promise<void> {
      count += 1
      screen.clear()
      shell.stdin.write(`${commands}\necho "end-of-block-${count}: $?"\n`)
      const end = new RegExp(`end-of-block-${count}: (\\d+)`)
      await until(commands, () => end.test(screen.text()) || screen.hasEnded())
      assert.equal(end.exec(screen.text())?.[1], '0', `${commands}\n${screen.text()}`)
    },
    async shows(expected: string): Promise<void> {
      // In any order: a webhook may arrive before the answer to its call.
      const lines = expected.trim().split('\n')
      const patterns = lines.map((line) => new RegExp(linePattern(line)))
      const isShown = () => patterns.every((pattern) => pattern.test(screen.text()))
      await until(expected, isShown).catch(() =>
        assert.fail(`expected:\n${expected}\nbut the screen shows:\n${screen.text()}`),
      )
    },
    async [Symbol.asyncDispose]() {
      if (shell.pid && !screen.hasEnded()) process.kill(-shell.pid, 'SIGKILL')
    },
  }
}

// The shell's output since the last `clear`.
function screenOf(shell: ChildProcessWithoutNullStreams) {
  let text = ''
  let hasEnded = false
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
  }
  shell.on('exit', () => {
    hasEnded = true
  })
  return {
    text: () => text,
    hasEnded: () => hasEnded,
    clear: () => {
      text = ''
    },
  }
}

// The regular expression of an expected line.
function linePattern(line: string): string {
  return line.trim().split('…').map(RegExp.escape).join('.*?')
}
