/** Kinds of types. `opaque` types belong to libraries: they have functions but no fields. */
export type TypeKind =
  | 'any'
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'dyn'
  | 'error'
  | 'int'
  | 'list'
  | 'map'
  | 'null'
  | 'opaque'
  | 'string'
  | 'struct'
  | 'timestamp'
  /** The type of a type: `type(1)`. */
  | 'type'
  /** A type parameter of a signature. */
  | 'param'
  | 'uint'

/** Members of every type. Structs are identified by name; their fields are declared by the environment. */
interface TypeOf<Kind extends TypeKind, Params extends readonly Type[]> {
  /** Determines which params and operations the type has. */
  readonly kind: Kind
  /** Name that expressions see, such as `google.protobuf.Timestamp`. */
  readonly name: string
  /** Type parameters: the element of a list, or the key and value of a map. */
  readonly params: Params
  /** Number of types that it consists of, including itself: four for `list(map(string, int))`. */
  readonly parts: number
  /** Whether it contains a type parameter or an unknown type. */
  readonly isOpen: boolean
  /** Set if null is a value of the scalar, which makes it a protobuf wrapper type. */
  readonly nullable?: true
}

/** A declared type. */
export type Type =
  | TypeOf<'list', readonly [element: Type]>
  | TypeOf<'map', readonly [key: Type, value: Type]>
  | TypeOf<Exclude<TypeKind, 'list' | 'map'>, readonly Type[]>

/** Makes a type without parameters. */
const simple = (kind: Exclude<TypeKind, 'list' | 'map'>, name: string = kind): Type => ({
  kind,
  name,
  params: [],
  parts: 1,
  isOpen: kind === 'param',
})

const sumOfParts = (params: readonly Type[]): number => params.reduce((sum, { parts }) => sum + parts, 1)
const someOpen = (params: readonly Type[]): boolean => params.some(({ isOpen }) => isOpen)

/** google.protobuf.Any: a message of any type. It is assignable wherever dyn is. */
export const ANY = simple('any', 'google.protobuf.Any')
export const BOOL = simple('bool')
export const BYTES = simple('bytes')
export const DOUBLE = simple('double')
export const DURATION = simple('duration', 'google.protobuf.Duration')
/** A type that is known only during evaluation. */
export const DYN = simple('dyn')
/** Type of an expression whose error has been reported. It fits everywhere, so that one mistake is reported once. */
export const ERROR = simple('error', '*error*')
export const INT = simple('int')
export const NULL = simple('null', 'null_type')
export const STRING = simple('string')
export const TIMESTAMP = simple('timestamp', 'google.protobuf.Timestamp')
export const TYPE = simple('type')
export const UINT = simple('uint')

/**
 * Makes the type of a list. `parts` counts the types within a type, and `isOpen` is true if a parameter is among them.
 */
export const listTypeOf = (element: Type): Type => ({
  kind: 'list',
  name: 'list',
  params: [element],
  parts: element.parts + 1,
  isOpen: element.isOpen,
})
/** Makes the type of a map. The type of its keys is not restricted here. */
export const mapOf = (key: Type, value: Type): Type => ({
  kind: 'map',
  name: 'map',
  params: [key, value],
  parts: key.parts + value.parts + 1,
  isOpen: key.isOpen || value.isOpen,
})
/** Makes the type of a type: that of `type(1)` is `type(int)`. */
export const typeTypeOf = (type: Type): Type => ({ kind: 'type', name: 'type', params: [type], parts: type.parts + 1, isOpen: type.isOpen })
/** Makes the type of an object by its full name. Its fields are in the environment. */
export const structOf = (name: string): Type => simple('struct', name)
/** Makes the type of a protobuf wrapper, such as `google.protobuf.Int64Value`. */
export const wrapperOf = (scalar: Type): Type => ({ ...scalar, nullable: true })
/** Makes a parameter of a signature. Each call binds parameters anew. */
export const paramOf = (name: string): Type => simple('param', name)
/** Makes a type that has no fields, only functions. Types with different parameters differ. */
export const opaqueOf = (name: string, ...params: Type[]): Type => ({
  kind: 'opaque',
  name,
  params,
  parts: sumOfParts(params),
  isOpen: someOpen(params),
})
/** Makes the type of an optional value. */
export const optionalOf = (type: Type): Type => opaqueOf('optional_type', type)

