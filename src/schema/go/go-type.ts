import { invariant } from '../../lib/invariant.ts'
import { copyGivenEmpty, givenEmpty } from '../../meta/given-empty.ts'
import type { Json, JsonObject } from '../../meta/object.ts'
import type { Field, MapSchema, ScalarSchema, ScalarType, Schema, StructSchema } from '../schema.ts'
import { FIELD_ORDER, goFieldName, HOST_MEMBERS, PLAIN_VALUES } from './go-names.ts'
import { goQuantity } from './go-quantity.ts'

/** Types of Go as messages print them: those that kube-apiserver has for a kind in no version, `core.PodSpec`. Absent and null are the zero value, or nil. */
export type GoType = GoScalar | GoPointer | GoSlice | GoMap | GoStruct

/** A value without parts that are printed, whatever Go's type is. */
export interface GoScalar {
  readonly kind: 'scalar'
  readonly scalar: ScalarType
  readonly name: string
}

/** Nil is not the zero value of what it points to. */
export interface GoPointer {
  readonly kind: 'pointer'
  readonly to: GoType
}

/** Nil and empty are two values. */
export interface GoSlice {
  readonly kind: 'slice'
  readonly of: GoType
}

/** Keys are strings, or of a string type. */
export interface GoMap {
  readonly kind: 'map'
  readonly name: string
  readonly of: GoType
  /** Keys are of a type that prints itself: comparisons mark them. */
  readonly keysPrint: boolean
}

/** Fields in Go's order, which messages show. */
export interface GoStruct {
  readonly kind: 'struct'
  readonly name: string
  readonly fields: readonly GoField[]
  /** Compared as a whole, by a method of its own. */
  readonly whole?: true
  /** The members of what is no object in JSON. */
  readonly open?: (value: Json | undefined) => JsonObject
}

/** A field by Go's name, and how its value is read from the JSON of its struct. */
export interface GoField {
  readonly name: string
  readonly type: GoType
  /** Its fields are the struct's, too. */
  readonly embedded?: true
  get(owner: JsonObject): Json | undefined
}

/** `[]core.Container` */
export function goTypeName(type: GoType): string {
  switch (type.kind) {
    case 'pointer':
      return `*${goTypeName(type.to)}`
    case 'slice':
      return `[]${goTypeName(type.of)}`
    default:
      return type.name
  }
}

export const isNil = (value: Json | undefined): value is null | undefined => value === undefined || value === null

/** What is no object is one without members: values have been decoded by the schema. */
export const membersOf = (value: Json | undefined, { open }: Pick<GoStruct, 'open'> = {}): JsonObject =>
  open ? open(value) : typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}

/** Whether it is Go's zero value. */
export function isZero(type: GoType, value: Json | undefined): boolean {
  if (type.kind === 'struct') {
    const members = membersOf(value, type)
    return type.fields.every(field => isZero(field.type, field.get(members)))
  }
  return isNil(value) || (type.kind === 'scalar' && (value === '' || value === 0 || value === false))
}

/** By the fields of a schema, which types with other marks share. */
const structs = new WeakMap<StructSchema['fields'], GoStruct>()

/** The type of the member of this JSON name; of a pointer, what it points to. */
export function goMemberType(schema: StructSchema, member: string): GoType {
  const struct = structType(schema, 'core')
  const name = goFieldName(struct.name, member)
  const found = struct.fields.find(each => each.name === name)?.type
  invariant(found, `${struct.name} has no field ${name}`)
  return found.kind === 'pointer' ? found.to : found
}

/** The package is that of the group, but for types of all groups. */
function packageOf(definition: string | undefined, around: string): string {
  if (definition?.startsWith('io.k8s.apimachinery.')) return 'v1'
  return /^io\.k8s\.api\.(\w+)\./.exec(definition ?? '')?.[1] ?? around
}

/** The type of a declared one; `around`: the package for what says none. */
export function goType(schema: Schema, around = 'core'): GoType {
  switch (schema.type) {
    case 'struct':
      return structType(schema, around)
    case 'list':
      return { kind: 'slice', of: schema.pointerItems ? { kind: 'pointer', to: goType(schema.items, around) } : goType(schema.items, around) }
    case 'map':
      return mapType(schema, around)
    case 'union':
      return structType(schema.struct, around)
    default:
      return scalarType(schema, around)
  }
}

/** The type of a kind's objects. In the internal version an object's own kind and version are empty. */
export function goObjectType(schema: StructSchema): GoStruct {
  const type = structType(schema, 'core')
  return {
    ...type,
    fields: [
      { name: 'TypeMeta', type: struct('v1.TypeMeta', field('Kind', plain('string')), field('APIVersion', plain('string'))), embedded: true, get: () => ({}) },
      ...type.fields,
    ],
  }
}

