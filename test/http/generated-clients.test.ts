// Clients that public generators make of openapi.json compile and make five calls: signing in, creating an
// account, an advice and a lease, and a list with filters. Each generator is pinned. It is fetched into a
// folder of its own, and where that is not possible, the name of its test says that it did not run.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { closeAfterTests } from '../support/closing.ts'
import { listenLocally } from '../support/event-source.ts'
import { isNuban } from '../support/nuban.ts'
import { startTestService } from '../support/running-service.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const PATIENCE_MS = 20 * 60_000
const INT32_MAX = 2 ** 31 - 1
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const DESCRIPTION = join(ROOT, 'openapi.json')
const PROGRAMS = join(import.meta.dirname, 'generated-clients')

const OPENAPI_GENERATOR = 'org.openapitools:openapi-generator-cli:7.25.0'
const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'
const ORVAL = 'orval@7.13.2'
const OPENAPI_PYTHON_CLIENT = 'openapi-python-client==0.29.1'

const folder = closeAfterTests(createTempFolder())
const bench = closeAfterTests(await startTestService())
const url = await listenLocally(bench.service.app)

// Runs a program in a folder, and returns its output. Not synchronously: the service answers meanwhile.
async function run(at: string, program: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, GOBIN: join(folder.path, 'bin'), GOFLAGS: '-mod=mod' }
  const limits = { timeout: PATIENCE_MS, maxBuffer: 64 * 1024 * 1024 }
  const { stdout } = await promisify(execFile)(program, args, { cwd: at, env, ...limits })
  return stdout
}

// Makes a folder for one client.
function newFolder(name: string): string {
  const path = join(folder.path, name)
  mkdirSync(path)
  return path
}

type Client = {
  name: string
  install: () => Promise<unknown> // Fetches the generator. Its failure means that the client is not tried.
  build: () => Promise<() => Promise<string>> // Generates and compiles. Returns what makes the calls.
}

const jar = join(folder.path, 'openapi-generator.jar')

async function installOpenapiGenerator(): Promise<void> {
  const target = `-DoutputDirectory=${folder.path}`
  const options = [
    '-q',
    '-B',
    '-Dmdep.stripVersion=true',
    `-Dartifact=${OPENAPI_GENERATOR}`,
    target,
  ]
  await run(folder.path, 'mvn', ...options, 'dependency:copy')
  cpSync(join(folder.path, 'openapi-generator-cli.jar'), jar)
}

const generate = (at: string, generator: string, ...options: string[]) =>
  run(at, 'java', '-jar', jar, 'generate', '-i', DESCRIPTION, '-g', generator, ...options)

// Builds a Go program beside its generated package.
async function buildGo(at: string, program: string): Promise<() => Promise<string>> {
  cpSync(join(PROGRAMS, program), join(at, 'main.go'))
  await run(at, 'go', 'mod', 'init', 'example.com/client')
  await run(at, 'go', 'mod', 'tidy')
  await run(at, 'go', 'build', '-o', 'client', '.')
  return () => run(at, './client', url)
}

