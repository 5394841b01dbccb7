/** By what the checker distinguishes types. `opaque` are those of libraries, which have functions and no fields. */
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
  /** A type as a value: `type(1)`. */
  | 'type'
  /** Stands for any one type within a signature. */
  | 'param'
  | 'uint'

/** What all types have. Structs are known by name alone; their fields are looked up in the environment. */
interface TypeOf<Kind extends TypeKind, Params extends readonly Type[]> {
  readonly kind: Kind
  /** That a program sees, such as `google.protobuf.Timestamp`. */
  readonly name: string
  /** Of a list its elements' type, of a map those of keys and values. */
  readonly params: Params
  /** Number of types that it is made of, itself included: four for `list(map(string, int))`. */
  readonly parts: number
  /** Whether a parameter of a signature, or one that stands for an unknown type, is among them. */
  readonly isOpen: boolean
  /** Of a scalar that null can stand for: what a wrapper of protobuf is. In all else the type is that of the scalar. */
  readonly nullable?: true
}

/** A declared type. */
export type Type =
  | TypeOf<'list', readonly [element: Type]>
  | TypeOf<'map', readonly [key: Type, value: Type]>
  | TypeOf<Exclude<TypeKind, 'list' | 'map'>, readonly Type[]>

/** A type without parts. */
const simple = (kind: Exclude<TypeKind, 'list' | 'map'>, name: string = kind): Type => ({
  kind,
  name,
  params: [],
  parts: 1,
  isOpen: kind === 'param',
})

const sumOfParts = (params: readonly Type[]): number => params.reduce((sum, { parts }) => sum + parts, 1)
const someOpen = (params: readonly Type[]): boolean => params.some(({ isOpen }) => isOpen)

/** google.protobuf.Any: a message of any type. It fits wherever dyn does. */
export const ANY = simple('any', 'google.protobuf.Any')
export const BOOL = simple('bool')
export const BYTES = simple('bytes')
export const DOUBLE = simple('double')
export const DURATION = simple('duration', 'google.protobuf.Duration')
/** Known only when the expression runs. */
export const DYN = simple('dyn')
/** Of what was reported: it fits everywhere, so that one mistake is reported once. */
export const ERROR = simple('error', '*error*')
export const INT = simple('int')
export const NULL = simple('null', 'null_type')
export const STRING = simple('string')
export const TIMESTAMP = simple('timestamp', 'google.protobuf.Timestamp')
export const TYPE = simple('type')
export const UINT = simple('uint')

export const listOf = (element: Type): Type => ({ kind: 'list', name: 'list', params: [element], parts: element.parts + 1, isOpen: element.isOpen })
export const mapOf = (key: Type, value: Type): Type => ({
  kind: 'map',
  name: 'map',
  params: [key, value],
  parts: key.parts + value.parts + 1,
  isOpen: key.isOpen || value.isOpen,
})
export const typeOf = (type: Type): Type => ({ kind: 'type', name: 'type', params: [type], parts: type.parts + 1, isOpen: type.isOpen })
export const structOf = (name: string): Type => simple('struct', name)
/** The type of a wrapper of protobuf, such as `google.protobuf.Int64Value`. */
export const wrapperOf = (scalar: Type): Type => ({ ...scalar, nullable: true })
export const paramOf = (name: string): Type => simple('param', name)
export const opaqueOf = (name: string, ...params: Type[]): Type => ({ kind: 'opaque', name, params, parts: sumOfParts(params), isOpen: someOpen(params) })
export const optionalOf = (type: Type): Type => opaqueOf('optional_type', type)

/** By the names of declarations. */
const SIMPLE: ReadonlyMap<string, Type> = new Map(
  [BOOL, BYTES, DOUBLE, DURATION, DYN, INT, NULL, STRING, TIMESTAMP, TYPE, UINT, ANY].map(type => [type.kind, type]),
)

/** Types that are no structs, though their names have dots: they have no fields to ask for. */
const OPAQUE = new Set(['net.IP', 'net.CIDR'])

/** A type in the notation in which errors print it: `list(string)`, `map(K, V)`, `kubernetes.URL`; a single capital is a parameter. */
export function parseType(text: string): Type {
  const open = text.indexOf('(')
  if (open < 0) {
    if (/^[A-Z]$/.test(text)) return paramOf(text)
    return SIMPLE.get(text) ?? (OPAQUE.has(text) ? opaqueOf(text) : structOf(text))
  }
  const name = text.slice(0, open)
  const params = splitTypes(text.slice(open + 1, -1)).map(parseType)
  const [first = DYN, second = DYN] = params
  if (name === 'list') return listOf(first)
  if (name === 'map') return mapOf(first, second)
  return name === 'type' ? typeOf(first) : opaqueOf(name, ...params)
}

/** The same type of other parts. */
export function withParts(type: Type, change: (part: Type) => Type): Type {
  if (type.kind === 'list') return listOf(change(type.params[0]))
  if (type.kind === 'map') return mapOf(change(type.params[0]), change(type.params[1]))
  const params = type.params.map(change)
  return { ...type, params, parts: sumOfParts(params), isOpen: someOpen(params) }
}

/** Whether two have as many parts, and all pairs of them hold. */
export const partsMatch = (first: readonly Type[], second: readonly Type[], matches: (a: Type, b: Type) => boolean): boolean =>
  first.length === second.length && first.every((a, i) => matches(a, second[i] ?? ERROR))

/** Splits at the commas outside of brackets. */
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

/** As errors of the checker print a type. */
export function printType({ kind, name, params, nullable }: Type): string {
  if (nullable) return `wrapper(${name})`
  if (kind === 'error') return '!error!'
  if (kind === 'any' || kind === 'duration' || kind === 'timestamp' || kind === 'null') return kind
  return params.length === 0 ? name : `${name}(${params.map(printType).join(', ')})`
}

/** By the names that a program sees, as an environment prints the type of a result. */
export function typeText({ name, params, nullable }: Type): string {
  if (nullable) return `wrapper(${name})`
  return params.length === 0 ? name : `${name}(${params.map(typeText).join(', ')})`
}

/** Whether two types are the same in every part. A wrapper and its scalar are. */
export function sameType(a: Type, b: Type): boolean {
  if (a === b) return true
  return a.kind === b.kind && a.name === b.name && partsMatch(a.params, b.params, sameType)
}

/** Whether a type is a scalar itself, not a wrapper of it. */
export const isPlain = (type: Type, scalar: Type): boolean => sameType(type, scalar) && !type.nullable

/** Whether two types are the same but for the names of parameters. */
export function equivalentType(a: Type, b: Type): boolean {
  if (a === b) return true
  const named = a.kind === 'param' || a.name === b.name
  return a.kind === b.kind && named && partsMatch(a.params, b.params, equivalentType)
}

/** Whether the type says nothing. */
export const isDyn = ({ kind }: Type): boolean => kind === 'dyn' || kind === 'any'
export const isDynOrError = (type: Type): boolean => isDyn(type) || type.kind === 'error'

/** What an optional holds; nothing where the type is no optional. */
export const heldBy = ({ kind, name, params }: Type): Type | undefined => (kind === 'opaque' && name === 'optional_type' ? params[0] : undefined)
