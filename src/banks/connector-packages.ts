// Loads connectors that come in npm packages, named in the banks file. A package lies in a node_modules
// folder next to the banks file or above it, or in Manilla's own. Its package.json names the version of the
// kit that the package was written for ("manilla": {"kit": 1}). Its default export is a Connector, and it
// imports manilla/kit.
//
// A package's code runs with the service's rights, and the service trusts its results. The service catches
// its exceptions: if a connector throws while it sends a payout, the payout is `unknown`, as if the bank had
// not answered.

import { readFileSync } from 'node:fs'
import { createRequire, findPackageJSON, isBuiltin, registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Connector, ConnectorCalls } from './connector.ts'
import { isObject, objectIn } from './json-body.ts'

const KIT_VERSION = 1

const KIT = { specifier: 'manilla/kit', url: import.meta.resolve('#banks/kit.ts') }
const PACKAGE_NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/
const PACKAGE_NAME_MAX = 214
const CONNECTOR_NAME = /^[a-z][a-z0-9-]{1,29}$/
const REASON_MAX = 200

type Report = (problem: string) => void
type Surroundings = { folder: string; builtIn: readonly Connector[] } // `folder` contains the banks file.

// Loads the connector of a package. Returns undefined and reports the problem if the package has no usable
// connector.
export function loadConnector(
  name: unknown,
  { folder, builtIn }: Surroundings,
  report: Report,
): Connector | undefined {
  if (!isPackageName(name)) {
    report('connector.package must be the name of an npm package')
    return undefined
  }
  const reportFault = (problem: string) => report(`connector package "${name}" ${problem}`)
  // A file from which Node finds the package: one in the folder of the banks file, or else this one.
  const base = [join(folder, 'banks.json'), import.meta.filename].find((candidate) =>
    isInstalled(name, candidate),
  )
  if (base === undefined) {
    reportFault(`is not installed in ${join(folder, 'node_modules')} nor beside Manilla`)
    return undefined
  }
  if (!isForThisKit(name, base, reportFault)) return undefined
  try {
    return checkConnector(requireDefault(name, base), builtIn, reportFault)
  } catch (error) {
    reportFault(`cannot be loaded (${reasonOf(error)})`)
    return undefined
  }
}

// Returns whether the name may be that of an npm package. A path or a module of Node is refused, because it
// would load other code.
function isPackageName(name: unknown): name is string {
  const isName = typeof name === 'string' && name.length <= PACKAGE_NAME_MAX
  return isName && PACKAGE_NAME.test(name) && !isBuiltin(name)
}

// Returns whether Node finds the package when a file at `base` imports it.
function isInstalled(name: string, base: string): boolean {
  try {
    return findPackageJSON(name, pathToFileURL(base)) !== undefined
  } catch {
    return false
  }
}

// Checks the package's kit version before any of its code runs.
function isForThisKit(name: string, base: string, reportFault: Report): boolean {
  try {
    const path = findPackageJSON(name, pathToFileURL(base)) as string
    const { kit } = objectIn(objectIn(JSON.parse(readFileSync(path, 'utf8'))).manilla)
    if (kit === KIT_VERSION) return true
    reportFault(
      typeof kit === 'number'
        ? `is for kit ${kit}, and this Manilla has kit ${KIT_VERSION}`
        : `does not say for which kit it is: its package.json needs "manilla": {"kit": ${KIT_VERSION}}`,
    )
  } catch (error) {
    reportFault(`cannot be loaded (${reasonOf(error)})`)
  }
  return false
}

// Returns the default export of the package. While it loads, `manilla/kit` means our kit. Loads
// synchronously, because settings are read synchronously. The hook is removed before anything else is loaded.
function requireDefault(name: string, base: string): unknown {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (specifier === KIT.specifier) return { url: KIT.url, shortCircuit: true }
      if (specifier !== name) return next(specifier, context)
      // With this condition, Node also finds a package that exports an ES module only.
      return next(specifier, { ...context, conditions: [...context.conditions, 'import'] })
    },
  })
  try {
    const loaded: unknown = createRequire(base)(name)
    return isObject(loaded) && 'default' in loaded ? loaded.default : loaded
  } finally {
    hooks.deregister()
  }
}

// Checks the export of a package and returns the connector, wrapped for safety.
function checkConnector(
  value: unknown,
  builtIn: readonly Connector[],
  reportFault: Report,
): Connector | undefined {
  const { name, needsKnownSource, payoutScope, connect } = objectIn(value)
  const isNamed = typeof name === 'string' && CONNECTOR_NAME.test(name)
  const isScoped = payoutScope === undefined || typeof payoutScope === 'string'
  if (!isNamed || !isScoped || typeof needsKnownSource !== 'boolean' || !isFunction(connect)) {
    reportFault(
      'exports no connector: its default export needs name (lower-case letters, digits and hyphens), ' +
        'needsKnownSource (true or false) and connect (a function)',
    )
    return undefined
  }
  if (builtIn.some((connector) => connector.name === name)) {
    reportFault(`has the name "${name}", which a connector of Manilla has`)
    return undefined
  }
  return guardConnector(value as Connector)
}

// Wraps a connector so that it reports exceptions of `connect` instead of throwing them.
function guardConnector(connector: Connector): Connector {
  const { name, needsKnownSource, payoutScope } = connector
  return {
    name,
    needsKnownSource,
    ...(payoutScope !== undefined && { payoutScope }),
    connect(settings, bank) {
      try {
        const connection = connector.connect(settings, bank)
        if (connection === undefined) {
          if (!settings.hasProblems) settings.report(`connector ${name} returned no connection`)
          return undefined
        }
        const { authenticate, findFormat, nameEnquiry, calls } = objectIn(connection)
        const hasRequiredParts =
          isFunction(authenticate) && isFunction(findFormat) && isObject(nameEnquiry)
        if (hasRequiredParts && isObject(calls) && Object.values(calls).every(isFunction)) {
          return { ...connection, calls: guardCalls(calls as ConnectorCalls) }
        }
        settings.report(
          `connector ${name} returned no connection: it needs authenticate, findFormat, nameEnquiry ` +
            'and calls',
        )
      } catch (error) {
        settings.report(`connector ${name} failed (${reasonOf(error)})`)
      }
      return undefined
    },
  }
}

// Wraps each call so that an exception counts as no answer from the bank: `unknown` for a payout, which may
// have been made, else `no_answer`.
function guardCalls(calls: ConnectorCalls): ConnectorCalls {
  const entries = Object.entries(calls).map(([name, call]) => {
    const status = name === 'sendMoney' || name === 'findPayout' ? 'unknown' : 'no_answer'
    const guardedCall = async (...args: unknown[]) => {
      try {
        return await (call as (...args: unknown[]) => Promise<unknown>)(...args)
      } catch (error) {
        return { status, reason: `the connector failed: ${reasonOf(error)}` }
      }
    }
    return [name, guardedCall]
  })
  return Object.fromEntries(entries) as ConnectorCalls
}

function isFunction(value: unknown): value is (...args: never[]) => unknown {
  return typeof value === 'function'
}

// Returns the first line of an error message, shortened.
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return (message.split('\n', 1)[0] as string).slice(0, REASON_MAX)
}
