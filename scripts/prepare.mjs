// Runs after `npm ci`: builds the pages and the bundle, so that the first start need not, and links
// node_modules/.bin/manilla. If this fails, the installation still succeeds, and `npm start` builds or says
// why it cannot.

// biome-ignore-start lint/style/useNodejsImportProtocol: not every Node 12 knows the prefix
import { existsSync, symlinkSync } from 'fs'
import { fileURLToPath } from 'url'
import { isNewEnough } from './guard.mjs'

// biome-ignore-end lint/style/useNodejsImportProtocol: not every Node 12 knows the prefix

void prepare().catch(({ message }) => console.error(`Not built yet (${message}).`))

// Links the command `manilla` and, if this Node can run the build, builds.
async function prepare() {
  const link = fileURLToPath(new URL('../node_modules/.bin/manilla', import.meta.url))
  if (!existsSync(link)) symlinkSync('../../scripts/manilla.mjs', link)
  if (!isNewEnough(process.version)) return
  const { buildIfChanged } = await import('./build.ts')
  await buildIfChanged()
}
