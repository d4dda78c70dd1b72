// Small file systems for the data and for the WAL, so that a disk can be full without filling the machine's
// real one. Each is an image file mounted through a loop device, for which Linux needs root. Elsewhere the
// faults that fill a disk are skipped, and the run says so.

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

// Mounts two small volumes that faults can fill, for the database's data and its log. They are unmounted and
// deleted at the end, also if the process exits early. `whyNotFull` is the reason why they could not be
// mounted, and so not filled.
export function openVolumes(folder: string): Volumes {
  const mounted: string[] = []
  const problems: string[] = []
  // Mounts one volume. If the mount fails, keeps the reason, and uses the plain folder.
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
  // Runs when the volumes are disposed of, and at the exit of the process. Only the first run has work.
  const unmountAll = () => {
    for (const path of mounted) run('umount', ['--lazy', path])
    for (const path of mounted.splice(0)) rmSync(`${path}.img`, { force: true })
  }
  process.on('exit', unmountAll)
  return { data, wal, whyNotFull: problems[0], [Symbol.dispose]: unmountAll }
}

// Returns the problem if the volume cannot be mounted; then its folder is used on the real disk.
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

// Returns the volume at this path. A fault fills it with files that occupy its free space.
function volumeAt(path: string): Volume {
  const filler = join(path, 'filler')
  return {
    path,
    // Fills to the last block, in ever smaller units: the first call may leave space that it could not
    // allocate in one piece.
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

// Runs a program. Returns undefined on success, and its name with the error on failure.
function run(program: string, args: readonly string[]): string | undefined {
  const { status, error, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (status === 0) return undefined
  return `${program}: ${error?.message ?? stderr.trim().split('\n').at(-1)}`
}
