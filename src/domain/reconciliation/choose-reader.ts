// Chooses the format of a file: by the importer's preference, else by the bank's settings, else by the
// extension of the file name.

import type { CsvProfile } from '#banks/statements/csv-profile.ts'
import { STATEMENT_FORMATS, type StatementFormat } from '#banks/statements/statement.ts'
import type { StatementProfiles } from '#config/statement-profiles.ts'
import type { StatementSettings } from '#config/statement-settings.ts'
import { Refusal } from '#errors.ts'

const ENDINGS: Readonly<Record<string, StatementFormat>> = {
  csv: 'csv',
  txt: 'csv',
  xml: 'camt053',
  camt: 'camt053',
  camt053: 'camt053',
  sta: 'mt940',
  mt940: 'mt940',
  940: 'mt940',
}

export type Choice = {
  preference: { format?: StatementFormat | undefined; profile?: string | undefined }
  bank: StatementSettings
  fileName: string | null
  profiles: StatementProfiles
}

export type Reader = { format: StatementFormat; profile: CsvProfile | undefined }

export function chooseReader({ preference, bank, fileName, profiles }: Choice): Reader {
  const format =
    preference.format ??
    (preference.profile === undefined ? undefined : 'csv') ??
    bank.statements?.format ??
    (bank.statements?.profile === undefined ? undefined : 'csv') ??
    formatOf(fileName)
  if (!format) throw invalid('format', 'Is needed: camt053, mt940 or csv.')
  if (format !== 'csv') {
    if (preference.profile !== undefined) throw invalid('profile', 'Is for CSV only.')
    return { format, profile: undefined }
  }
  const name = preference.profile ?? bank.statements?.profile
  const names = `one of ${[...profiles.keys()].join(', ')}`
  if (name === undefined) throw invalid('profile', `Is needed for CSV: ${names}.`)
  const loaded = profiles.get(name)
  if (!loaded) throw invalid('profile', `Must be ${names}.`)
  return { format, profile: loaded.profile }
}

export function findFormat(text: string): StatementFormat | undefined {
  return STATEMENT_FORMATS.find((format) => format === text)
}

function formatOf(fileName: string | null): StatementFormat | undefined {
  const [, ending = ''] = /\.([a-z0-9]+)(?:\.gz)?$/i.exec(fileName ?? '') ?? []
  return ENDINGS[ending.toLowerCase()]
}

function invalid(field: string, message: string): Refusal {
  return new Refusal('invalid_request', [{ field, message }])
}
