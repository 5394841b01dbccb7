import type { FunctionDeclaration, StructDeclaration } from './declarations.ts'
import type { Implementation } from './functions/implementation.ts'
import { AUTHZ } from './libraries/authz.ts'
import { AUTHZ_SELECTORS } from './libraries/authz-selectors.ts'
import { CIDR } from './libraries/cidr.ts'
import { EXTENDED_LISTS } from './libraries/extended-lists.ts'
import { FORMAT } from './libraries/format.ts'
import { IP } from './libraries/ip.ts'
import { INCLUDES, LISTS } from './libraries/lists.ts'
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
import { parseType, type Type, typeTypeOf } from './type.ts'
import type { Int } from './values/value.ts'

/** Declarations that an expression may refer to. */
export interface Environment {
  readonly macros: Macros
  readonly functions: ReadonlyMap<string, FunctionDeclaration>
  readonly variables: ReadonlyMap<string, Type>
  /** Names of types, which are values in expressions. */
  readonly types: ReadonlyMap<string, Type>
  readonly struct: (name: string) => StructDeclaration | undefined
  /** Named integer constants. */
  readonly constants: ReadonlyMap<string, Int>
  /** Optional. Implementations of functions that only this environment has, by signature. */
  readonly implementations?: ReadonlyMap<string, Implementation>
}

/** Declarations that a release of Kubernetes added to the base environment. */
interface Addition {
  /** First minor version that has it. */
  readonly since: number
  /** Optional. First minor version that has a replacement instead. */
  readonly until?: number
  readonly functions: readonly FunctionDeclaration[]
  readonly macros?: Macros
  readonly types?: readonly string[]
}

/** Types that expressions can name as values: `type(x) == string`. */
const STANDARD_TYPES = ['bool', 'bytes', 'double', 'duration', 'int', 'list(A)', 'map(A, B)', 'null', 'string', 'timestamp', 'type', 'uint']

/** Additions in the API server's order, which is the order in which overloads are tried. */
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
  { since: 37, functions: INCLUDES },
]

/** Pseudo version that has every addition. Stored expressions run with it, because some release has accepted them. */
export const EVERY_RELEASE = Number.POSITIVE_INFINITY

/** Indexes declarations by name. The overloads of several declarations of one name are joined in order. */
function indexFunctions(declarations: readonly FunctionDeclaration[]): Map<string, FunctionDeclaration> {
  const byName = new Map<string, FunctionDeclaration>()
  for (const { name, overloads } of declarations) {
    byName.set(name, { name, overloads: [...(byName.get(name)?.overloads ?? []), ...overloads] })
  }
  return byName
}

/**
 * Returns the functions, macros and types of every expression, without variables. Environments are cached per release
 * and never change.
 * @param minor minor version of the oldest release that must be able to run the expression. 28 and later are
 * distinguished, as in the API server.
 */
export function baseEnvironment(minor: number): Environment {
  let environment = bases.get(minor)
  if (environment === undefined) {
    environment = makeBase(minor)
    bases.set(minor, environment)
  }
  return environment
}

/** Base environments by minor version. */
const bases = new Map<number, Environment>()

/**
 * Builds a base environment. Stored expressions use the declarations of every release, new ones those of the oldest
 * server that may evaluate them.
 */
function makeBase(minor: number): Environment {
  const additions = ADDITIONS.filter(({ since, until }) => since <= minor && (until === undefined || minor < until))
  const types = additions.flatMap(addition => addition.types ?? []).map(parseType)
  return {
    macros: new Map(additions.flatMap(({ macros }) => [...(macros ?? [])])),
    functions: indexFunctions(additions.flatMap(addition => addition.functions)),
    variables: new Map(),
    types: new Map(types.map(type => [type.name, typeTypeOf(type)])),
    struct: protobufStruct,
    constants: PROTOBUF_CONSTANTS,
  }
}

/** Adds variables and structs. Added structs hide those of the base environment. */
export function extend(
  base: Environment,
  variables: Readonly<Record<string, Type>>,
  struct: Environment['struct'] = () => undefined,
): Environment {
  return {
    ...base,
    variables: new Map([...base.variables, ...Object.entries(variables)]),
    struct: name => struct(name) ?? base.struct(name),
  }
}

/** Adds functions, overloads and macros. */
export const withLibrary = (base: Environment, functions: readonly FunctionDeclaration[], macros: Macros): Environment => ({
  ...base,
  functions: functions.length === 0 ? base.functions : indexFunctions([...base.functions.values(), ...functions]),
  macros: new Map([...base.macros, ...macros]),
})

/** Declares a struct with the given fields. Types have the notation of declarations. */
export function structWith(fields: Readonly<Record<string, string>>): StructDeclaration {
  const types = new Map(Object.entries(fields).map(([name, type]) => [name, parseType(type)]))
  return { fieldType: name => types.get(name) }
}
