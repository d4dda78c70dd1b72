import type { RefusalCode } from '#errors.ts'
export const OPERATION_ERRORS: Readonly<Record<string, readonly RefusalCode[]>> = {}
export function errorsOf({ operationId }: { operationId: string }): readonly RefusalCode[] {
  return OPERATION_ERRORS[operationId] ?? []
}
