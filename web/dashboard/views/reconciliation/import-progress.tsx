// The progress of an import: bytes sent, then lines read.

import { bankStatementsStrings as strings } from '../../../copy.ts'
import { bytes, count } from '../../format.ts'
import type { Progress } from './importing.ts'

type Props = { file: File; progress: Progress }

export function ImportProgress({ file, progress: { sentBytes, record } }: Props) {
  const sent = Math.min(sentBytes, file.size)
  const lines = record ? count(record.lines) : undefined
  return (
    <div class="import-progress">
      <p>
        <code>{file.name}</code>
      </p>
      <progress aria-label={strings.progress} value={sent} max={Math.max(file.size, 1)} />
      <p class="muted small" aria-live="polite">
        {strings.sending(bytes(sent), bytes(file.size))}
        {lines && record?.state === 'reading' && ` · ${strings.reading(lines)}`}
        {lines && record?.state === 'matching' && ` · ${strings.matching(lines)}`}
      </p>
    </div>
  )
}
