import type { Json } from '../meta/object.ts'

/** A decoded JSONSchemaProps. Zero and empty members are absent. */
export type JsonSchemaProps = {
  /** Rejected in definitions of custom kinds. */
  readonly id?: string
  readonly $schema?: string
  /** Rejected in definitions of custom kinds. */
  readonly $ref?: string
  readonly description?: string
  /** `object`, `array`, `string`, `integer`, `number` or `boolean`. */
  readonly type?: string
  /** Format of a string or number: `date-time`, `int32`. Unknown formats are not checked. */
  readonly format?: string
  readonly title?: string
  /** Value that is set if the member is absent. */
  readonly default?: Json
  /** Inclusive, unless `exclusiveMaximum` is set. */
  readonly maximum?: number
  /** Whether `maximum` itself is invalid, as in draft 4 of JSON Schema. */
  readonly exclusiveMaximum?: boolean
  /** Inclusive, unless `exclusiveMinimum` is set. */
  readonly minimum?: number
  /** Whether `minimum` itself is invalid, as in draft 4 of JSON Schema. */
  readonly exclusiveMinimum?: boolean
  /** In Unicode characters, not in bytes. */
  readonly maxLength?: number
  /** In Unicode characters, not in bytes. */
  readonly minLength?: number
  /** RE2 expression. It may match anywhere in the string. */
  readonly pattern?: string
  /** Inclusive. Bounds the estimated cost of rules about the items. */
  readonly maxItems?: number
  /** Inclusive. */
  readonly minItems?: number
  /** Rejected in definitions of custom kinds if true, because the comparison of items is quadratic. */
  readonly uniqueItems?: boolean
  /** Divisor of which the number must be a multiple. */
  readonly multipleOf?: number
  /** Valid values. They are compared deeply. */
  readonly enum?: Json[]
  /** Inclusive. Bounds the estimated cost of rules about the members. */
  readonly maxProperties?: number
  /** Inclusive. */
  readonly minProperties?: number
  /** Members that must be present, even if they are null. */
  readonly required?: string[]
  /** Schema of every item. Definitions of custom kinds may not have a list of schemas. */
  readonly items?: JsonSchemaProps | JsonSchemaProps[] | null
  /** Schemas that must all hold. */
  readonly allOf?: JsonSchemaProps[]
  /** Schemas of which exactly one must hold. */
  readonly oneOf?: JsonSchemaProps[]
  /** Schemas of which at least one must hold. */
  readonly anyOf?: JsonSchemaProps[]
  readonly not?: JsonSchemaProps
  /** Schemas of members by name. */
  readonly properties?: Readonly<Record<string, JsonSchemaProps>>
  /** Schema of the members that `properties` does not name. False forbids them. */
  readonly additionalProperties?: JsonSchemaProps | boolean
  /** Rejected in definitions of custom kinds. */
  readonly patternProperties?: Readonly<Record<string, JsonSchemaProps>>
  /** Rejected in definitions of custom kinds. */
  readonly dependencies?: Readonly<Record<string, JsonSchemaProps | string[] | null>>
  /** Rejected in definitions of custom kinds. */
  readonly additionalItems?: JsonSchemaProps | boolean
  /** Rejected in definitions of custom kinds. */
  readonly definitions?: Readonly<Record<string, JsonSchemaProps>>
  /** Whether the value may be null. */
  readonly nullable?: boolean
  /** Whether members that the schema does not name are kept. They are pruned otherwise. */
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
  /** Whether the value is an API object, with apiVersion, kind and metadata that are validated. */
  readonly 'x-kubernetes-embedded-resource'?: boolean
  /** Whether the value may be an integer or a string. */
  readonly 'x-kubernetes-int-or-string'?: boolean
  /** Members that identify an item of a list of type `map`. */
  readonly 'x-kubernetes-list-map-keys'?: string[]
  /** `atomic`, `set` or `map`. Server-side apply merges the items of the latter two. */
  readonly 'x-kubernetes-list-type'?: string
  /** `granular` or `atomic`. Server-side apply merges the members of the former. */
  readonly 'x-kubernetes-map-type'?: string
  readonly 'x-kubernetes-validations'?: ValidationRule[]
}

/** A CEL rule of x-kubernetes-validations. */
export type ValidationRule = {
  /** CEL expression that is true if the value, `self`, is valid. A rule that uses `oldSelf` runs only on updates. */
  readonly rule: string
  /** Message of the error. Used if there is no `messageExpression`, or if it fails. */
  readonly message?: string
  /** CEL expression that returns the message. It takes precedence over `message`. */
  readonly messageExpression?: string
  /**
   * `FieldValueInvalid`, which is the default, `FieldValueForbidden`, `FieldValueRequired` or `FieldValueDuplicate`.
   */
  readonly reason?: string
  /** Path of the member that the error names, relative to the value: `.minReplicas`. */
  readonly fieldPath?: string
  /** Whether `oldSelf` is a CEL optional. The rule runs on creates too then, with an empty one. */
  readonly optionalOldSelf?: boolean
}
