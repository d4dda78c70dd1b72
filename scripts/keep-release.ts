// `npm run keep-release [-- folder]`: stores the release in a folder (by default, this repository) as the
// previous release, which test/upgrade/ runs beside today's code. Run it when a release is made, before any
// change (CONTRIBUTING.md). It writes one file with the service, bundled with its packages, and its
// migrations and SQL functions. The packages are included because a later installation has other versions.
// The pages and the API reference are left out, because the tests of upgrades do not need them.

import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { build, type InlineConfig, type Plugin } from 'vite'
import { type KeptRelease, PREVIOUS_RELEASE } from '../test/support/previous-release.ts'

const EXTERNAL = ['vite'] // Only the build of the pages loads it.
const SQL_FILES = 'db/{migrations,functions}/*.sql'
const PROFILES = 'statement-profiles/*.json'

// Bundles the service in the folder, and reads its SQL files and statement profiles. The tests of upgrades
// run the result as the previous release.
export async function keepRelease(folder: string): Promise<KeptRelease> {
  const files: Record<string, string> = { 'main.mjs': await bundle(folder) }
  for (const path of [SQL_FILES, PROFILES]
    .flatMap((pattern) => globSync(pattern, { cwd: folder }))
    .sort()) {
    files[path] = readFileSync(join(folder, path), 'utf8')
  }
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return { version, files }
}

// The service of the release as the text of one JavaScript file.
async function bundle(folder: string): Promise<string> {
  const config: InlineConfig = {
    configFile: false,
    root: folder,
    logLevel: 'error',
    publicDir: false,
    plugins: [withSourcePaths(folder)],
    ssr: { noExternal: true, external: EXTERNAL },
    build: {
      ssr: join(folder, 'src/main.ts'),
      write: false,
      minify: true,
      target: 'node24',
      rolldownOptions: { output: { codeSplitting: false } },
    },
  }
  const { output } = (await build(config)) as { output: { fileName: string; code?: string }[] }
  const [{ code } = {}, ...others] = output
  if (code === undefined || others.length > 0) throw new Error('the bundle is not one file')
  return code
}

// Replaces `import.meta.dirname` in each module by the folder of its source, relative to the bundle: modules
// read files relative to their own folder, and in a bundle that would be the root.
function withSourcePaths(folder: string): Plugin {
  return {
    name: 'places',
    enforce: 'pre',
    transform: (code, id) => {
      if (!id.startsWith(join(folder, 'src/'))) return null
      const place = JSON.stringify(`/${relative(folder, dirname(id))}`)
      return code.replaceAll('import.meta.dirname', `(import.meta.dirname + ${place})`)
    },
  }
}

if (import.meta.main) {
  const release = await keepRelease(process.argv[2] ?? join(import.meta.dirname, '..'))
  const params = { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS }
  writeFileSync(PREVIOUS_RELEASE, brotliCompressSync(JSON.stringify(release), { params }))
  const kilobytes = Math.ceil(statSync(PREVIOUS_RELEASE).size / 1000)
  console.log(
    `kept ${release.version}, ${Object.keys(release.files).length} files, ${kilobytes} kB`,
  )
}
