// Builds the three web apps of web/ into files that the service serves (src/http/pages.ts): `npm run build
// [-- folder]`.
//
//   build/web-<hash>/checkout/      assets of the payer's page, and manifest.json that names them
//                    checkout-server/   the same page as a module that renders it as text
//                    dashboard/     dashboard.html and its assets
//                    reference/     assets of the API reference, and manifest.json that names them
//   build/web ─▶ build/web-<hash>   a link that changes in one step; a running service keeps its folder
//
// The hash covers everything that the result depends on, so nothing is built twice. Two builds at once each
// make a temporary folder; the first to finish renames its folder, and the other deletes its own. The
// language of the pages is MANILLA_LANGUAGE, a file of web/copy/ (docs/translating.md).

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
import type { BuildOptions, InlineConfig, Plugin } from 'vite'
import { readEnvironment } from '../src/config/config.ts'

const ROOT = join(import.meta.dirname, '..')
const WEB = join(ROOT, 'web')
const API_TYPES = join(ROOT, 'sdk/src/api-types.ts') // The only file outside web/ that web/ uses.
const BUILD = join(ROOT, 'build')
const CATALOGUES = join(WEB, 'copy')
const ENGLISH = join(CATALOGUES, 'en.ts')
// Earlier builds are kept, because a running service may still use them.
const BUILDS_KEPT = 5

// Builds the apps, unless they are built already, and points the link to them. The catalogue is the file with
// the texts, in the form of web/copy/en.ts.
export async function buildWeb(into = BUILD, catalogue = ENGLISH): Promise<void> {
  const folder = join(into, `web-${sourceHash(catalogue)}`)
  if (!existsSync(folder)) await makeFolder({ into, folder, catalogue })
  pointLink(join(into, 'web'), folder)
}

type Target = { into: string; folder: string; catalogue: string }

// Builds all apps into a temporary folder, and renames it to `folder`.
async function makeFolder({ into, folder, catalogue }: Target): Promise<void> {
  const { build } = await import('vite') // Loaded late: loading takes longer than finding nothing to do.
  mkdirSync(into, { recursive: true })
  const unfinished = mkdtempSync(join(into, 'unfinished-'))
  chmodSync(unfinished, 0o755) // The service may run as another user.
  try {
    const [checkout, dashboard] = [
      sharedConfig('checkout', catalogue),
      sharedConfig('dashboard', catalogue),
    ]
    const outputFolder = (name: string) => join(unfinished, name)
    await build({
      ...checkout,
      base: '/pay/',
      build: appBuild('checkout/browser.tsx', outputFolder('checkout')),
    })
    await build({
      ...checkout,
      ssr: { noExternal: true },
      build: serverBuild('checkout/server.tsx', outputFolder('checkout-server')),
    })
    await build({
      ...dashboard,
      base: '/dashboard/',
      build: appBuild('dashboard/dashboard.html', outputFolder('dashboard')),
    })
    await build({
      ...sharedConfig('reference', catalogue),
      base: '/docs/',
      build: appBuild('reference/reference.ts', outputFolder('reference')),
    })
    compress(unfinished)
    renameSync(unfinished, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error // The folder exists if another build of the same sources was faster.
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
  removeOldBuilds(into, folder)
}

// The build settings of an app that browsers load.
function appBuild(entry: string, outDir: string): BuildOptions {
  return {
    outDir,
    emptyOutDir: true,
    target: ['es2022', 'chrome100', 'safari15.4', 'firefox100'],
    manifest: 'manifest.json',
    assetsInlineLimit: 0, // The content security policy of the pages forbids everything inline.
    modulePreload: { polyfill: false },
    // One file has the code that the app starts with, and another the code that three views or more share.
    // Without these groups, the settings of the dashboard were 22 files, most of them smaller than 2 KB.
    rolldownOptions: {
      input: join(WEB, entry),
      output: {
        codeSplitting: {
          groups: [
            { name: 'start', tags: ['$initial'], priority: 2 },
            { name: 'shared', minShareCount: 3, priority: 1 },
          ],
        },
      },
    },
  }
}

function serverBuild(entry: string, outDir: string): BuildOptions {
  return { outDir, emptyOutDir: true, ssr: join(WEB, entry), target: 'node24' }
}

// The settings that all builds of an app share.
function sharedConfig(app: string, catalogue: string): InlineConfig {
  return {
    configFile: false,
    root: join(WEB, app),
    mode: 'production',
    logLevel: 'warn',
    publicDir: false,
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    plugins: catalogue === ENGLISH ? [] : [inLanguage(catalogue)],
  }
}

// web/copy.ts imports English; a build in another language replaces that import.
function inLanguage(catalogue: string): Plugin {
  return {
    name: 'language',
    enforce: 'pre',
    resolveId: (target, importer) =>
      target === './copy/en.ts' && importer === join(WEB, 'copy.ts') ? catalogue : null,
  }
}

// The catalogue of MANILLA_LANGUAGE. Throws if there is none.
export function chosenCatalogue(): string {
  const language = readEnvironment().MANILLA_LANGUAGE || 'en'
  const path = join(CATALOGUES, `${basename(language)}.ts`)
  if (existsSync(path)) return path
  const languages = globSync('*.ts', { cwd: CATALOGUES }).map((name) => basename(name, '.ts'))
  throw new Error(`MANILLA_LANGUAGE must be one of: ${languages.sort().join(', ')}`)
}

// Compresses the files once, at full strength, instead of at each request.
function compress(folder: string): void {
  for (const path of globSync('**/*.{js,css,html,svg}', { cwd: folder })) {
    const bytes = readFileSync(join(folder, path))
    writeFileSync(join(folder, `${path}.br`), brotliCompressSync(bytes))
    writeFileSync(join(folder, `${path}.gz`), gzipSync(bytes, { level: 9 }))
  }
}

// Makes a link point to a folder in one step: a rename replaces the old link, so the link never misses.
function pointLink(link: string, folder: string): void {
  const fresh = `${link}.${process.pid}`
  rmSync(fresh, { force: true })
  symlinkSync(basename(folder), fresh)
  renameSync(fresh, link)
}

// The hash of everything that the result depends on: sources, catalogue and the versions of the packages
// used.
function sourceHash(catalogue: string): string {
  const hash = createHash('sha256')
  const paths = globSync('**/*', { cwd: WEB }).map((path) => join(WEB, path))
  for (const path of [...paths.sort(), API_TYPES, import.meta.filename, catalogue]) {
    if (!statSync(path).isFile()) continue
    const bytes = readFileSync(path)
    hash.update(`${path.slice(ROOT.length)} ${bytes.length}\n`).update(bytes)
  }
  for (const name of ['vite', 'preact', 'uqr']) {
    const about = readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8')
    hash.update(`${name} ${JSON.parse(about).version}\n`)
  }
  return hash.digest('hex').slice(0, 16)
}

// Removes all builds of the pages but the current one and the newest others.
function removeOldBuilds(into: string, current: string): void {
  const builds = readdirSync(into)
    .filter((name) => name.startsWith('web-') && name !== basename(current))
    .map((name) => ({ path: join(into, name), madeAtMs: statSync(join(into, name)).mtimeMs }))
    .sort((a, b) => b.madeAtMs - a.madeAtMs)
  for (const { path } of builds.slice(BUILDS_KEPT - 1))
    rmSync(path, { recursive: true, force: true })
}

if (import.meta.main) await buildWeb(process.argv[2], chosenCatalogue())
