// Remembers what was seen, without growing for ever: when it is full, it begins anew.

export class BoundedSet {
  readonly #most: number
  readonly #values = new Set<string>()

  constructor(most: number) {
    this.#most = most
  }

  has(value: string): boolean {
    return this.#values.has(value)
  }

  add(value: string): void {
    if (this.#values.has(value)) return
    if (this.#values.size >= this.#most) this.#values.clear()
    this.#values.add(value)
  }
}
