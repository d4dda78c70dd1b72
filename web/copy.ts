// The words of the pages, in the language that the build chooses (scripts/build-web.ts), and what
// makes a language complete.

export * from './copy/en.ts'

type Worded<Words> = Words extends string
  ? string
  : Words extends (...facts: infer Facts) => string
    ? (...facts: Facts) => string
    : { readonly [name in keyof Words]: Worded<Words[name]> }

// All that English says: a file of another language that lacks any of it does not compile.
export type Copy = Worded<typeof import('./copy/en.ts')>
export type Complete<Language extends Copy> = Language
