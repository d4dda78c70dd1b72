// The rules of how this code is written. Each is a function that returns the faults of one file, so that
// the rules themselves can be tested. Lengths of functions follow from the indentation, which the formatter
// guarantees.

export type Source = { readonly path: string; readonly text: string }
export type Rule = (file: Source) => string[]

const LINES_MAX = 600
const COLUMNS_MAX = 110 // The formatter breaks at 100; sentences and names of tests may run a little over.
const FUNCTION_LINES_MAX = 70
const PARAMETERS_MAX = 5
const OUR_CODE =
  /^(?:src|test|scripts|bench|fuzz|torture|tools|fake-bank|web|sdk|cli)\/.*\.(?:tsx?|mjs|css)$/
const VAGUE_NAMES = ['index', 'utils', 'helpers', 'common', 'types', 'service', 'manager']

type Ban = { pattern: RegExp; where: RegExp; except?: RegExp; why: string; inComments?: boolean }

// Banned words are written here in two halves, so that this file does not break its own rules.
const BANS: readonly Ban[] = [
  {
    pattern: /\bprocess\.env\b/,
    where: /^src\//,
    except: /^src\/config\/config\.ts$/,
    why: 'settings are read in src/config/config.ts only',
  },
  {
    pattern: /\bDate\.now\b|\bnew Date\(\)|\bnew Date\b(?!\()/,
    where: /^(?:src|fake-bank)\//,
    except: /^src\/clock\.ts$/,
    why: 'the clock is read in src/clock.ts only; be given `now`',
  },
  {
    // Times at which a wait ends. Webhooks correct their whole schedule (src/webhooks/claims.ts), and the
    // others compare a test clock, a promise or a measure.
    pattern: new RegExp(
      '\\b(?:next_(?:attempt|query|enquiry|due)_at|send_after|retry_at|due_at|retryAt|sendAfter|' +
        'nextQueryAt|(?:leased|claimed|paused)(?:_u|U)ntil) *(?:[<>]|between\\b)',
    ),
    where: /^src\//,
    except:
      /^src\/(?:webhooks|sandbox|cases)\/|^src\/(?:reports\/figures|workers\/move-clock)\.ts$/,
    why: 'a wrong clock may have written this time; use src/db/due.ts',
  },
  {
    pattern: /\bparseFloat\(|\.toFixed\(/,
    where: /^(?:src|fake-bank)\//,
    why: 'money is kobo in bigint, never a fraction',
  },
  {
    pattern: /\b(?:insert\s+into|update|delete\s+from|truncate|copy)\s+(?:\w+\.)?transfers\b/i,
    where: /^src\//,
    except: /^src\/ledger\//,
    why: 'only src/ledger/ moves money',
  },
  {
    pattern: /CopyTarget\b[^(]*\(\s*['"`]transfers\b/,
    where: /^src\//,
    except: /^src\/ledger\//,
    why: 'only src/ledger/ moves money',
  },
  {
    pattern: /^\s*(?:export\s+)?(?:declare\s+)?(?:const\s+)?enum\s+\w/m,
    where: /\.ts$/,
    why: 'use a union of strings: an enum does not run without a compiler',
  },
  {
    pattern: /\b(?:dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML)\b/,
    where: /^web\//,
    why: 'text becomes a page through Preact only, which escapes it',
  },
  {
    pattern: new RegExp(`\\b(?:${['TO' + 'DO', 'FIX' + 'ME', 'X'.repeat(3)].join('|')})\\b`),
    where: /^(?:src|test|db|scripts|bench|fuzz|torture|fake-bank|docs|web|sdk|cli)\/|^[^/]+\.md$/,
    why: 'do it, or open an issue',
    inComments: true,
  },
  {
    pattern: /\.(?:skip|only|todo)\(|\{\s*(?:skip|only|todo)\s*:/,
    where: /^test\/.*\.ts$/,
    why: 'every test runs, always',
  },
  {
    pattern: /^(?:test\.)?(?:before|after)(?:Each)?\(/m,
    where: /^test\/.*\.ts$/,
    except: /^test\/support\/(?:closing|database)\.ts$/,
    why: 'a hook would be one of all files that share its process; use closeAfterTests',
  },
  {
    pattern: /\bwithTransaction\(/,
    where: /^src\/[a-z-]+\/(?:[a-z-]+-)?routes\.ts$/,
    // Banks, payers and people who sign in have no session; bank answers are kept whoever is gone.
    except:
      /^src\/(?:access\/(?:login|sign-in|user)|accounts\/number|credits\/rail\S*|requery\/)-?routes/,
    why: 'a write checks its caller: use withCaller (I222)',
  },
]

// Reports each match of a banned pattern, at its first character that is not a blank.
export const bans: Rule = ({ path, text }) =>
  BANS.flatMap(({ pattern, where, except, why, inComments }) => {
    if (!where.test(path) || except?.test(path)) return []
    const everywhere = new RegExp(pattern.source, `g${pattern.flags}`)
    const matches = (inComments ? text : code(text)).matchAll(everywhere)
    return [...matches].map((match) => {
      const blanks = match[0].length - match[0].trimStart().length
      return `${path}:${lineAt(text, match.index + blanks)}: ${match[0].trim()}: ${why}`
    })
  })

// A hook, parser or decorator of a routes file applies to all routes of the service, unless the file has a
// scope of its own.
export const scopes: Rule = ({ path, text }) => {
  if (!/^src\/[a-z-]+\/(?:[a-z-]+-)?routes\.ts$/.test(path) || /\bscoped\(/.test(text)) return []
  const adds = /\.(?:(?:add|removeAll)ContentTypeParsers?|decorate\w*|addHook\('(?!preClose))\b/
  const match = adds.exec(code(text))
  return match ? [`${path}:${lineAt(text, match.index)}: ${match[0]} without scoped()`] : []
}

const GENERATED = 'sdk/src/api-types.ts'
// The texts of a language are in one file however long it is, because a translator reads it from top to
// bottom (docs/translating.md).
const CATALOGUE = /^web\/copy\/([a-z0-9-]+)\.ts$/

// Reports lines and files that are too long.
export const size: Rule = ({ path, text }) => {
  if (path === GENERATED) return []
  if (!OUR_CODE.test(path) && !/^db\/(?:mig|fun)\w+\/.*\.sql$/.test(path)) return []
  const lines = text.replace(/\n$/, '').split('\n')
  const wide = lines.flatMap((line, at) =>
    [...line].length > COLUMNS_MAX ? [`${path}:${at + 1}: wider than ${COLUMNS_MAX} columns`] : [],
  )
  const long = `${path}:${lines.length}: longer than ${LINES_MAX} lines; split it by noun`
  return lines.length > LINES_MAX && !CATALOGUE.test(path) ? [...wide, long] : wide
}

// A language's file must export this type, so that the compiler reports the texts that it lacks.
export const languages: Rule = ({ path, text }) => {
  const [, tag] = CATALOGUE.exec(path) ?? []
  if (
    tag === undefined ||
    tag === 'en' ||
    text.includes(`Complete<typeof import('./${tag}.ts')>`)
  ) {
    return []
  }
  return [
    `${path}:1: export type Language = Complete<typeof import('./${tag}.ts')>, from ../copy.ts`,
  ]
}

// Finds functions that are too long. A body opens on a line that ends in `{` and closes on the next line
// with the same indentation that starts with `}`. If that line also ends in `{`, it closes a signature,
// whose lines are not counted.
export const functionLength: Rule = ({ path, text }) => {
  if (!/\.(?:tsx?|mjs)$/.test(path)) return []
  const lines = text.split('\n')
  return lines.flatMap((line, opened) => {
    if (!opensBody(line)) return []
    const edges = lines.flatMap((other, at) =>
      at > opened && /^\s*\}/.test(other) && indentOf(other) === indentOf(line) ? [at] : [],
    )
    const closed = edges.find((at) => !lines[at]?.endsWith('{')) ?? lines.length
    const start = edges.findLast((at) => at < closed) ?? opened
    const length = closed - start - 1
    if (length <= FUNCTION_LINES_MAX) return []
    return [`${path}:${start + 1}: a function of ${length} lines, at most ${FUNCTION_LINES_MAX}`]
  })
}

// Whether the line opens the body of a function, an arrow function or a method.
function opensBody(line: string): boolean {
  if (!line.endsWith('{')) return false
  if (/\bfunction\b|=> \{$|^\s*\)/.test(line)) return true
  const method = /^\s+(?:(?:async|static|get|set|override|private|public) )*[#\w[\].]+\(.*\).*\{$/
  return method.test(line) && !/^\s+(?:if|for|while|switch|catch|with)\b/.test(line)
}

// Counts the parameters of functions, arrows, methods and their types: a list in parentheses before
// a body or an arrow.
export const parameters: Rule = ({ path, text }) => {
  if (!/^(?:src|fake-bank|web|sdk|cli)\/.*\.tsx?$/.test(path)) return []
  const plain = code(text).replace(/`[^`]*`|'[^'\n]*'/g, (text) => text.replace(/\S/g, ' '))
  return [...plain.matchAll(/\(/g)].flatMap(({ index }) => {
    const [count, past] = countList(plain, index + 1)
    if (count <= PARAMETERS_MAX || !isSignature(plain.slice(0, index), plain.slice(past))) return []
    const most = `at most ${PARAMETERS_MAX}, or one object`
    return [`${path}:${lineAt(text, index)}: a function of ${count} parameters, ${most}`]
  })
}

// Counts the entries of a list in parentheses that begins at `start`, ignoring commas inside brackets and
// types. Returns the count and the position after the closing parenthesis.
function countList(text: string, start: number): [count: number, past: number] {
  let [depth, angles, count, isOpen] = [0, 0, 0, false]
  for (let at = start; at < text.length; at++) {
    const mark = text[at] as string
    if (mark === ')' && depth === 0) return [isOpen ? count + 1 : count, at + 1]
    if ('([{'.includes(mark)) depth++
    else if (')]}'.includes(mark)) depth--
    else if (mark === '<' && /\w/.test(text[at - 1] as string)) angles++
    else if (mark === '>' && angles > 0 && text[at - 1] !== '=') angles--
    if (mark === ',' && depth === 0 && angles === 0) {
      count++
      isOpen = false
    } else if (/\S/.test(mark)) isOpen = true
  }
  return [0, text.length]
}

// Decides from the text before and after a list in parentheses whether the list is the parameters of a
// function.
function isSignature(before: string, after: string): boolean {
  if (/^(?:: [^=;(\n]*)? =>/.test(after)) return true
  if (/\bfunction\b *\w*(?:<[^()]*>)?$/.test(before)) return true
  const method = /\n {2}(?:(?:async|static|override) )*#?\w+(?:<[^()]*>)?$/.test(before)
  return method && /^(?:: [^\n]*)? \{\n/.test(after)
}

// Requires that every file of ours begins with a comment.
export const opening: Rule = ({ path, text }) => {
  const mark = OUR_CODE.test(path)
    ? /^(?:#!.*\n)?(?:\/\/ |\/\*)/
    : /^db\/(?:migrations|functions)\/.*\.sql$/.test(path) && /^-- /
  return mark && !mark.test(text) ? [`${path}:1: opens with a comment that says its purpose`] : []
}

// Requires the shape of file names, and refuses names that say nothing.
export const names: Rule = ({ path }) => {
  const file = path.split('/').at(-1) as string
  const [stem = ''] = file.split('.')
  if (/^db\/migrations\//.test(path)) return fault(/^\d{4}_[a-z0-9_]+\.sql$/, 'NNNN_noun.sql')
  if (/^db\/functions\//.test(path)) return fault(/^[a-z0-9_]+\.sql$/, 'name_of_function.sql')
  if (!/^(?:src|test|scripts|bench|fuzz|torture|tools|fake-bank|web|sdk|cli)\//.test(path))
    return []
  if (file === 'README.md') return []
  if (VAGUE_NAMES.includes(stem)) return [`${path}:1: ${stem} says nothing; name it by its noun`]
  return fault(/^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+)+$/, 'kebab-case')

  function fault(right: RegExp, shape: string): string[] {
    return right.test(file) ? [] : [`${path}:1: file names are ${shape}`]
  }
}

// No file may name a folder that exists on one machine only, or the registry from which npm installs packages
// there: on other machines both are missing.
export const elsewhere: Rule = ({ path, text }) => {
  const lines = text.split('\n')
  const machine = /(?<![\w.~-])\/(?:work|home|root|Users)\/|\bregistry\.[\w-]+\.\w|\b_authToken\b/
  const registry = /^\s*(?:@[\w-]+:)?registry\s*=/
  return lines.flatMap((line, at) => {
    if (machine.test(line)) return [`${path}:${at + 1}: names a path or registry of one machine`]
    if (path.endsWith('.npmrc') && registry.test(line))
      return [`${path}:${at + 1}: fixes a registry`]
    if (path.endsWith('package-lock.json') && /"resolved":\s*"https?:/.test(line)) {
      return [`${path}:${at + 1}: pins where a package was fetched from`]
    }
    return []
  })
}

// Paths with a placeholder in them (`src/<folder>/…`, `test/**`) are descriptions, not references.
export function pathsInDocs(exists: (path: string) => boolean): Rule {
  return ({ path, text }) => {
    if (!/^(?:docs\/.*|README|ARCHITECTURE)\.md$/.test(path)) return []
    return [...text.matchAll(/`((?:src|db|test)\/[^`\s]*)`/g)].flatMap((match) => {
      const target = (match[1] as string).replace(/:\d+$|#.*$/, '')
      if (/[<>*{}…]|NNNN/.test(target) || exists(target)) return []
      return [`${path}:${lineAt(text, match.index)}: \`${target}\` does not exist`]
    })
  }
}

// Every invariant of docs/invariants.md must name a test file. Its rows are: | id | statement | enforced by
// | test |
export const invariantsAreTested: Rule = ({ path, text }) => {
  if (path !== 'docs/invariants.md') return []
  return text.split('\n').flatMap((line, at) => {
    if (!/^\|\s*\**I\d+/.test(line)) return []
    const cells = line
      .replaceAll('\\|', '')
      .replace(/\|\s*$/, '')
      .split('|')
    return /`test\/[^`]+\.ts`/.test(cells.at(-1) ?? '')
      ? []
      : [`${path}:${at + 1}: an invariant without a test that guards it`]
  })
}

// Returns the text with blanks in place of its comments, so that every line keeps its number. Only comments
// that stand alone or after a blank are removed, so that addresses and globs inside strings survive.
export function code(text: string): string {
  const blank = (comment: string) => comment.replace(/[^\n]/g, ' ')
  return text
    .replace(/^[ \t]*\/\*[\s\S]*?\*\//gm, blank)
    .replace(/(?<=^|[ \t])\/\/(?: .*)?$/gm, blank)
}

export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}
