import type { Json, JsonObject } from '../api/meta/object.ts'
import type { Steps } from '../lib/steps.ts'
import type { FieldError } from '../meta/field-error-type.ts'
import type { FieldPath } from '../meta/field-path.ts'
import type { DecodeOptions } from './decoding.ts'

/**
 * The schema model: a single declaration of a type, from which decoding, defaulting, validation, pruning, OpenAPI,
 * protobuf, apply, strategic merge, CEL types and field selectors are derived. Built-in and custom kinds share it.
 */
export type Schema = ScalarSchema | StructSchema | MapSchema | ListSchema | UnionSchema

/**
 * Types of scalars. `bytes` is base64 in JSON; `integer`, `number`, `boolean` and `string` are as in JSON. The others
 * have a special JSON form: `time` is RFC 3339 in whole seconds or null · `microTime` has six decimals or is null ·
 * `duration` is Go's `1h2m3.5s` · `quantity` is a canonical string, or a number on input · `intOrString` · `raw` is any
 * JSON, kept unchanged (RawExtension, FieldsV1) · `json` is any JSON, with the members of its objects sorted at every
 * depth.
 */
export type ScalarType =
  | 'string'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'bytes'
  | 'time'
  | 'microTime'
  | 'duration'
  | 'quantity'
  | 'intOrString'
  | 'raw'
  | 'json'

/** A value that the schema does not divide further, such as a string, a time or raw JSON. */
export interface ScalarSchema {
  readonly type: ScalarType
  /**
   * Go's name of the type, as decode errors print it: `int32`, `int64`, `string`, `bool`, `float64`, `[]uint8`.
   * Determines the wire type in protobuf and the bounds of an integer.
   */
  readonly goType: string
  /** Prefix of the definitions of the package that declares a named string, `io.k8s.api.core.v1`. */
  readonly declaredIn?: string
  /** OpenAPI definition of a special form (`io.k8s.apimachinery.pkg.api.resource.Quantity`). */
  readonly definition?: string
  /** Optional. Values of an enum. */
  readonly enum?: readonly string[]
}

/** Releases that have a type or field. */
export interface Availability {
  /** First release that has it, `1.30`. */
  readonly since?: string
  /** First release that does not have it any longer. */
  readonly until?: string
  /** Feature gate that it needs. Writes clear a field while its gate is off. */
  readonly gate?: string
  /**
   * Optional. Condition under which the field is kept while its gate is off. Default: the old object uses any field of
   * the gate.
   */
  readonly gateUse?: GateUse
}

/**
 * `own`: the old object has the field itself. `follows`: the old object has another field of the gate; this one does
 * not count. `never`: the field is cleared in any case. `created`: the field is cleared from new objects only; updates
 * are left to validation.
 */
export type GateUse = 'own' | 'follows' | 'never' | 'created'

/** A rule in the declaration of a field, equivalent to hand-written validation (KEP-5073). */
export interface DeclaredRule {
  /** Origin of its errors, `minimum`, by which they are compared with those of hand-written validation. */
  readonly origin: string
  /** Whether a violation ends the validation of the field. */
  readonly endsTheField?: true
  /** Whether its errors are about elements of the field, which is a list. */
  readonly ofElements?: true
  /** Whether it checks the struct that contains the field, and receives the struct as value. */
  readonly ofStruct?: true
  /** Returns the errors of a value. Called for values that have changed, and always for structs. */
  check(value: unknown, path: FieldPath, before: Before | undefined, isOn: IsOn): FieldError[]
}

/** Reports whether a feature gate is on. */
export type IsOn = (gate: string) => boolean

/** The previous value in an update. */
export interface Before {
  /** Value of the same field or struct in the old object. */
  readonly value: unknown
}

/** A member of a struct: its JSON name, protobuf number, type and markers. */
export interface Field extends Availability {
  /** JSON name. */
  readonly name: string
  /** Another spelling of the name, accepted on input and never written: `x-svc-list-type`. */
  readonly alias?: string
  /** Protobuf field number; 0 if there is none (custom resources). */
  readonly number: number
  readonly schema: Schema
  /** Whether OpenAPI lists the field as `required`. */
  readonly required: boolean
  /**
   * Whether JSON omits the field if it is zero, nil, or an empty list or map. A non-pointer struct is written in any
   * case.
   */
  readonly omitEmpty: boolean
  /** Whether JSON also omits an empty non-pointer struct: Go's `omitzero`. */
  readonly omitZero?: boolean
  /** Whether the Go field is a pointer, which distinguishes zero from absent. */
  readonly pointer: boolean
  /** Default of a marker, applied if the field is absent or null. */
  readonly default?: Json
  /** Strategic merge patch strategies: `merge`, `replace`, `retainKeys`, separated by commas. */
  readonly patchStrategy?: string
  /** Member that identifies an item, for the strategy `merge` of a list of structs. */
  readonly patchMergeKey?: string
  /** List type that upstream declares for a field that is not a list. It appears in OpenAPI and has no effect. */
  readonly strayListType?: 'atomic'
  /**
   * Whether gates within the field's type do not clear fields here. Upstream only clears them in the kind that the type
   * is made for.
   */
  readonly ungated?: boolean
  /** Whether the declaration has the mark `deprecated`. */
  readonly deprecated?: boolean
  /** Rules that are also checked by hand-written validation, for comparison (KEP-5073). */
  readonly rules?: readonly DeclaredRule[]
  /** Declaration of earlier releases. Only set in types of all releases. */
  readonly earlier?: Field
}

