// One entry of the tables of errors: its HTTP status, its NIP response code, and what it says.

export function ref<const S extends number>(status: S, responseCode: string, message: string) {
  return { status, responseCode, message }
}