/** Simple types by the name that declarations use. */
const SIMPLE: ReadonlyMap<string, Type> = new Map(
  [BOOL, BYTES, DOUBLE, DURATION, DYN, INT, NULL, STRING, TIMESTAMP, TYPE, UINT, ANY].map(type => [type.kind, type]),
)

/** Opaque types whose names look like structs. */
const OPAQUE = new Set(['net.IP', 'net.CIDR'])

/**
 * Parses the notation in which errors print types: `list(string)`, `map(K, V)`, `kubernetes.URL`. A single capital
 * letter is a parameter.
 */
export function parseType(text: string): Type {
  const open = text.indexOf('(')
  if (open < 0) {
    if (/^[A-Z]$/.test(text)) return paramOf(text)
    return SIMPLE.get(text) ?? (OPAQUE.has(text) ? opaqueOf(text) : structOf(text))
  }
  const name = text.slice(0, open)
  const params = splitTypes(text.slice(open + 1, -1)).map(parseType)
  const [first = DYN, second = DYN] = params
  if (name === 'list') return listTypeOf(first)
  if (name === 'map') return mapOf(first, second)
  return name === 'type' ? typeTypeOf(first) : opaqueOf(name, ...params)
}

/** Returns the type with its parameters changed. */
export function withParts(type: Type, change: (part: Type) => Type): Type {
  if (type.kind === 'list') return listTypeOf(change(type.params[0]))
  if (type.kind === 'map') return mapOf(change(type.params[0]), change(type.params[1]))
  const params = type.params.map(change)
  return { ...type, params, parts: sumOfParts(params), isOpen: someOpen(params) }
}

/** Whether two lists of types have the same length and all pairs match. */
export const partsMatch = (first: readonly Type[], second: readonly Type[], matches: (a: Type, b: Type) => boolean): boolean =>
  first.length === second.length && first.every((a, i) => matches(a, second[i] ?? ERROR))

/** Splits a list of types at the commas outside of brackets. */
export function splitTypes(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth++
    else if (text[at] === ')') depth--
    else if (text[at] === ',' && depth === 0) {
      parts.push(text.slice(from, at).trim())
      from = at + 1
    }
  }
  const last = text.slice(from).trim()
  return last === '' ? parts : [...parts, last]
}

/** Prints a type as the checker's errors do. */
export function printType({ kind, name, params, nullable }: Type): string {
  if (nullable) return `wrapper(${name})`
  if (kind === 'error') return '!error!'
  if (kind === 'any' || kind === 'duration' || kind === 'timestamp' || kind === 'null') return kind
  return params.length === 0 ? name : `${name}(${params.map(printType).join(', ')})`
}

/** Prints a type with the names that expressions see, as environments print a result type. */
export function typeText({ name, params, nullable }: Type): string {
  if (nullable) return `wrapper(${name})`
  return params.length === 0 ? name : `${name}(${params.map(typeText).join(', ')})`
}

/** Reports whether two types are equal in every part. A wrapper equals its scalar. */
export function sameType(a: Type, b: Type): boolean {
  if (a === b) return true
  return a.kind === b.kind && a.name === b.name && partsMatch(a.params, b.params, sameType)
}

/** Whether a type is the scalar itself, not its wrapper. */
export const isPlainType = (type: Type, scalar: Type): boolean => sameType(type, scalar) && !type.nullable

/** Reports whether two types are equal except for the names of parameters. */
export function equivalentType(a: Type, b: Type): boolean {
  if (a === b) return true
  const named = a.kind === 'param' || a.name === b.name
  return a.kind === b.kind && named && partsMatch(a.params, b.params, equivalentType)
}

/** Whether the type is known only during evaluation. */
export const isDyn = ({ kind }: Type): boolean => kind === 'dyn' || kind === 'any'
/** Whether any operation on the type is accepted by the checker. */
export const isDynOrError = (type: Type): boolean => isDyn(type) || type.kind === 'error'

/** Returns the value type of an optional. Undefined for any other type. */
export const heldBy = ({ kind, name, params }: Type): Type | undefined =>
  kind === 'opaque' && name === 'optional_type' ? params[0] : undefined
