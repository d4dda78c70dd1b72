// The texts of the pages, in the language of the build (scripts/build-web.ts).

export * from './copy/en.ts'

type Worded<Words> = Words extends string
  ? string
  : Words extends (...facts: infer Facts) => string
    ? (...facts: Facts) => string
    : { readonly [name in keyof Words]: Worded<Words[name]> }

// The type of all texts: a language that lacks one of the English texts does not compile.
export type Copy = Worded<typeof import('./copy/en.ts')>
export type Complete<Language extends Copy> = Language
