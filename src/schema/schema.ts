import type { Steps } from '../lib/steps.ts'
import type { FieldError } from '../meta/field-error-type.ts'
import type { FieldPath } from '../meta/field-path.ts'
import type { Json, JsonObject } from '../meta/object.ts'
import type { DecodeOptions } from './decoding.ts'

/**
 * The schema model: one declaration of a type, from which decoding, defaulting, validation, pruning, OpenAPI, protobuf, apply,
 * strategic merge, CEL types and field selectors are derived. A built-in kind and a custom kind are the same thing.
 */
export type Schema = ScalarSchema | StructSchema | MapSchema | ListSchema | UnionSchema

/**
 * `integer`, `number`, `boolean`, `string`, `bytes` (base64 in JSON) are what they say. The others have a special JSON form:
 * `time` RFC 3339 in whole seconds or null · `microTime` six decimals or null · `duration` Go's `1h2m3.5s` · `quantity` canonical string or number on
 * input · `intOrString` · `raw` any JSON, kept as it came (RawExtension, FieldsV1) · `json` any JSON, with the members of its objects sorted at every depth.
 */
export type ScalarType = 'string' | 'integer' | 'number' | 'boolean' | 'bytes' | 'time' | 'microTime' | 'duration' | 'quantity' | 'intOrString' | 'raw' | 'json'

export interface ScalarSchema {
  readonly type: ScalarType
  /** Go's name of the type, as decode errors print it: `int32`, `int64`, `string`, `bool`, `float64`, `[]uint8`; protobuf picks its wire type by it. */
  readonly goType: string
  /** Of a named string: how the definitions of the package begin that declares it, `io.k8s.api.core.v1`. */
  readonly declaredIn?: string
  /** OpenAPI definition of a special form (`io.k8s.apimachinery.pkg.api.resource.Quantity`). */
  readonly definition?: string
  /** Protobuf message of a special form is built in the codec; bounds of an integer follow from `goType`. */
  readonly enum?: readonly string[]
}

/** Which releases have a type or field. */
export interface Availability {
  /** The first release that has it, `1.30`. */
  readonly since?: string
  /** The first release that has it no more. */
  readonly until?: string
  /** The feature gate that it needs. A field is cleared from what is written while its gate is off. */
  readonly gate?: string
  /** What keeps the field while its gate is off. Absent: the old object has any field of the gate that counts. */
  readonly gateUse?: GateUse
}

/**
 * `own`: the old object has the field itself. `follows`: it has another field of the gate, and this one does not count. `never`: the field is cleared whatever the old object has.
 * `created`: it is cleared from a new object only, and validation has the word on an update.
 */
export type GateUse = 'own' | 'follows' | 'never' | 'created'

/** A rule that stands beside a field in its declaration, and says the same as hand-written validation (KEP-5073). */
export interface DeclaredRule {
  /** What errors of it are compared by, `minimum`. */
  readonly origin: string
  /** Nothing else is said of a field that breaks it. */
  readonly endsTheField?: true
  /** Its errors are about elements of the list that the field is. */
  readonly ofElements?: true
  /** It looks at the struct that the field is in, whose value it is given. */
  readonly ofStruct?: true
  /** Asked of values that have changed, and of structs always. */
  check(value: unknown, path: FieldPath, before: Before | undefined, isOn: IsOn): FieldError[]
}

/** Whether a feature gate is on. */
export type IsOn = (gate: string) => boolean

/** What a value was before an update. */
export interface Before {
  readonly value: unknown
}

export interface Field extends Availability {
  /** JSON name. */
  readonly name: string
  /** Another spelling that is read as the name, and never written: `x-svc-list-type`. */
  readonly alias?: string
  /** Protobuf field number; 0 where there is none (custom resources). */
  readonly number: number
  readonly schema: Schema
  /** OpenAPI's `required`. */
  readonly required: boolean
  /** A zero value (or nil, or empty list or map) is left out of the JSON. A struct that is no pointer is written even so. */
  readonly omitEmpty: boolean
  /** A struct that is no pointer is left out, too, where it is empty: Go's `omitzero`. */
  readonly omitZero?: boolean
  /** The Go field is a pointer: zero and absent are different things. */
  readonly pointer: boolean
  /** Default by marker, applied when the field is absent (or null). */
  readonly default?: Json
  /** Strategic merge patch: `merge`, `replace`, `retainKeys` and combinations, comma separated. */
  readonly patchStrategy?: string
  readonly patchMergeKey?: string
  /** Upstream states a list type of a value that is no list: it shows in OpenAPI, and does nothing. */
  readonly strayListType?: 'atomic'
  /** Gates of the fields of its type do not clear them here: upstream does so in the kind that the type is made for. */
  readonly ungated?: boolean
  /** JSON only: the field has no protobuf number. */
  readonly deprecated?: boolean
  /** What is also checked by hand, for comparing (KEP-5073). */
  readonly rules?: readonly DeclaredRule[]
  /** As earlier releases declare it; only in types that are of no one release. */
  readonly earlier?: Field
}

