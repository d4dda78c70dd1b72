// Small file systems for the data and for the WAL, so that each can be full without filling the
// real disk: images on that disk, mounted through a loop device. This needs root and a system that
// permits it. Elsewhere the faults that need it are omitted, and the run says so.

import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const DATA_BYTES = 16 * 1024 ** 3 // Sparse: uses only the written blocks.
const WAL_BYTES = 512 * 1024 ** 2

type Volume = {
  path: string
  fill(): void
  free(): void
}

export type Volumes = Disposable & {
  data: Volume
  wal: Volume
  whyNotFull: string | undefined // The reason why a disk cannot be filled on this machine.
}

export function openVolumes(folder: string): Volumes {
  const mounted: string[] = []
  const problems: string[] = []
  const open = (name: string, bytes: number): Volume => {
    const path = join(folder, name)
    mkdirSync(path, { recursive: true, mode: 0o755 })
    const problem = mountImage({ path, image: `${path}.img`, bytes })
    if (problem) problems.push(problem)
    else mounted.push(path)
    return volumeAt(path)
  }
  const data = open('data', DATA_BYTES)
  const wal = open('wal', WAL_BYTES)
  const close = () => {
    for (const path of mounted) run('umount', ['--lazy', path])
    for (const path of mounted.splice(0)) rmSync(`${path}.img`, { force: true })
  }
  process.on('exit', close)
  return { data, wal, whyNotFull: problems[0], [Symbol.dispose]: close }
}

function mountImage(volume: { path: string; image: string; bytes: number }): string | undefined {
  const { path, image, bytes } = volume
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it takes root on Linux'
  writeFileSync(image, '')
  truncateSync(image, bytes)
  // No blocks are reserved for root, and there is no journal beyond the database's own.
  const problem =
    run('mkfs.ext4', ['-q', '-m', '0', '-E', 'lazy_itable_init=1,nodiscard', image]) ??
    run('mount', ['-o', 'loop', image, path])
  if (problem) rmSync(image, { force: true })
  return problem
}

function volumeAt(path: string): Volume {
  const filler = join(path, 'filler')
  return {
    path,
    // Fills to the last block. The first call may leave odd bytes that it cannot allocate at once.
    fill() {
      for (let unit = 1024 ** 2; unit >= 4096; unit /= 16) {
        const { bavail, bsize } = statfsSync(path)
        const bytes = Math.floor((bavail * bsize) / unit) * unit
        if (bytes > 0) run('fallocate', ['-l', `${bytes}`, `${filler}-${unit}`])
      }
    },
    free() {
      for (let unit = 1024 ** 2; unit >= 4096; unit /= 16) {
        rmSync(`${filler}-${unit}`, { force: true })
      }
    },
  }
}

// Returns the error output on failure.
function run(program: string, args: readonly string[]): string | undefined {
  const { status, error, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (status === 0) return undefined
  return `${program}: ${error?.message ?? stderr.trim().split('\n').at(-1)}`
}
