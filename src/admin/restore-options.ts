// The options that restore and verify share: a moment, a timeline, whole numbers.

import type { RecoveryTarget } from '#backup/plan-recovery.ts'
import { type Arguments, type Option, UsageProblem } from './command-line.ts'

// A zone is required, so that the time is unambiguous.
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)$/
const TIMELINE_MAX = 2 ** 31

export const FROM: Option = {
  name: 'from',
  value: 'folder',
  about: 'Folder of the backups. Default: MANILLA_BACKUP_DIR.',
}
export const AT: Option = {
  name: 'at',
  value: 'time',
  about: 'Up to this moment, such as 2026-11-16T10:00:00Z.',
}
export const TIMELINE: Option = {
  name: 'timeline',
  value: 'number',
  about: 'Timeline to follow. Default: the newest.',
}

export function readTarget(args: Arguments): RecoveryTarget {
  const at = args.text('at')
  const time = at === undefined ? undefined : new Date(at)
  if (at !== undefined && (!TIME.test(at) || Number.isNaN(time?.getTime()))) {
    throw new UsageProblem('--at must be a time with its zone, such as 2026-11-16T10:00:00Z.')
  }
  return { at: time, timeline: readWhole(args, 'timeline', TIMELINE_MAX) }
}

export function readWhole(args: Arguments, name: string, max: number): number | undefined {
  const text = args.text(name)
  if (text === undefined) return undefined
  if (/^[0-9]{1,10}$/.test(text) && Number(text) <= max) return Number(text)
  throw new UsageProblem(`--${name} must be a whole number up to ${max}.`)
}
