// What Vite makes of a style sheet that is imported: a file beside the script.

declare module '*.css'

// The same, not imported with the script: only where it is.
declare module '*.css?url' {
  const path: string
  export default path
}
