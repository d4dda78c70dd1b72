// Declares the driver's function that writes a value of a query. The driver's own types lack it.

declare module 'pg/lib/utils.js' {
  const utils: { prepareValue: (value: unknown) => string | Buffer | null }
  export default utils
}
