// Samples the memory of the service during a fuzzing run, from its own /metrics. Memory counts as bounded
// if its median in the last quarter of the run is at most a third above that in the second quarter.

const SAMPLE_EVERY = 500
const GROWTH_MAX = 1.33
const SAMPLES_MIN = 20
const MB = 1024 * 1024

export class Memory {
  readonly #address: string
  readonly #samplesMb: number[] = []
  #next = 0

  constructor(address: string) {
    this.#address = address
  }

  // Takes a sample if 500 requests were sent since the last one.
  async sampleAfter(requests: number): Promise<void> {
    if (requests < this.#next) return
    this.#next = requests + SAMPLE_EVERY
    const text = await fetch(`${this.#address}/metrics`).then(
      (answer) => answer.text(),
      () => '',
    )
    const [, bytes] = /^process_resident_memory_bytes ([0-9.e+]+)$/m.exec(text) ?? []
    if (bytes) this.#samplesMb.push(Number(bytes) / MB)
  }

  last = () => `${(this.#samplesMb.at(-1) ?? 0).toFixed(0)} MB`

  summary(): string {
    const parts = [1, 2, 3, 4].map((quarter) => `${this.#quarter(quarter).toFixed(0)} MB`)
    return `memory (RSS), medians of the quarters: ${parts.join(', ')}`
  }

  problems(): string[] {
    if (this.#samplesMb.length < SAMPLES_MIN) return []
    const isBounded = this.#quarter(4) <= this.#quarter(2) * GROWTH_MAX
    return isBounded ? [] : [`it grows: ${this.summary()}`]
  }

  // Returns the median of a quarter of the samples, in MB.
  #quarter(number: number): number {
    const size = this.#samplesMb.length / 4
    const part = this.#samplesMb.slice(Math.floor(size * (number - 1)), Math.ceil(size * number))
    return part.sort((one, other) => one - other)[Math.floor(part.length / 2)] ?? 0
  }
}
