// The CSV profiles that ship with Manilla (statement-profiles/), and an operator's own: a folder of
// files like them. An own profile replaces a shipped one of the same name.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type CsvProfile, readProfile } from './csv-profile.ts'

export type LoadedProfile = { profile: CsvProfile; isShipped: boolean }

const SHIPPED = join(import.meta.dirname, '../../../statement-profiles')
const FILE_BYTES_MAX = 65_536

// Without a folder, the shipped ones. Each problem is a sentence that names its file.
export function loadProfiles(folder?: string): {
  profiles: ReadonlyMap<string, LoadedProfile>
  problems: readonly string[]
} {
  const problems: string[] = []
  const profiles = new Map<string, LoadedProfile>()
  for (const profile of readFolder(SHIPPED, problems)) {
    profiles.set(profile.name, { profile, isShipped: true })
  }
  if (folder !== undefined) {
    for (const profile of readFolder(folder, problems)) {
      profiles.set(profile.name, { profile, isShipped: false })
    }
  }
  return { profiles, problems }
}

function readFolder(folder: string, problems: string[]): CsvProfile[] {
  let names: string[]
  try {
    names = readdirSync(folder).filter((name) => name.endsWith('.json'))
  } catch {
    problems.push(`The folder of statement profiles ${JSON.stringify(folder)} cannot be read.`)
    return []
  }
  return names.sort().flatMap((name) => {
    const read = readFile(join(folder, name))
    if ('profile' in read && `${read.profile.name}.json` === name) return [read.profile]
    const found = 'problems' in read ? read.problems : ['name must be that of the file.']
    problems.push(...found.map((problem) => `Statement profile ${name}: ${problem}`))
    return []
  })
}

function readFile(path: string) {
  try {
    if (statSync(path).size > FILE_BYTES_MAX) {
      return { problems: [`The file is larger than ${FILE_BYTES_MAX} bytes.`] }
    }
    return readProfile(JSON.parse(readFileSync(path, 'utf8').replace(/^\ufeff/, '')))
  } catch (error) {
    const isJson = error instanceof SyntaxError
    return { problems: [isJson ? 'The file is not JSON.' : 'The file cannot be read.'] }
  }
}
