// Reads the settings and secrets of one bank in the banks file for its connector. Problems are reported in
// sentences and never quote a value, which may be a secret in the wrong place.

import { parseAddressRange } from '#ip-allowlist.ts'

type Report = (problem: string) => void
type Settings = Readonly<Record<string, unknown>>

// The settings of one bank, which its connector reads by name. A method `find…` returns undefined if the
// setting is absent, and `require…` then reports a problem. An invalid value is reported in any case.
export class ConnectorSettings {
  readonly #settings: Settings
  readonly #secrets: Readonly<Record<string, string>>
  readonly #report: Report
  // The names that the connector has asked for. Any other name in the banks file is a mistake.
  readonly #readNames = { settings: new Set<string>(), secrets: new Set<string>() }
  #problems = 0

  constructor(
    bank: {
      settings?: Settings | undefined
      secrets?: Readonly<Record<string, string>> | undefined
    },
    report: Report,
  ) {
    this.#settings = bank.settings ?? {}
    this.#secrets = bank.secrets ?? {}
    this.#report = report
  }

  get hasProblems(): boolean {
    return this.#problems > 0
  }

  report(problem: string): void {
    this.#problems++
    this.#report(problem)
  }

  requireText(name: string): string {
    const text = this.findText(name)
    if (text === undefined && this.#settings[name] === undefined) {
      this.report(`settings.${name} is missing`)
    }
    return text ?? ''
  }

  findText(name: string): string | undefined {
    const value = this.#read(name)
    if (value === undefined) return undefined
    if (typeof value === 'string' && value.trim() !== '' && value.length <= 500) return value
    this.report(`settings.${name} must be text of 1 to 500 characters`)
    return undefined
  }

  requireChoice<const T extends string>(name: string, choices: readonly T[]): T | undefined {
    const choice = this.findChoice(name, choices)
    if (this.#settings[name] === undefined) this.report(`settings.${name} is missing`)
    return choice
  }

  findChoice<const T extends string>(name: string, choices: readonly T[]): T | undefined {
    const value = this.#read(name)
    const choice = choices.find((allowed) => allowed === value)
    if (value !== undefined && !choice) {
      this.report(`settings.${name} must be one of: ${choices.join(', ')}`)
    }
    return choice
  }

  // Reads the URL of the bank's API. Our calls to it carry secrets, so live mode accepts only https.
  findUrl(name: string, mode: 'sandbox' | 'live'): string | undefined {
    const value = this.#read(name)
    if (value === undefined) return undefined
    const url = typeof value === 'string' ? URL.parse(value) : null
    const protocols = mode === 'live' ? ['https:'] : ['https:', 'http:']
    const isPlain = url !== null && url.search === '' && url.hash === '' && url.username === ''
    if (url && isPlain && protocols.includes(url.protocol)) return url.href.replace(/\/$/, '')
    const scheme = mode === 'live' ? 'an https' : 'an http or https'
    this.report(`settings.${name} must be ${scheme} URL without credentials or query`)
    return undefined
  }

  findWhole(name: string, bounds: { least: number; most: number }): number | undefined {
    const value = this.#read(name)
    if (value === undefined) return undefined
    const isWithin =
      Number.isInteger(value) &&
      (value as number) >= bounds.least &&
      (value as number) <= bounds.most
    if (isWithin) return value as number
    this.report(`settings.${name} must be a whole number from ${bounds.least} to ${bounds.most}`)
    return undefined
  }

  findRanges(name: string): readonly string[] | undefined {
    const value = this.#read(name)
    if (value === undefined) return undefined
    const texts = Array.isArray(value) ? value : []
    const ranges = texts.map((text) =>
      typeof text === 'string' ? parseAddressRange(text) : undefined,
    )
    if (ranges.length > 0 && ranges.every((range) => range !== undefined)) return ranges
    this.report(`settings.${name} must be a list of IP addresses or CIDR ranges`)
    return undefined
  }

  // Reads a setting that is an object. The caller checks its fields.
  findRecord(name: string): Settings | undefined {
    const value = this.#read(name)
    if (value === undefined) return undefined
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Settings
    this.report(`settings.${name} must be an object`)
    return undefined
  }

  requireSecret(name: string): string {
    const secret = this.findSecret(name)
    if (secret === undefined) {
      this.report(`secrets.${name} is missing: name the environment variable that holds it`)
    }
    return secret ?? ''
  }

  findSecret(name: string): string | undefined {
    this.#readNames.secrets.add(name)
    return this.#secrets[name]
  }

  // Reports settings that the connector did not read: a mistyped name would otherwise leave the default in
  // force.
  refuseUnknown(): void {
    for (const part of ['settings', 'secrets'] as const) {
      const values = part === 'settings' ? this.#settings : this.#secrets
      for (const name of Object.keys(values)) {
        if (this.#readNames[part].has(name)) continue
        const known = [...this.#readNames[part]].join(', ') || 'none'
        this.report(`${part} has unknown field ${JSON.stringify(name)}; allowed: ${known}`)
      }
    }
  }

  #read(name: string): unknown {
    this.#readNames.settings.add(name)
    return this.#settings[name]
  }
}
