// Collects the findings of a fuzzing run: each fault of each operation once, with the seed and episode that
// replay it.

const ENOUGH = 25
const VARIABLE = /[0-9a-f-]{8,}/g

export class Findings {
  readonly #byKey = new Map<string, string>()

  // Notes a fault, unless the same fault was noted for the same address before. Faults that differ only in an
  // id are the same.
  note(where: string, fault: string): void {
    const [line = ''] = fault.split('\n')
    const [, address = ''] = / (?:GET|POST|PUT|PATCH|DELETE) ([^ ?]+)/.exec(fault) ?? []
    const key = `${line} ${address}`.replaceAll(VARIABLE, '…')
    if (this.#byKey.has(key)) return
    this.#byKey.set(key, `${where}: ${fault}`)
    console.error(`  FOUND ${where}: ${fault}`)
  }

  get count(): number {
    return this.#byKey.size
  }

  // The run ends early if there are so many findings that more would not help.
  get areEnough(): boolean {
    return this.#byKey.size >= ENOUGH
  }

  lines(): string[] {
    return [...this.#byKey.values()]
  }
}
