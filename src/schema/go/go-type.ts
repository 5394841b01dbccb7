import type { Json, JsonObject } from '../../api/meta/object.ts'
import { invariant } from '../../lib/invariant.ts'
import { copyGivenEmpty, givenEmpty } from '../../meta/empty-members.ts'
import type { Field, MapSchema, ScalarSchema, ScalarType, Schema, StructSchema } from '../schema.ts'
import { FIELD_ORDER, goFieldName, HOST_MEMBERS, PLAIN_VALUES } from './go-names.ts'
import { goQuantity } from './go-quantity.ts'

/**
 * Go types as messages print them: kube-apiserver's internal types, `core.PodSpec`. Absent and null values are the zero
 * value or nil.
 */
export type GoType = GoScalar | GoPointer | GoSlice | GoMap | GoStruct

/** A value without parts that are printed, whatever its Go type is. */
export interface GoScalar {
  readonly kind: 'scalar'
  /** Scalar of the schema, which determines how a value is printed. */
  readonly scalar: ScalarType
  /** Go's name of the type: `int32`, `core.Protocol`. */
  readonly name: string
}

/** A pointer. Nil differs from the zero value of its target. */
export interface GoPointer {
  readonly kind: 'pointer'
  readonly to: GoType
}

/** A slice. Nil differs from empty. */
export interface GoSlice {
  readonly kind: 'slice'
  readonly of: GoType
}

/** A map whose keys are strings or of a string type. */
export interface GoMap {
  readonly kind: 'map'
  /** Go's name of the type: `map[string]string`, `core.ResourceList`. */
  readonly name: string
  readonly of: GoType
  /** Whether the key type has a String method. Comparisons mark such keys. */
  readonly keysPrint: boolean
}

/** A struct with its fields in Go's order, in which messages print them. */
export interface GoStruct {
  readonly kind: 'struct'
  /** Go's name with its package: `core.PodSpec`. */
  readonly name: string
  readonly fields: readonly GoField[]
  /** Whether the struct has an Equal method, which compares it as a whole. */
  readonly whole?: true
  /** Returns the members of a struct that is not an object in JSON. */
  readonly open?: (value: Json | undefined) => JsonObject
}

/** A field with its Go name. `get` reads its value from the JSON of the struct. */
export interface GoField {
  readonly name: string
  readonly type: GoType
  /** Whether the field's own fields are promoted to the struct. */
  readonly embedded?: true
  /** Reads the value of the field. Undefined if it is absent. */
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

/** Whether a value is nil in Go: JSON does not distinguish null from absent. */
export const isNil = (value: Json | undefined): value is null | undefined => value === undefined || value === null

/** Returns the members of a value. A value that is not an object has none; it was decoded by the schema. */
export const goMembers = (value: Json | undefined, { open }: Pick<GoStruct, 'open'> = {}): JsonObject =>
  open ? open(value) : typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}

/** Whether a value is Go's zero value. */
export function isGoZero(type: GoType, value: Json | undefined): boolean {
  if (type.kind === 'struct') {
    const members = goMembers(value, type)
    return type.fields.every(field => isGoZero(field.type, field.get(members)))
  }
  return isNil(value) || (type.kind === 'scalar' && (value === '' || value === 0 || value === false))
}

/** Structs by the fields of their schema, which schemas with other marks share. */
const structs = new WeakMap<StructSchema['fields'], GoStruct>()

/** Returns the type of the member with this JSON name. For a pointer, that of its target. */
export function goMemberType(schema: StructSchema, member: string): GoType {
  const struct = structType(schema, 'core')
  const name = goFieldName(struct.name, member)
  const found = struct.fields.find(each => each.name === name)?.type
  invariant(found, `${struct.name} has no field ${name}`)
  return found.kind === 'pointer' ? found.to : found
}

/** Returns the package of a type: its group, or `v1` for types of metav1. */
function packageOf(definition: string | undefined, around: string): string {
  if (definition?.startsWith('io.k8s.apimachinery.')) return 'v1'
  return /^io\.k8s\.api\.(\w+)\./.exec(definition ?? '')?.[1] ?? around
}

/** Converts a declared type. `around`: package of types without a definition. */
export function convertGoType(schema: Schema, around = 'core'): GoType {
  switch (schema.type) {
    case 'struct':
      return structType(schema, around)
    case 'list':
      return {
        kind: 'slice',
        of: schema.pointerItems ? { kind: 'pointer', to: convertGoType(schema.items, around) } : convertGoType(schema.items, around),
      }
    case 'map':
      return mapType(schema, around)
    case 'union':
      return structType(schema.struct, around)
    default:
      return scalarType(schema, around)
  }
}

/** Returns the type of a kind's objects. Their kind and apiVersion are empty in the internal version. */
export function goObjectType(schema: StructSchema): GoStruct {
  const type = structType(schema, 'core')
  return {
    ...type,
    fields: [
      {
        name: 'TypeMeta',
        type: struct('v1.TypeMeta', field('Kind', plainScalar('string')), field('APIVersion', plainScalar('string'))),
        embedded: true,
        get: () => ({}),
      },
      ...type.fields,
    ],
  }
}

