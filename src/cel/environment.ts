import type { FunctionDeclaration, StructDeclaration } from './declarations.ts'
import { AUTHZ } from './libraries/authz.ts'
import { AUTHZ_SELECTORS } from './libraries/authz-selectors.ts'
import { CIDR } from './libraries/cidr.ts'
import { EXTENDED_LISTS } from './libraries/extended-lists.ts'
import { FORMAT } from './libraries/format.ts'
import { IP } from './libraries/ip.ts'
import { LISTS } from './libraries/lists.ts'
import { OPTIONALS } from './libraries/optionals.ts'
import { QUANTITY } from './libraries/quantity.ts'
import { REGEX } from './libraries/regex.ts'
import { SEMVER } from './libraries/semver.ts'
import { SETS } from './libraries/sets.ts'
import { STANDARD, STANDARD_WITHOUT_CROSS_TYPES } from './libraries/standard.ts'
import { OLD_STRINGS, STRINGS } from './libraries/strings.ts'
import { TWO_VARIABLE_LOOPS } from './libraries/two-variable-loops.ts'
import { URLS } from './libraries/urls.ts'
import { LIST_MACROS, type Macros, OPTIONAL_MACROS, STANDARD_MACROS, TWO_VARIABLE_MACROS } from './macros.ts'
import { PROTOBUF_CONSTANTS, protobufStruct } from './protobuf/messages.ts'
import { parseType, type Type, typeOf } from './type.ts'
import type { Int } from './values/value.ts'

/** What an expression may speak of. */
export interface Environment {
  readonly macros: Macros
  readonly functions: ReadonlyMap<string, FunctionDeclaration>
  readonly variables: ReadonlyMap<string, Type>
  /** Names of types that are values. */
  readonly types: ReadonlyMap<string, Type>
  readonly struct: (name: string) => StructDeclaration | undefined
  /** Numbers that have names. */
  readonly constants: ReadonlyMap<string, Int>
}

/** What one release of Kubernetes added to the base environment. */
interface Addition {
  /** Minor version of the release that has it first. */
  readonly since: number
  /** The first that has something else in its place. */
  readonly until?: number
  readonly functions: readonly FunctionDeclaration[]
  readonly macros?: Macros
  readonly types?: readonly string[]
}

/** Types of the language that are values by their names: `type(x) == string`. */
const STANDARD_TYPES = ['bool', 'bytes', 'double', 'duration', 'int', 'list(A)', 'map(A, B)', 'null', 'string', 'timestamp', 'type', 'uint']

/** In the order in which the API server adds them: signatures are tried in this order. */
const ADDITIONS: readonly Addition[] = [
  { since: 0, until: 28, functions: STANDARD_WITHOUT_CROSS_TYPES, macros: STANDARD_MACROS, types: STANDARD_TYPES },
  { since: 28, functions: STANDARD, macros: STANDARD_MACROS, types: STANDARD_TYPES },
  { since: 0, functions: URLS },
  { since: 0, functions: REGEX },
  { since: 0, functions: LISTS },
  { since: 27, functions: AUTHZ },
  { since: 28, functions: OPTIONALS, macros: OPTIONAL_MACROS, types: ['optional_type(V)'] },
  { since: 28, functions: QUANTITY },
  { since: 0, until: 29, functions: OLD_STRINGS },
  { since: 29, functions: STRINGS },
  { since: 29, functions: SETS },
  { since: 30, functions: IP, types: ['net.IP'] },
  { since: 30, functions: CIDR, types: ['net.CIDR'] },
  { since: 31, functions: FORMAT },
  { since: 31, functions: AUTHZ_SELECTORS },
  { since: 32, functions: TWO_VARIABLE_LOOPS, macros: TWO_VARIABLE_MACROS },
  { since: 33, functions: SEMVER },
  { since: 34, functions: EXTENDED_LISTS, macros: LIST_MACROS },
]

/** Stands for a release that has every addition: what is stored was accepted by some release, and stays acceptable. */
export const EVERY_RELEASE = Number.POSITIVE_INFINITY

/** By name, with the signatures of all declarations of a name in their order. */
function byName(declarations: readonly FunctionDeclaration[]): Map<string, FunctionDeclaration> {
  const functions = new Map<string, FunctionDeclaration>()
  for (const { name, overloads } of declarations) {
    functions.set(name, { name, overloads: [...(functions.get(name)?.overloads ?? []), ...overloads] })
  }
  return functions
}

/**
 * Functions, macros and types that every use of expressions has, without variables. Made once for each release.
 * @param minor of the oldest release 1.x that must understand the expression too; 28 and later are distinguished as the API server distinguishes them.
 */
export function baseEnvironment(minor: number): Environment {
  let environment = bases.get(minor)
  if (environment === undefined) {
    environment = makeBase(minor)
    bases.set(minor, environment)
  }
  return environment
}

/** By minor version. Environments never change. */
const bases = new Map<number, Environment>()

/** An expression that is stored runs in the environment of every release, one that is new in that of the oldest server it may meet. */
function makeBase(minor: number): Environment {
  const additions = ADDITIONS.filter(({ since, until }) => since <= minor && (until === undefined || minor < until))
  const types = additions.flatMap(addition => addition.types ?? []).map(parseType)
  return {
    macros: new Map(additions.flatMap(({ macros }) => [...(macros ?? [])])),
    functions: byName(additions.flatMap(addition => addition.functions)),
    variables: new Map(),
    types: new Map(types.map(type => [type.name, typeOf(type)])),
    struct: protobufStruct,
    constants: PROTOBUF_CONSTANTS,
  }
}

/** The environment with more variables, and with structs that are looked up before those it has. */
export function extend(base: Environment, variables: Readonly<Record<string, Type>>, struct: Environment['struct'] = () => undefined): Environment {
  return {
    ...base,
    variables: new Map([...base.variables, ...Object.entries(variables)]),
    struct: name => struct(name) ?? base.struct(name),
  }
}

/** The environment with more functions, or more signatures of those it has, and with more macros. */
export const withLibrary = (base: Environment, functions: readonly FunctionDeclaration[], macros: Macros): Environment => ({
  ...base,
  functions: functions.length === 0 ? base.functions : byName([...base.functions.values(), ...functions]),
  macros: new Map([...base.macros, ...macros]),
})

/** A struct whose fields are known, by their types in the notation of declarations. */
export function structWith(fields: Readonly<Record<string, string>>): StructDeclaration {
  const types = new Map(Object.entries(fields).map(([name, type]) => [name, parseType(type)]))
  return { fieldType: name => types.get(name) }
}
