// One entry of the tables of errors: HTTP status, NIP response code and message.

export function ref<const S extends number>(status: S, responseCode: string, message: string) {
  return { status, responseCode, message }
}
