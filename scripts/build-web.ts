// `npm run build [-- folder]`: makes the two web apps of web/ into files that the service serves
// (src/http/static-pages.ts).
//
//   build/web-<hash>/checkout/      assets of the payer's page, and manifest.json that names them
//                    checkout-server/   the same page as a module that draws it as text
//                    dashboard/     dashboard.html and its assets
//   build/web ─▶ build/web-<hash>   changed in one step; a service that runs keeps what it began with
//
// The hash is of everything the result depends on, so nothing is built twice; two builds at once
// each make their own folder and the first to finish gives it its name.

import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { InlineConfig } from 'vite'

const ROOT = join(import.meta.dirname, '..')
const WEB = join(ROOT, 'web')
const API_TYPES = join(ROOT, 'sdk/src/api-types.ts') // All that web/ knows of the rest.
const BUILD = join(ROOT, 'build')
// Earlier ones stay a while: a service may still be running from them.
const KEPT = 5

export async function buildWeb(into = BUILD): Promise<void> {
  const folder = join(into, `web-${sourceHash()}`)
  if (!existsSync(folder)) await makeFolder(into, folder)
  point(join(into, 'web'), folder)
}

async function makeFolder(into: string, folder: string): Promise<void> {
  const { build } = await import('vite') // Only now: it takes longer to load than to find nothing to do.
  mkdirSync(into, { recursive: true })
  const unfinished = mkdtempSync(join(into, 'unfinished-'))
  chmodSync(unfinished, 0o755) // The service may run as somebody else.
  try {
    await build(appConfig('checkout', '/pay/', 'browser.tsx', join(unfinished, 'checkout')))
    await build(serverConfig('checkout', 'server.tsx', join(unfinished, 'checkout-server')))
    await build(
      appConfig('dashboard', '/dashboard/', 'dashboard.html', join(unfinished, 'dashboard')),
    )
    compress(unfinished)
    renameSync(unfinished, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error // Else somebody else was first, with the same.
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
  removeOld(into, folder)
}

function appConfig(app: string, base: string, entry: string, outDir: string): InlineConfig {
  return {
    ...sharedConfig(app),
    base,
    build: {
      outDir,
      emptyOutDir: true,
      target: ['es2022', 'chrome100', 'safari15.4', 'firefox100'],
      manifest: 'manifest.json',
      assetsInlineLimit: 0, // The pages forbid themselves everything inline.
      modulePreload: { polyfill: false },
      rolldownOptions: { input: join(WEB, app, entry) },
    },
  }
}

function serverConfig(app: string, entry: string, outDir: string): InlineConfig {
  return {
    ...sharedConfig(app),
    ssr: { noExternal: true },
    build: { outDir, emptyOutDir: true, ssr: join(WEB, app, entry), target: 'node24' },
  }
}

function sharedConfig(app: string): InlineConfig {
  return {
    configFile: false,
    root: join(WEB, app),
    mode: 'production',
    logLevel: 'warn',
    publicDir: false,
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  }
}

// Once, at full strength, instead of at every request.
function compress(folder: string): void {
  for (const path of globSync('**/*.{js,css,html,svg}', { cwd: folder })) {
    const bytes = readFileSync(join(folder, path))
    writeFileSync(join(folder, `${path}.br`), brotliCompressSync(bytes))
    writeFileSync(join(folder, `${path}.gz`), gzipSync(bytes, { level: 9 }))
  }
}

function point(link: string, folder: string): void {
  const fresh = `${link}.${process.pid}`
  rmSync(fresh, { force: true })
  symlinkSync(basename(folder), fresh)
  renameSync(fresh, link)
}

function sourceHash(): string {
  const hash = createHash('sha256')
  const paths = globSync('**/*', { cwd: WEB }).map((path) => join(WEB, path))
  for (const path of [...paths, API_TYPES, import.meta.filename].sort()) {
    if (!statSync(path).isFile()) continue
    const bytes = readFileSync(path)
    hash.update(`${path.slice(ROOT.length)} ${bytes.length}\n`).update(bytes)
  }
  for (const name of ['vite', 'preact']) {
    const about = readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8')
    hash.update(`${name} ${JSON.parse(about).version}\n`)
  }
  return hash.digest('hex').slice(0, 16)
}

function removeOld(into: string, current: string): void {
  const builds = readdirSync(into)
    .filter((name) => name.startsWith('web-') && name !== basename(current))
    .map((name) => ({ path: join(into, name), madeAtMs: statSync(join(into, name)).mtimeMs }))
    .sort((a, b) => b.madeAtMs - a.madeAtMs)
  for (const { path } of builds.slice(KEPT - 1)) rmSync(path, { recursive: true, force: true })
}

if (import.meta.main) await buildWeb(process.argv[2])
