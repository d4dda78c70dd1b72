// Inspects another process: its parent and its arguments. Uses /proc on Linux and ps elsewhere.

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'

export type Process = {
  parentPid: number
  // Exact arguments from /proc. ps joins them with spaces, so they are split at spaces.
  args: string[]
  // Device and inode of its working folder, if the system provides them.
  folder: string | undefined
}

// Undefined if no such process runs. A zombie does not run.
export function findProcess(pid: number): Process | undefined {
  return existsSync('/proc/self/stat') ? fromProc(pid) : fromPs(pid)
}

function fromProc(pid: number): Process | undefined {
  try {
    const cmdline = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    if (!cmdline) return undefined
    // The name, in parentheses, may contain spaces and parentheses.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { parentPid: Number(parent), args: cmdline.split('\0'), folder: workingFolder(pid) }
  } catch {
    return undefined
  }
}

function workingFolder(pid: number): string | undefined {
  try {
    return folderId(`/proc/${pid}/cwd`)
  } catch {
    return undefined
  }
}

function fromPs(pid: number): Process | undefined {
  const ps = spawnSync('ps', [
    '-ww',
    '-o',
    'ppid=',
    '-o',
    'stat=',
    '-o',
    'command=',
    '-p',
    `${pid}`,
  ])
  const [parent, state, ...args] = ps.stdout?.toString().trim().split(/\s+/) ?? []
  if (!parent || state?.startsWith('Z')) return undefined
  return { parentPid: Number(parent), args, folder: undefined }
}

// Identifies a folder even if it is moved or mounted elsewhere.
export function folderId(path: string): string {
  const { dev, ino } = statSync(path)
  return `${dev}:${ino}`
}
