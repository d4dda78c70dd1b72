// Launches the browser for tests: the one at CHROMIUM_PATH, or else the one from npm. The npm package unpacks
// into the temp folder and trusts a file there even while another process writes it. So each process lets it
// unpack into a folder of its own and then renames that folder.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { makeNairaFont } from './naira-font.ts'

const PACKAGE = join(import.meta.dirname, '../../node_modules/@sparticuz/chromium')
const INSTRUCTION =
  'No browser to test with: npm ci --include=dev brings one on Linux; else set CHROMIUM_PATH to a Chromium.'
const UNPACK = `await (await import('@sparticuz/chromium')).default.executablePath()`

export async function launchChromium(): Promise<Browser> {
  const { executablePath, env } = findChromium()
  // Chromium's sandbox does not work for root and in containers.
  const args = ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none']
  return chromium.launch({ executablePath, args, env: { ...plainEnvironment(), ...env } })
}

// The path of the browser's program, and the environment variables that it needs.
function findChromium(): { executablePath: string; env: Record<string, string> } {
  const path = process.env.CHROMIUM_PATH
  if (path) {
    if (!existsSync(path)) throw new Error(`CHROMIUM_PATH: there is nothing at ${path}.`)
    return { executablePath: path, env: {} }
  }
  if (process.platform !== 'linux' || !existsSync(PACKAGE)) throw new Error(INSTRUCTION)
  const folder = unpackChromium()
  return {
    executablePath: join(folder, 'chromium'),
    env: { FONTCONFIG_FILE: join(folder, 'fonts.conf') },
  }
}

// Unpacks the browser once per version and machine; returns its folder.
function unpackChromium(): string {
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'))
  const folder = join(tmpdir(), `manilla-chromium-${version}`)
  if (existsSync(folder)) return folder
  const unfinished = mkdtempSync(`${folder}-`)
  try {
    execFileSync(process.execPath, ['--input-type=module', '-e', UNPACK], {
      cwd: import.meta.dirname,
      env: { ...plainEnvironment(), TMPDIR: unfinished },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    addFonts(unfinished, folder)
    renameSync(unfinished, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error // The folder exists if another process was faster.
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
  return folder
}

// Adds the ₦ sign and our own font settings: those of the package name folders of another machine.
function addFonts(unfinished: string, folder: string): void {
  writeFileSync(join(unfinished, 'fonts/naira.ttf'), makeNairaFont())
  const places = `<dir>${folder}/fonts</dir><cachedir>${folder}/font-cache</cachedir>`
  writeFileSync(join(unfinished, 'fonts.conf'), `<fontconfig>${places}</fontconfig>`)
}

// The environment without empty variables.
function plainEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env)
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => !!entry[1]))
}
