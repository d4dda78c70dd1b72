// Reads the files of deploy/ that are not plain YAML, as far as the tests need.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'

export type Service = {
  image: string
  command: string[]
  environment: Record<string, string>
  user?: string
  read_only?: boolean
  tmpfs?: string[]
  cap_drop: string[]
  security_opt: string[]
  stop_grace_period: string
  healthcheck: { test: string[] }
}

type Probe = { httpGet: { path: string; port: string } }

export type Container = {
  image: string
  args: string[]
  env: { name: string; value: string }[]
  ports: unknown
  resources: Record<'requests' | 'limits', { memory?: string }>
  securityContext: unknown
  startupProbe: Probe
  livenessProbe: Probe
  readinessProbe: Probe
  lifecycle?: { preStop: { sleep: { seconds: number } } }
}

type Stage = {
  from: string
  copies: string[] // Copied from the repository.
  env: Record<string, string>
  user: string
  entrypoint: string[]
  command: string[]
  healthcheck: string[]
}

// Parses a Containerfile into its stages.
export function dockerfile(text: string) {
  const args: Record<string, string> = {}
  const stages: Stage[] = []
  // Replaces ${NAME} by the value of the build argument.
  const resolved = (value: string) =>
    value.replaceAll(/\$\{(\w+)\}/g, (_, name) => args[name] ?? '')
  for (const line of text.replaceAll('\\\n', ' ').split('\n')) {
    const [, word, rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    const stage = stages.at(-1) as Stage
    if (word === 'ARG') Object.assign(args, pairs(rest))
    else if (word === 'FROM') stages.push(newStage(resolved(rest).replace(/ AS .*/, '')))
    else if (word === 'COPY' && !rest.startsWith('--from=')) {
      stage.copies.push(...rest.split(' ').slice(0, -1))
    } else if (word === 'ENV') Object.assign(stage.env, pairs(resolved(rest)))
    else if (word === 'USER') stage.user = rest
    else if (word === 'ENTRYPOINT') stage.entrypoint = JSON.parse(rest)
    else if (word === 'CMD') stage.command = JSON.parse(rest)
    else if (word === 'HEALTHCHECK') stage.healthcheck = JSON.parse(rest.replace(/^.*? CMD /, ''))
  }
  return { text, args, stages, last: stages.at(-1) as Stage }
}

// Returns a stage of a Containerfile before its first instruction.
function newStage(from: string): Stage {
  const nothing = { entrypoint: [], command: [], healthcheck: [] }
  return { from, copies: [], env: {}, user: '', ...nothing }
}

// Reads the NAME=value pairs of an ARG or ENV instruction.
function pairs(text: string): Record<string, string> {
  return Object.fromEntries(text.split(' ').map((pair) => pair.split('=') as [string, string]))
}

// Parses a systemd unit. Returns the last value of each key, and all values of each key.
export function unitFile(text: string) {
  const all: Record<string, string[]> = {}
  for (const [, key = '', value = ''] of text.matchAll(/^(\w+)=(.*)$/gm)) {
    all[key] = [...(all[key] ?? []), value]
  }
  const last = Object.fromEntries(Object.entries(all).map(([key, values]) => [key, values.at(-1)]))
  return { all, last }
}

// biome-ignore lint/suspicious/noExplicitAny: what Kubernetes allows is checked by Kubernetes
type Manifest = { kind: string; metadata: { name: string }; spec: any }

// Reads all Kubernetes manifests of a folder. The kustomization must name every file there.
export function manifests(folder: string): Manifest[] {
  const { resources } = parse(readFileSync(join(folder, 'kustomization.yml'), 'utf8'))
  const files = readdirSync(folder).filter((name) => name !== 'kustomization.yml')
  assert.deepEqual([...resources].sort(), files.sort())
  return files.flatMap((name) =>
    parseAllDocuments(readFileSync(join(folder, name), 'utf8')).map((each) => {
      assert.deepEqual(each.errors, [])
      return each.toJS() as Manifest
    }),
  )
}

// Returns the pod that a manifest describes, or undefined if it describes none.
export function podSpec({ spec }: Manifest) {
  if (!spec.template) return undefined
  const { metadata, spec: pod } = spec.template
  return { role: metadata.labels.role as string, labels: metadata.labels, spec: pod }
}
