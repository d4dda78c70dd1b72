// Findings: each fault of each operation once, with the place to replay it.

const ENOUGH = 25
const VARIABLE = /[0-9a-f-]{8,}/g

export class Findings {
  readonly #found = new Map<string, string>()

  note(where: string, fault: string): void {
    const [line = ''] = fault.split('\n')
    const [, address = ''] = / (?:GET|POST|PUT|PATCH|DELETE) ([^ ?]+)/.exec(fault) ?? []
    const key = `${line} ${address}`.replaceAll(VARIABLE, '…')
    if (this.#found.has(key)) return
    this.#found.set(key, `${where}: ${fault}`)
    console.error(`  FOUND ${where}: ${fault}`)
  }

  get count(): number {
    return this.#found.size
  }

  get areEnough(): boolean {
    return this.#found.size >= ENOUGH
  }

  lines(): string[] {
    return [...this.#found.values()]
  }
}