/** A message whose members are inlined into the parent's JSON object, and which is a submessage of its own in protobuf. */
export interface Inline {
  readonly number: number
  readonly schema: StructSchema
}

export interface StructSchema extends Availability {
  readonly type: 'struct'
  /** Of a declared type: its package and name, `core.Pod`. */
  readonly id?: string
  /** Go's short type name (`ServicePort`), as decode errors print it. */
  readonly name: string
  /** OpenAPI definition name, `io.k8s.api.core.v1.ServicePort`; absent for list wrappers and anonymous structs. */
  readonly definition?: string
  /** Every JSON member by name, inlined ones included, in the order in which they are written. */
  readonly fields: ReadonlyMap<string, Field>
  readonly inlines: readonly Inline[]
  /** A value of the type goes with the gated field that leaves it empty. */
  readonly prune?: boolean
  /** `atomic`: apply treats it as one value. */
  readonly structType?: 'atomic' | 'granular'
  /** The type itself, where a field has changed its structType. */
  readonly base?: StructSchema
  /** kind and apiVersion come first in its JSON. */
  readonly typeMeta: boolean
  /** Members that no field names are kept (custom resources). */
  readonly preserveUnknown?: boolean
  readonly form: ObjectForm
}

/**
 * How Go holds the objects of a type. `typed`: as structs, which the fields describe. `unstructured`: as JSON, of which only the metadata has a type (custom kinds); the fields serve apply.
 * Folders above have an implementation for each, chosen by name.
 */
export type FormName = 'typed' | 'unstructured'

/** What this folder does in another way for each form. The implementations are `TYPED` and those that `unstructuredForm` makes. */
export interface ObjectForm {
  readonly name: FormName
  /** Differs between schemas that read an object differently; empty where the definition of the type alone decides. */
  readonly id: string
  /** See `decode`. Results are fresh. */
  decode(schema: StructSchema, value: Json, options?: DecodeOptions): JsonObject
  /** The same in steps where that takes several walks through the value, one walk each. */
  decodeInSteps(schema: StructSchema, value: Json, options?: DecodeOptions): JsonObject | Steps<JsonObject>
  /** Decodes an object from the store. */
  readStored(schema: StructSchema, value: Json): JsonObject
  /** Fills in the defaults of the schema, in place. */
  setDefaults(schema: StructSchema, object: JsonObject): void
  /** The definition in OpenAPI; a function where it is large and made when it is read. */
  define(schema: StructSchema, document: DefinitionContext): JsonObject | (() => Steps<JsonObject>)
}

/** A document of OpenAPI, as the definition of a type needs it. */
export interface DefinitionContext {
  readonly version: 2 | 3
  /** A reference to a type, whose definition is added. */
  refer(schema: StructSchema): JsonObject
  /** A reference to the type of every object's metadata, whose definition is added. */
  referMetadata(): JsonObject
  /** The definition that the fields of a type make. */
  ofFields(schema: StructSchema): JsonObject
}

export interface MapSchema {
  readonly type: 'map'
  readonly values: Schema
  readonly mapType?: 'atomic' | 'granular'
}

export interface ListSchema {
  readonly type: 'list'
  readonly items: Schema
  readonly listType?: 'atomic' | 'set' | 'map'
  readonly listMapKeys?: readonly string[]
  /** OpenAPI of the release does not say the type. */
  readonly unstated?: boolean
  /** The items are pointers in Go (rare); null items stay. */
  readonly pointerItems?: boolean
}

/**
 * A value with two JSON forms: a struct, or, by `form`, a boolean, a list of such structs, or a list of strings (JSONSchemaPropsOrBool and its like). What is neither is null where the
 * other form is a list, and refused where it is a boolean. In protobuf it is a message of two fields, of which one is set.
 */
export interface UnionSchema {
  readonly type: 'union'
  /** Go's short type name, `JSONSchemaPropsOrBool`. */
  readonly name: string
  readonly definition: string
  readonly form: UnionForm
  readonly struct: StructSchema
}

export type UnionForm = 'boolean' | 'list' | 'strings'

export const isScalar = (schema: Schema): schema is ScalarSchema =>
  schema.type !== 'struct' && schema.type !== 'map' && schema.type !== 'list' && schema.type !== 'union'