/** Named strings are of the package that declares them, in the server's internal version. */
function scalarType({ type, goType: name, declaredIn }: ScalarSchema, around: string): GoType {
  if (type === 'quantity') return QUANTITY
  if (type === 'intOrString') return INT_OR_STRING
  return { kind: 'scalar', scalar: type, name: declaredIn === undefined ? name : `${packageOf(`${declaredIn}.`, around)}${name.slice(name.indexOf('.'))}` }
}

/** Lists of resources have a type of their own. */
function mapType(schema: MapSchema, around: string): GoMap {
  const of = goType(schema.values, around)
  const isResources = schema.values.type === 'quantity'
  return { kind: 'map', name: isResources ? 'core.ResourceList' : `map[string]${goTypeName(of)}`, of, keysPrint: isResources }
}

function structType(schema: StructSchema, around: string): GoStruct {
  const known = structs.get(schema.fields)
  if (known) return known
  const pkg = packageOf(schema.definition, around)
  const name = `${pkg}.${schema.name}`
  const fields: GoField[] = []
  const struct: GoStruct = { kind: 'struct', name, fields }
  structs.set(schema.fields, struct) // before its fields: types may be recursive
  fields.push(...fieldsOf(schema, pkg, name))
  return struct
}

/** Members of an inlined struct are one field of it. */
function fieldsOf(schema: StructSchema, pkg: string, name: string): GoField[] {
  const inlined = new Map(schema.inlines.flatMap(({ schema: inner }) => [...inner.fields.keys()].map(key => [key, inner] as const)))
  const printed = new Set<StructSchema>()
  const fields = (FIELD_ORDER[name] ?? [...schema.fields.keys()]).flatMap((json): GoField[] => {
    const inner = inlined.get(json)
    const field = schema.fields.get(json)
    if (!inner) return field ? [ownField(name, field, pkg)] : []
    if (printed.has(inner)) return []
    printed.add(inner)
    return [{ name: inner.name, type: goType(inner, pkg), embedded: true, get: owner => owner }]
  })
  return name === 'core.PodSecurityContext' ? [...HOST_FIELDS, ...fields] : fields
}

/** A member by its JSON name. */
function ownField(struct: string, field: Field, pkg: string): GoField {
  const { name } = field
  const plain = goType(field.schema, pkg)
  const type: GoType = field.pointer && !PLAIN_VALUES.has(`${struct}.${name}`) ? { kind: 'pointer', to: plain } : plain
  const get = struct === 'core.PodSpec' && name === 'securityContext' ? contextWithHost : (owner: JsonObject) => owner[name] ?? givenEmpty(owner, name)
  return { name: goFieldName(struct, name), type, get }
}

/** In the internal version the members for the host's namespaces stand in the security context. */
const contextWithHost = (spec: JsonObject): Json => {
  const host: JsonObject = {}
  for (const name of HOST_MEMBERS) {
    const value = spec[name]
    if (value !== undefined) host[name] = value
  }
  const context = membersOf(spec.securityContext)
  return copyGivenEmpty(context, { ...host, ...context })
}

const plain = (scalar: ScalarType): GoScalar => ({ kind: 'scalar', scalar, name: scalar })
const field = (name: string, type: GoType): GoField => ({ name, type, get: owner => owner[name] })
const struct = (name: string, ...fields: GoField[]): GoStruct => ({ kind: 'struct', name, fields })

/** In JSON a number or a text; in Go a struct of both. */
const INT_OR_STRING: GoStruct = {
  ...struct('intstr.IntOrString', field('Type', plain('integer')), field('IntVal', plain('integer')), field('StrVal', plain('string'))),
  open: value => (typeof value === 'string' ? { Type: 1, StrVal: value } : { IntVal: value ?? 0 }),
}

const AMOUNT = struct('resource.int64Amount', field('value', plain('integer')), field('scale', plain('integer')))
/** Of numbers that are too large for the other; they are known by the text alone. */
const LARGE_AMOUNT = struct('resource.infDecAmount', field('Dec', { kind: 'pointer', to: struct('inf.Dec') }))
/** In JSON a text; in Go its value, and the text if it was canonical. */
const QUANTITY: GoStruct = {
  ...struct('resource.Quantity', field('i', AMOUNT), field('d', LARGE_AMOUNT), field('s', plain('string')), field('Format', plain('string'))),
  whole: true,
  open: value => (isNil(value) ? {} : goQuantity(String(value))),
}

const BOOLEAN: GoScalar = { kind: 'scalar', scalar: 'boolean', name: 'bool' }
const HOST_FIELDS: readonly GoField[] = HOST_MEMBERS.map(name => ({
  name: goFieldName('core.PodSecurityContext', name),
  type: name.startsWith('hostU') || name.startsWith('share') ? { kind: 'pointer', to: BOOLEAN } : BOOLEAN,
  get: owner => owner[name],
}))
