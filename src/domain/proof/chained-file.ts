// A file in which every line ends with a hash of itself and all lines before it. A changed, moved,
// added or removed line is detected and located.

import { hash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'

export const PARTIAL = '.partial'

export class ChainedFile {
  readonly #file: FileHandle
  #chain: string
  #lines = 0

  private constructor(file: FileHandle, name: string) {
    this.#file = file
    this.#chain = hash('sha256', name)
  }

  // Fails if the file exists: two exports never share a folder.
  static async create(path: string, name: string): Promise<ChainedFile> {
    return new ChainedFile(await open(`${path}${PARTIAL}`, 'wx', 0o600), name)
  }

  get lines(): number {
    return this.#lines
  }

  get chain(): string {
    return this.#chain
  }

  async append(bodies: readonly string[]): Promise<void> {
    let text = ''
    for (const body of bodies) {
      this.#chain = hash('sha256', `${this.#chain}${body}`)
      text += `${body.slice(0, -1)},"chain":"${this.#chain}"}\n`
    }
    await this.#file.appendFile(text)
    this.#lines += bodies.length
  }

  async close(): Promise<void> {
    await this.#file.sync()
    await this.#file.close()
  }

  async abandon(): Promise<void> {
    await this.#file.close()
  }
}