/** A message whose members are inlined in the parent's JSON object. In protobuf it is a nested message. */
export interface Inline {
  /** Protobuf field number. */
  readonly number: number
  readonly schema: StructSchema
}

/** An object with declared members. Shared and immutable; caches use it as key. */
export interface StructSchema extends Availability {
  readonly type: 'struct'
  /** Package and name of a declared type, `core.Pod`. */
  readonly id?: string
  /** Go's short type name (`ServicePort`), as decode errors print it. */
  readonly name: string
  /** OpenAPI definition name, `io.k8s.api.core.v1.ServicePort`. Absent for list wrappers and anonymous structs. */
  readonly definition?: string
  /** JSON members by name in output order, including inlined ones. */
  readonly fields: ReadonlyMap<string, Field>
  /** Messages whose members are inlined. Their fields are also in `fields`. */
  readonly inlines: readonly Inline[]
  /** Whether a value of the type is removed if clearing a gated field leaves it empty. */
  readonly prune?: boolean
  /** How apply merges the struct; `atomic` as one value. */
  readonly structType?: 'atomic' | 'granular'
  /** The unmodified type, if a field has changed its structType. */
  readonly base?: StructSchema
  /** Whether kind and apiVersion come first in its JSON. */
  readonly typeMeta: boolean
  /** Whether unknown members are preserved (custom resources). */
  readonly preserveUnknown?: boolean
  /** Functions that depend on how Go represents the objects. */
  readonly form: ObjectForm
}

/**
 * How Go represents the objects of a type. `typed`: as structs, described by the fields. `unstructured`: as JSON in
 * which only the metadata has a type (custom kinds); the fields are used by apply. Other folders have an implementation
 * for each name.
 */
export type FormName = 'typed' | 'unstructured'

/**
 * Functions of this folder that differ between forms. Implementations are `TYPED` and the results of
 * `unstructuredForm`.
 */
export interface ObjectForm {
  readonly name: FormName
  /**
   * Differs between schemas that decode an object differently. Empty if the definition of the type alone determines
   * that.
   */
  readonly id: string
  /** Decodes a value to a new object. See `decode`. */
  decode(schema: StructSchema, value: Json, options?: DecodeOptions): JsonObject
  /** Like `decode`, in steps of one walk each if it takes several walks through the value. */
  decodeInSteps(schema: StructSchema, value: Json, options?: DecodeOptions): JsonObject | Steps<JsonObject>
  /** Decodes a stored object. */
  readStored(schema: StructSchema, value: Json): Steps<JsonObject>
  /** Sets the defaults of the schema, in place. Returns the steps that are left if the object is large. */
  setDefaults(schema: StructSchema, object: JsonObject): Steps<void> | undefined
  /** Returns the OpenAPI definition, or a function that creates it on access if it is large. */
  define(schema: StructSchema, document: DefinitionContext): JsonObject | (() => Steps<JsonObject>)
}

/** An OpenAPI document, as used by the definition of a type. */
export interface DefinitionContext {
  /** OpenAPI 2.0 or 3.0. References and unions differ between them. */
  readonly version: 2 | 3
  /** Returns a reference to a type and adds its definition. */
  refer(schema: StructSchema): JsonObject
  /** Returns a reference to the type of every object's metadata and adds its definition. */
  referMetadata(): JsonObject
  /** Creates the definition of a type from its fields. */
  ofFields(schema: StructSchema): JsonObject
}

/** An object whose keys are data. */
export interface MapSchema {
  readonly type: 'map'
  /** Schema of every value. Keys are strings. */
  readonly values: Schema
  /** Optional. How apply merges the map. Defaults to `granular`. */
  readonly mapType?: 'atomic' | 'granular'
}

/** A list. The list type determines how apply merges it; the default is that of upstream, atomic. */
export interface ListSchema {
  readonly type: 'list'
  readonly items: Schema
  /** Optional. Defaults to `atomic`. */
  readonly listType?: 'atomic' | 'set' | 'map'
  /** Members that identify an item. Set for `map` only. */
  readonly listMapKeys?: readonly string[]
  /**
   * Whether items of a list of type map may omit some of its keys. An item without one is another item than any with
   * it.
   */
  readonly partialKeys?: boolean
  /** Whether the release's OpenAPI does not declare the list type. */
  readonly unstated?: boolean
  /** Whether the items are pointers in Go (rare). Null items are kept. */
  readonly pointerItems?: boolean
}

/**
 * A value with two JSON forms: a struct, or, depending on `form`, a boolean, a list of such structs, or a list of
 * strings (JSONSchemaPropsOrBool and similar). Any other value is null if the alternative is a list, and rejected if it
 * is a boolean. In protobuf it is a message of two fields, of which one is set.
 */
export interface UnionSchema {
  readonly type: 'union'
  /** Go's short type name, `JSONSchemaPropsOrBool`. */
  readonly name: string
  /** OpenAPI definition name. */
  readonly definition: string
  readonly form: UnionForm
  /** Type of the struct form. */
  readonly struct: StructSchema
}

/** Alternative form of a union in JSON. */
export type UnionForm = 'boolean' | 'list' | 'strings'

/** Whether a value has no members that the schema describes. True for `raw` and `json`, whose values can be objects. */
export const isScalar = (schema: Schema): schema is ScalarSchema =>
  schema.type !== 'struct' && schema.type !== 'map' && schema.type !== 'list' && schema.type !== 'union'
