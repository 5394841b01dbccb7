import type { Json, JsonObject } from '../../../api/meta/object.ts'
import { sortedKeys } from '../../../schema/members.ts'

/** Form of a member in encoding/json: the zero value of its Go type, or how its schemas are nested. */
type Form = '' | false | null | 'schema' | 'schemas' | 'named' | 'items' | 'orBool' | 'dependencies' | 'docs'

/** Member of apiextensions.JSONSchemaProps. `goType` is given if its zero value is nil. */
type Member = readonly [internal: string, v1: string, form: Form, goType?: string]

/**
 * Members of apiextensions.JSONSchemaProps, which has no JSON tags, in the order of the struct, each with its name in
 * v1.
 */
export const MEMBERS: readonly Member[] = [
  ['ID', 'id', ''],
  ['Schema', '$schema', ''],
  ['Ref', '$ref', null, '*string'],
  ['Description', 'description', ''],
  ['Type', 'type', ''],
  ['Nullable', 'nullable', false],
  ['Format', 'format', ''],
  ['Title', 'title', ''],
  ['Default', 'default', null, '*apiextensions.JSON'],
  ['Maximum', 'maximum', null, '*float64'],
  ['ExclusiveMaximum', 'exclusiveMaximum', false],
  ['Minimum', 'minimum', null, '*float64'],
  ['ExclusiveMinimum', 'exclusiveMinimum', false],
  ['MaxLength', 'maxLength', null, '*int64'],
  ['MinLength', 'minLength', null, '*int64'],
  ['Pattern', 'pattern', ''],
  ['MaxItems', 'maxItems', null, '*int64'],
  ['MinItems', 'minItems', null, '*int64'],
  ['UniqueItems', 'uniqueItems', false],
  ['MultipleOf', 'multipleOf', null, '*float64'],
  ['Enum', 'enum', null, '[]apiextensions.JSON'],
  ['MaxProperties', 'maxProperties', null, '*int64'],
  ['MinProperties', 'minProperties', null, '*int64'],
  ['Required', 'required', null, '[]string'],
  ['Items', 'items', 'items', '*apiextensions.JSONSchemaPropsOrArray'],
  ['AllOf', 'allOf', 'schemas', '[]apiextensions.JSONSchemaProps'],
  ['OneOf', 'oneOf', 'schemas', '[]apiextensions.JSONSchemaProps'],
  ['AnyOf', 'anyOf', 'schemas', '[]apiextensions.JSONSchemaProps'],
  ['Not', 'not', 'schema', '*apiextensions.JSONSchemaProps'],
  ['Properties', 'properties', 'named', 'map[string]apiextensions.JSONSchemaProps'],
  ['AdditionalProperties', 'additionalProperties', 'orBool', '*apiextensions.JSONSchemaPropsOrBool'],
  ['PatternProperties', 'patternProperties', 'named', 'map[string]apiextensions.JSONSchemaProps'],
  ['Dependencies', 'dependencies', 'dependencies', 'apiextensions.JSONSchemaDependencies'],
  ['AdditionalItems', 'additionalItems', 'orBool', '*apiextensions.JSONSchemaPropsOrBool'],
  ['Definitions', 'definitions', 'named', 'apiextensions.JSONSchemaDefinitions'],
  ['ExternalDocs', 'externalDocs', 'docs', '*apiextensions.ExternalDocumentation'],
  ['Example', 'example', null, '*apiextensions.JSON'],
  ['XPreserveUnknownFields', 'x-kubernetes-preserve-unknown-fields', null, '*bool'],
  ['XEmbeddedResource', 'x-kubernetes-embedded-resource', false],
  ['XIntOrString', 'x-kubernetes-int-or-string', false],
  ['XListMapKeys', 'x-kubernetes-list-map-keys', null, '[]string'],
  ['XListType', 'x-kubernetes-list-type', null, '*string'],
  ['XMapType', 'x-kubernetes-map-type', null, '*string'],
]

const isList = (value: Json): value is Json[] => Array.isArray(value)
const named = (value: Json, each: (member: Json) => Json): Json =>
  Object.fromEntries(sortedKeys(value as JsonObject).map(name => [name, each((value as JsonObject)[name] ?? null)]))

/**
 * Returns a schema in the form in which upstream's errors print it since 1.34: with the names of its internal type, and
 * without omitting empty members.
 */
export function internalSchema(schema: Json): JsonObject {
  const from = schema as JsonObject
  const members = MEMBERS.map(([internal, v1, form]) => [internal, memberIn(form, from[v1] ?? null)] as const)
  const rules = from['x-kubernetes-validations'] ?? null
  return { ...Object.fromEntries(members), XValidations: isList(rules) ? rules.map(internalRule) : null }
}

/** Returns a validation rule in the form of the internal type. */
export const internalRule = (rule: Json): JsonObject => {
  const {
    rule: text = '',
    message = '',
    messageExpression = '',
    reason = null,
    fieldPath = '',
    optionalOldSelf = null,
  } = rule as JsonObject
  return {
    Rule: text,
    Message: message,
    MessageExpression: messageExpression,
    Reason: reason,
    FieldPath: fieldPath,
    OptionalOldSelf: optionalOldSelf,
  }
}

/**
 * Returns a member as Go prints it. Absent members are null, or the zero value that `form` is if it is no name of a
 * form.
 */
function memberIn(form: Form, value: Json): Json {
  if (value === null) return typeof form === 'string' && form !== '' ? null : form
  switch (form) {
    case 'schema':
      return internalSchema(value)
    case 'schemas':
      return isList(value) ? value.map(internalSchema) : null
    case 'named':
      return named(value, internalSchema)
    case 'items':
      return isList(value) ? { Schema: null, JSONSchemas: value.map(internalSchema) } : { Schema: internalSchema(value), JSONSchemas: null }
    case 'orBool':
      return typeof value === 'boolean' ? { Allows: value, Schema: null } : { Allows: true, Schema: internalSchema(value) }
    case 'dependencies':
      return named(value, one => (isList(one) ? { Schema: null, Property: one } : { Schema: internalSchema(one), Property: null }))
    case 'docs':
      return { Description: (value as JsonObject).description ?? '', URL: (value as JsonObject).url ?? '' }
    default:
      return value
  }
}
