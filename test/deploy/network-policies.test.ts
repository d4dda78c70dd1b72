// The pods of deploy/kubernetes are confined by network policies.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { manifests, podSpec } from './deploy-files.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

test('every pod has one network policy: reached at its port only, and reaching nothing private', () => {
  const all = manifests(join(ROOT, 'deploy/kubernetes'))
  const policies = all.filter(({ kind }) => kind === 'NetworkPolicy')
  const pods = all.flatMap((manifest) => podSpec(manifest) ?? [])
  type Expression = { key: string; values: string[] }
  type Rule = {
    to?: { ipBlock?: { cidr: string; except: string[] } }[]
    ports?: { port: unknown }[]
  }

  for (const { role, labels } of pods) {
    const own = policies.filter(({ spec }) =>
      spec.podSelector.matchExpressions.every(({ key, values }: Expression) =>
        values.includes((labels as Record<string, string>)[key] ?? ''),
      ),
    )
    assert.equal(own.length, 1, role)
    const {
      policyTypes,
      ingress = [],
      egress,
    } = (own[0] as NonNullable<(typeof own)[0]>).spec as Record<string, Rule[]>
    assert.deepEqual(policyTypes, ['Ingress', 'Egress'], role)
    const ports = ingress.flatMap((rule) => rule.ports?.map(({ port }) => port) ?? ['all'])
    assert.deepEqual(ports, role === 'migrate' ? [] : ['http'], role)
    const blocks = (egress ?? []).flatMap(({ to = [] }) => to.flatMap((each) => each.ipBlock ?? []))
    assert.equal(blocks.length, role === 'migrate' ? 0 : 2, role)
    const [internet] = blocks
    for (const range of ['10.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16']) {
      if (internet) assert(internet.except.includes(range), `${role} reaches ${range}`)
    }
    for (const { to, ports: open } of egress ?? []) assert(to ?? open, `${role} reaches anything`)
  }
  assert.match(read('deploy/kubernetes/kustomization.yml'), /network-policy\.yml/)
})
