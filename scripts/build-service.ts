// Bundles the service with its packages into build/service-<hash>/main.js. The bundle starts with three
// fifths of the CPU time of src/main.ts, because Node reads and compiles one file instead of some 1,500.
// Development and `npm test` run src/main.ts, and long tests the bundle. scripts/build.ts decides
// when it is made.
//
// Source maps are in the same folder. Connector packages share the modules of the bundle: their import
// `manilla/kit` is its kit.js. Other files that a module reads relative to its own source are still read
// there (withSourcePaths).

import { mkdirSync, readdirSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { build, type Plugin } from 'vite'

const ROOT = join(import.meta.dirname, '..')
// Packages that the bundle does not contain: only the build of the pages loads vite.
const EXTERNAL = ['vite']
// With a single other character, V8 would keep the text of the bundle in two bytes for each of its millions
// of characters. Comments are left out, because their characters cannot be escaped.
const IN_ASCII = {
  comments: false,
  minify: {
    compress: false,
    mangle: false,
    codegen: { asciiOnly: true, removeWhitespace: false },
  },
} as const
const BUNDLES_KEPT = 3 // A running service may still load a chunk of an earlier bundle.

// Makes the bundle for these sources, whose hash is `stamp`, and points the link build/service to it.
export async function buildService(into: string, stamp: string): Promise<void> {
  const folder = join(into, `service-${stamp}`)
  const unfinished = `${folder}.${process.pid}`
  mkdirSync(into, { recursive: true })
  await build({
    configFile: false,
    root: ROOT,
    logLevel: 'error',
    publicDir: false,
    plugins: [withSourcePaths()],
    ssr: { noExternal: true, external: EXTERNAL },
    build: {
      ssr: true,
      outDir: unfinished,
      emptyOutDir: true,
      target: 'node24',
      minify: false,
      sourcemap: true,
      rolldownOptions: {
        input: { main: join(ROOT, 'src/main.ts'), kit: join(ROOT, 'src/banks/kit.ts') },
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: '[name]-[hash].js',
          ...IN_ASCII,
        },
      },
    },
  })
  rmSync(folder, { recursive: true, force: true })
  renameSync(unfinished, folder)
  const link = join(into, `service.${process.pid}`)
  symlinkSync(basename(folder), link)
  renameSync(link, join(into, 'service'))
  removeOldBundles(into)
}

// Replaces `import.meta.dirname`, `url` and `filename` in each module by the location of its source: in the
// bundle they would be the location of the bundle.
function withSourcePaths(): Plugin {
  return {
    name: 'places',
    enforce: 'pre',
    transform: (code, id) => {
      if (!id.startsWith(join(ROOT, 'src/'))) return null
      const folder = `(import.meta.dirname + ${JSON.stringify(`/../../${relative(ROOT, dirname(id))}`)})`
      const url = `new URL(${JSON.stringify(`../../${relative(ROOT, id)}`)}, import.meta.url).href`
      // The last pattern leaves out the `import.meta.dirname` that the line before it has inserted.
      const placed = code
        .replaceAll(`import.meta.resolve('#banks/kit.ts')`, `import.meta.resolve('./kit.js')`)
        .replaceAll('import.meta.url', url)
        .replaceAll('import.meta.filename', `(${folder} + ${JSON.stringify(`/${basename(id)}`)})`)
        .replaceAll(/import\.meta\.dirname(?! \+ "\/\.\.)/g, folder)
      return { code: placed, map: null } // Without a source map: no line moves.
    },
  }
}

// Removes all bundles but the newest, which a running service may still load from.
function removeOldBundles(into: string): void {
  const bundles = readdirSync(into)
    .filter((name) => name.startsWith('service-'))
    .map((name) => ({ path: join(into, name), madeAtMs: statSync(join(into, name)).mtimeMs }))
    .sort((a, b) => b.madeAtMs - a.madeAtMs)
  for (const { path } of bundles.slice(BUNDLES_KEPT)) rmSync(path, { recursive: true, force: true })
}
