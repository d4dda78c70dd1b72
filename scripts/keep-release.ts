// `npm run keep-release [-- folder]`: keeps the release in a folder (by default, this one) as the
// previous release, which test/upgrade/ runs beside today's code. Run it when a release is made,
// before any change (CONTRIBUTING.md). It writes one file: the service bundled with its packages,
// its migrations and functions. The packages are included because next year's installation will
// have other versions; the pages and the API reference are left out because a database does not
// need them.

import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { build, type InlineConfig, type Plugin } from 'vite'
import { type KeptRelease, PREVIOUS_RELEASE } from '../test/support/previous-release.ts'

const LEFT_OUT = ['vite']
const SHIPPED = 'db/{migrations,functions}/*.sql'
const PROFILES = 'statement-profiles/*.json'

export async function keepRelease(folder: string): Promise<KeptRelease> {
  const files: Record<string, string> = { 'main.mjs': await bundle(folder) }
  for (const path of [SHIPPED, PROFILES]
    .flatMap((each) => globSync(each, { cwd: folder }))
    .sort()) {
    files[path] = readFileSync(join(folder, path), 'utf8')
  }
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return { version, files }
}

async function bundle(folder: string): Promise<string> {
  const config: InlineConfig = {
    configFile: false,
    root: folder,
    logLevel: 'error',
    publicDir: false,
    plugins: [withPlaces(folder)],
    ssr: { noExternal: true, external: LEFT_OUT },
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

// A module finds its files relative to its own place. In a bundle, every module lies in the root.
function withPlaces(folder: string): Plugin {
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