/** Converts a scalar. A named string belongs to the internal version of the package that declares it. */
function scalarType({ type, goType: name, declaredIn }: ScalarSchema, around: string): GoType {
  if (type === 'quantity') return QUANTITY
  if (type === 'intOrString') return INT_OR_STRING
  return {
    kind: 'scalar',
    scalar: type,
    name: declaredIn === undefined ? name : `${packageOf(`${declaredIn}.`, around)}${name.slice(name.indexOf('.'))}`,
  }
}

/** Converts a map. Resource lists have a type of their own. */
function mapType(schema: MapSchema, around: string): GoMap {
  const of = convertGoType(schema.values, around)
  const isResources = schema.values.type === 'quantity'
  return { kind: 'map', name: isResources ? 'core.ResourceList' : `map[string]${goTypeName(of)}`, of, keysPrint: isResources }
}

/** Converts a struct, once for all schemas with the same fields. The result may refer to itself. */
function structType(schema: StructSchema, around: string): GoStruct {
  const known = structs.get(schema.fields)
  if (known) return known
  const pkg = packageOf(schema.definition, around)
  const name = `${pkg}.${schema.name}`
  const fields: GoField[] = []
  const struct: GoStruct = { kind: 'struct', name, fields }
  structs.set(schema.fields, struct) // before its fields: types may be recursive
  fields.push(...structFields(schema, pkg, name))
  return struct
}

/** Converts the fields of a struct. The members of an inlined struct are one field. */
function structFields(schema: StructSchema, pkg: string, name: string): GoField[] {
  const inlined = new Map(schema.inlines.flatMap(({ schema: inner }) => [...inner.fields.keys()].map(key => [key, inner] as const)))
  const printed = new Set<StructSchema>()
  const fields = (FIELD_ORDER[name] ?? [...schema.fields.keys()]).flatMap((json): GoField[] => {
    const inner = inlined.get(json)
    const field = schema.fields.get(json)
    if (!inner) return field ? [ownField(name, field, pkg)] : []
    if (printed.has(inner)) return []
    printed.add(inner)
    return [{ name: inner.name, type: convertGoType(inner, pkg), embedded: true, get: owner => owner }]
  })
  return name === 'core.PodSecurityContext' ? [...HOST_FIELDS, ...fields] : fields
}

/** Converts a field by its JSON name. */
function ownField(struct: string, field: Field, pkg: string): GoField {
  const { name } = field
  const plain = convertGoType(field.schema, pkg)
  const type: GoType = field.pointer && !PLAIN_VALUES.has(`${struct}.${name}`) ? { kind: 'pointer', to: plain } : plain
  const get =
    struct === 'core.PodSpec' && name === 'securityContext'
      ? contextWithHost
      : (owner: JsonObject) => owner[name] ?? givenEmpty(owner, name)
  return { name: goFieldName(struct, name), type, get }
}

/** In the internal version, the fields for the host's namespaces are part of the security context. */
const contextWithHost = (spec: JsonObject): Json => {
  const host: JsonObject = {}
  for (const name of HOST_MEMBERS) {
    const value = spec[name]
    if (value !== undefined) host[name] = value
  }
  const context = goMembers(spec.securityContext)
  return copyGivenEmpty(context, { ...host, ...context })
}

const plainScalar = (scalar: ScalarType): GoScalar => ({ kind: 'scalar', scalar, name: scalar })
const field = (name: string, type: GoType): GoField => ({ name, type, get: owner => owner[name] })
const struct = (name: string, ...fields: GoField[]): GoStruct => ({ kind: 'struct', name, fields })

/** A number or a string in JSON, a struct of both in Go. */
const INT_OR_STRING: GoStruct = {
  ...struct(
    'intstr.IntOrString',
    field('Type', plainScalar('integer')),
    field('IntVal', plainScalar('integer')),
    field('StrVal', plainScalar('string')),
  ),
  open: value => (typeof value === 'string' ? { Type: 1, StrVal: value } : { IntVal: value ?? 0 }),
}

/** Amount of a quantity that fits into 64 bits: the value times ten to the power of the scale. */
const AMOUNT = struct('resource.int64Amount', field('value', plainScalar('integer')), field('scale', plainScalar('integer')))
/** Amount that int64Amount cannot hold. Only its text is known here. */
const LARGE_AMOUNT = struct('resource.infDecAmount', field('Dec', { kind: 'pointer', to: struct('inf.Dec') }))
/** A string in JSON; in Go the value, and the text if it was canonical. */
const QUANTITY: GoStruct = {
  ...struct(
    'resource.Quantity',
    field('i', AMOUNT),
    field('d', LARGE_AMOUNT),
    field('s', plainScalar('string')),
    field('Format', plainScalar('string')),
  ),
  whole: true,
  open: value => (isNil(value) ? {} : goQuantity(String(value))),
}

/** Type of the fields for the host's namespaces. */
const BOOLEAN: GoScalar = { kind: 'scalar', scalar: 'boolean', name: 'bool' }
/** Fields that the internal version has in PodSecurityContext, and v1 in PodSpec. */
const HOST_FIELDS: readonly GoField[] = HOST_MEMBERS.map(name => ({
  name: goFieldName('core.PodSecurityContext', name),
  type: name.startsWith('hostU') || name.startsWith('share') ? { kind: 'pointer', to: BOOLEAN } : BOOLEAN,
  get: owner => owner[name],
}))
