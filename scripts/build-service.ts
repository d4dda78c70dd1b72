// Bundles the service with its packages into build/service-<hash>/main.js, which starts with three fifths of
// the CPU time of src/main.ts: one file is read and compiled, not some 1,500. Development and tests run
// src/main.ts; scripts/build.ts decides when the bundle is made.
//
// Source maps lie beside it. Connector packages share the modules of the bundle: kit.js is their
// manilla/kit. All else that a module finds beside its own source is found there (withPlaces).

import { mkdirSync, readdirSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { build, type Plugin } from 'vite'

const ROOT = join(import.meta.dirname, '..')
// Loaded when a page asks for it, and only by the build.
const LEFT_OUT = ['vite']
const KEPT = 3 // A running service may still load a chunk of an earlier bundle.

export async function buildService(into: string, stamp: string): Promise<void> {
  const folder = join(into, `service-${stamp}`)
  const unfinished = `${folder}.${process.pid}`
  mkdirSync(into, { recursive: true })
  await build({
    configFile: false,
    root: ROOT,
    logLevel: 'error',
    publicDir: false,
    plugins: [withPlaces()],
    ssr: { noExternal: true, external: LEFT_OUT },
    build: {
      ssr: true,
      outDir: unfinished,
      emptyOutDir: true,
      target: 'node24',
      minify: false,
      sourcemap: true,
      rolldownOptions: {
        input: { main: join(ROOT, 'src/main.ts'), kit: join(ROOT, 'src/banks/kit.ts') },
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  })
  rmSync(folder, { recursive: true, force: true })
  renameSync(unfinished, folder)
  const link = join(into, `service.${process.pid}`)
  symlinkSync(basename(folder), link)
  renameSync(link, join(into, 'service'))
  removeOld(into)
}

function withPlaces(): Plugin {
  return {
    name: 'places',
    enforce: 'pre',
    transform: (code, id) => {
      if (!id.startsWith(join(ROOT, 'src/'))) return null
      const folder = `(import.meta.dirname + ${JSON.stringify(`/../../${relative(ROOT, dirname(id))}`)})`
      const url = `new URL(${JSON.stringify(`../../${relative(ROOT, id)}`)}, import.meta.url).href`
      const placed = code
        .replaceAll(`import.meta.resolve('#banks/kit.ts')`, `import.meta.resolve('./kit.js')`)
        .replaceAll('import.meta.url', url)
        .replaceAll('import.meta.filename', `(${folder} + ${JSON.stringify(`/${basename(id)}`)})`)
        .replaceAll(/import\.meta\.dirname(?! \+ "\/\.\.)/g, folder)
      return { code: placed, map: null } // Lines stay as they are.
    },
  }
}

function removeOld(into: string): void {
  const bundles = readdirSync(into)
    .filter((name) => name.startsWith('service-'))
    .map((name) => ({ path: join(into, name), madeAtMs: statSync(join(into, name)).mtimeMs }))
    .sort((a, b) => b.madeAtMs - a.madeAtMs)
  for (const { path } of bundles.slice(KEPT)) rmSync(path, { recursive: true, force: true })
}
