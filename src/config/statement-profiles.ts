// CSV statement profiles: the ones that ship with Manilla and the operator's own. They are read at
// start, so that a wrong profile is noticed before the first statement.

import { type LoadedProfile, loadProfiles } from '#banks/statements/load-profiles.ts'
import { type Config, ConfigProblem } from './config.ts'

export type StatementProfiles = ReadonlyMap<string, LoadedProfile>

export function openProfiles(
  config: Pick<Config, 'banks' | 'statementProfiles'>,
): StatementProfiles {
  const { profiles, problems } = loadProfiles(config.statementProfiles)
  const unknown = config.banks.flatMap(({ code, statements }) => {
    const isKnown = statements?.profile === undefined || profiles.has(statements.profile)
    return isKnown ? [] : `Bank ${code}: there is no statement profile ${statements.profile}`
  })
  const found = [...problems, ...unknown]
  if (found.length > 0) throw new ConfigProblem(found)
  return profiles
}