const CLIENTS: readonly Client[] = [
  {
    name: 'openapi-generator for Go',
    install: async () => {
      await run(folder.path, 'go', 'version')
      await installOpenapiGenerator()
    },
    build: async () => {
      const at = newFolder('openapi-generator-go')
      const names = '--additional-properties=packageName=manilla,enumClassPrefix=true'
      await generate(at, 'go', '-o', 'all', names)
      mkdirSync(join(at, 'manilla'))
      for (const file of readdirSync(join(at, 'all')).filter((name) => name.endsWith('.go'))) {
        cpSync(join(at, 'all', file), join(at, 'manilla', file))
      }
      return buildGo(at, 'openapi-generator.go')
    },
  },
  {
    name: 'openapi-generator for Java',
    install: async () => {
      await run(folder.path, 'javac', '-version')
      await installOpenapiGenerator()
    },
    build: async () => {
      const at = newFolder('openapi-generator-java')
      const plain = '--additional-properties=supportUrlQuery=false'
      await generate(at, 'java', '--library', 'native', '-o', '.', plain)
      const listed = ['-q', '-B', '-Dmdep.outputFile=classpath']
      await run(at, 'mvn', ...listed, 'dependency:build-classpath')
      const classpath = readFileSync(join(at, 'classpath'), 'utf8').trim()
      const model = 'src/main/java/org/openapitools/client'
      const names = readdirSync(join(at, model), { recursive: true, encoding: 'utf8' })
      const sources = names
        .filter((name) => name.endsWith('.java'))
        .map((name) => join(model, name))
      const program = 'openapi-generator.java'
      cpSync(join(PROGRAMS, program), join(at, program))
      writeFileSync(join(at, 'sources'), [...sources, program].join('\n'))
      await run(at, 'javac', '-nowarn', '-d', 'classes', '-cp', classpath, '@sources')
      return () => run(at, 'java', '-cp', `classes:${classpath}`, 'OpenapiGenerator', url)
    },
  },
  {
    name: 'oapi-codegen',
    install: () => run(folder.path, 'go', 'install', OAPI_CODEGEN),
    build: async () => {
      const at = newFolder('oapi-codegen')
      mkdirSync(join(at, 'api'))
      const settings = {
        package: 'api',
        output: 'api/api.go',
        generate: { models: true, client: true },
        'output-options': { 'skip-prune': true },
      }
      writeFileSync(join(at, 'settings.yaml'), JSON.stringify(settings))
      const program = join(folder.path, 'bin', 'oapi-codegen')
      await run(at, program, '-config', 'settings.yaml', DESCRIPTION)
      return buildGo(at, 'oapi-codegen.go')
    },
  },
  {
    name: 'orval',
    install: () => {
      const at = newFolder('orval')
      writeFileSync(join(at, 'package.json'), '{"type":"module","private":true}')
      return run(at, 'npm', 'install', '--ignore-scripts', '--no-audit', ORVAL)
    },
    build: async () => {
      const at = join(folder.path, 'orval')
      const output = { target: './client.ts', client: 'fetch', mode: 'single', baseUrl: url }
      const config = { manilla: { input: { target: DESCRIPTION }, output } }
      writeFileSync(join(at, 'orval.config.mjs'), `export default ${JSON.stringify(config)}\n`)
      await run(at, join(at, 'node_modules/.bin/orval'), '--config', 'orval.config.mjs')
      cpSync(join(PROGRAMS, 'orval.ts'), join(at, 'program.ts'))
      const options = ['--noEmit', '--strict', '--skipLibCheck', '--allowImportingTsExtensions']
      const modules = ['--module', 'nodenext', '--target', 'esnext', '--lib', 'esnext,dom']
      await run(at, join(ROOT, 'node_modules/.bin/tsc'), ...options, ...modules, 'program.ts')
      return () => run(at, process.execPath, 'program.ts')
    },
  },
  {
    name: 'openapi-python-client',
    install: async () => {
      await run(folder.path, 'python3', '-m', 'venv', 'python')
      await run(folder.path, 'python/bin/pip', 'install', '-q', OPENAPI_PYTHON_CLIENT)
    },
    build: async () => {
      const at = join(folder.path, 'python')
      const options = ['--path', DESCRIPTION, '--output-path', 'client']
      await run(at, 'bin/openapi-python-client', 'generate', ...options)
      cpSync(join(PROGRAMS, 'openapi-python-client.py'), join(at, 'client', 'program.py'))
      await run(at, 'bin/python', '-m', 'compileall', '-q', 'client/manilla_client')
      return () => run(at, 'bin/python', 'client/program.py', url)
    },
  },
]

for (const { name, install, build } of CLIENTS) {
  const absence = await install().then(
    () => undefined,
    (error: Error) => error.message.split('\n')[0],
  )
  if (absence !== undefined) {
    test(`the client of ${name} did not run: it cannot be installed here (${absence})`, () => {})
    continue
  }
  test(`the client of ${name} compiles, and its calls keep ids and amounts`, async () => {
    const before = await countAccounts()

    const call = await build()
    const answer = JSON.parse(await call())

    assert.equal(await countAccounts(), before + 1)
    assert(answer.created > INT32_MAX, String(answer.created))
    assert.equal(answer.listed, answer.created)
    assert.equal(answer.amount, 1_234_567.89)
    assert(isNuban('035', answer.number), String(answer.number))
    const list = await bench.call({ url: '/api/v1/accounts/static?limit=1' })
    assert.equal(list.json().data[0].id, answer.created)
  })
}

async function countAccounts(): Promise<number> {
  const { rows } = await bench.db.query('select count(*)::int as count from collection_accounts')
  return rows[0].count
}
