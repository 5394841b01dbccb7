import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import { regexpFault } from '../../lib/regexp-syntax.ts'
import { isStepDone, type Steps, sortInSteps } from '../../lib/steps.ts'
import { memberNames } from '../../lib/wide-objects.ts'
import { deepEqual } from '../../meta/equal.ts'
import { appendErrors, type FieldError, fieldErrorText, forbidden, invalid, required } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { additionalSchema, itemsSchema, propertySchema } from './props.ts'
import { completenessErrors } from './structural-completeness.ts'

/** Position of a schema: the root, items of a list, or a member. */
type Level = 'root' | 'item' | 'field'

/** Upstream's texts for a schema without a type. */
const EMPTY_TYPE: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
}

/**
 * Checks in steps whether a schema is structural: every value outside junctors has a type, junctors only narrow it, and
 * metadata is left to the server. The schema must have a structural form (`structural-form.ts`). Errors are sorted by
 * text, as upstream does. Source:
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
 */
export function* validateStructural(schema: JsonSchemaProps, path: FieldPath): Steps<FieldError[]> {
  const errors = appendErrors(yield* invariantErrors(schema, 'root', path), yield* completenessErrors(schema, path))
  if (errors.length === 0) return errors
  const texts: { readonly error: FieldError; readonly text: string }[] = []
  for (const error of errors) {
    if (isStepDone()) yield
    texts.push({ error, text: fieldErrorText(error) })
  }
  return (yield* sortInSteps(texts, (a, b) => (a.text < b.text ? -1 : 1))).map(({ error }) => error)
}

/** Checks a schema and those within it outside junctors. */
function* invariantErrors(schema: JsonSchemaProps, level: Level, path: FieldPath): Steps<FieldError[]> {
  const errors: FieldError[] = []
  if (isStepDone()) yield
  const items = itemsSchema(schema)
  if (schema.type === 'array' && schema.items === undefined) errors.push(required(path.child('items'), 'must be specified'))
  if (items) appendErrors(errors, yield* invariantErrors(items, 'item', path.child('items')))
  const { properties = {} } = schema
  for (const name of yield* memberNames(properties)) {
    const property = properties[name]
    if (property) appendErrors(errors, yield* invariantErrors(property, 'field', path.child('properties').key(name)))
  }
  const additional = path.child('additionalProperties')
  if (schema.additionalProperties !== undefined) {
    if (level === 'root') errors.push(forbidden(additional, 'must not be used at the root'))
    const inner = additionalSchema(schema)
    if (inner) appendErrors(errors, yield* invariantErrors(inner, 'field', additional))
  }
  errors.push(...extensionErrors(schema, path))
  appendErrors(errors, yield* narrowingErrors(schema, isIntOrString(schema.anyOf), isIntOrString(schema.allOf?.[0]?.anyOf), path))
  errors.push(...typeErrors(schema, level, path))
  if (schema['x-kubernetes-embedded-resource'] && schema.additionalProperties !== undefined) {
    errors.push(forbidden(additional, 'must not be used if x-kubernetes-embedded-resource is set'))
  }
  if (level === 'root' && schema.type !== undefined && schema.type !== 'object')
    errors.push(invalid(path.child('type'), schema.type, 'must be object at the root'))
  return appendErrors(errors, objectErrors(schema, level, path))
}

/** A type can only be omitted if the schema preserves unknown members or is int-or-string. */
function typeErrors(schema: JsonSchemaProps, level: Level, path: FieldPath): FieldError[] {
  const at = path.child('type')
  const { type } = schema
  if (schema['x-kubernetes-embedded-resource'] && type !== 'object') {
    const text = 'must be object if x-kubernetes-embedded-resource is true'
    return [type === undefined ? required(at, text) : invalid(at, type, text)]
  }
  const open = schema['x-kubernetes-int-or-string'] || schema['x-kubernetes-preserve-unknown-fields']
  return type === undefined && !open ? [required(at, EMPTY_TYPE[level])] : []
}

/** Checks the members of every API object. */
function objectErrors(schema: JsonSchemaProps, level: Level, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const embedded = schema['x-kubernetes-embedded-resource'] === true
  const isObject = level === 'root' || embedded
  const properties = path.child('properties')
  for (const name of isObject ? ['kind', 'apiVersion'] : []) {
    const member = propertySchema(schema, name)
    if (member && member.type !== 'string') errors.push(invalid(properties.key(name).child('type'), member.type ?? '', 'must be string'))
  }
  const metadata = propertySchema(schema, 'metadata')
  if (metadata) {
    const at = properties.key('metadata')
    if (isObject && metadata.type !== 'object') errors.push(invalid(at.child('type'), metadata.type ?? '', 'must be object'))
    if (level === 'root' && saysMoreThanNames(metadata)) {
      errors.push(forbidden(at, 'must not specify anything other than name and generateName, but metadata is implicitly specified'))
    }
  }
  if (embedded && !schema['x-kubernetes-preserve-unknown-fields'] && schema.properties === undefined) {
    const text = 'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields'
    errors.push(required(properties, text))
  }
  return errors
}

/**
 * Members that may restrict metadata: a default is rejected elsewhere; documentation and examples are not part of the
 * structural form.
 */
const UNSEEN = new Set(['type', 'default', 'externalDocs', 'example'])

/** Whether the schema of metadata restricts more than names, which is left to the server. */
function saysMoreThanNames(metadata: JsonSchemaProps): boolean {
  const onlyNames = Object.keys(metadata.properties ?? {}).every(name => name === 'name' || name === 'generateName')
  return !onlyNames || Object.keys(metadata).some(name => name !== 'properties' && !UNSEEN.has(name))
}

/** Reports contradicting extensions. */
function extensionErrors(schema: JsonSchemaProps, path: FieldPath): FieldError[] {
  if (!schema['x-kubernetes-int-or-string']) return []
  return (['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const)
    .filter(name => schema[name])
    .map(name => invalid(path.child(name), true, 'must be false if x-kubernetes-int-or-string is true'))
}

/** Whether a junctor is the one that may have types: `anyOf: [{type: integer}, {type: string}]`. */
function isIntOrString(anyOf: readonly JsonSchemaProps[] | undefined): boolean {
  return anyOf?.length === 2 && ['integer', 'string'].every((type, i) => deepEqual(anyOf[i], { type }))
}

/** Checks the junctors of a schema. */
function* narrowingErrors(
  schema: JsonSchemaProps,
  skipAnyOf: boolean,
  skipAnyOfInFirstAllOf: boolean,
  path: FieldPath,
): Steps<FieldError[]> {
  const errors: FieldError[] = []
  for (const [i, clause] of (skipAnyOf ? [] : (schema.anyOf ?? [])).entries())
    appendErrors(errors, yield* nestedErrors(clause, false, path.child('anyOf').index(i)))
  for (const [i, clause] of (schema.allOf ?? []).entries()) {
    appendErrors(errors, yield* nestedErrors(clause, skipAnyOfInFirstAllOf && i === 0, path.child('allOf').index(i)))
  }
  for (const [i, clause] of (schema.oneOf ?? []).entries())
    appendErrors(errors, yield* nestedErrors(clause, false, path.child('oneOf').index(i)))
  if (schema.not) appendErrors(errors, yield* nestedErrors(schema.not, false, path.child('not')))
  const fault = schema.pattern === undefined ? undefined : regexpFault(schema.pattern)
  if (fault !== undefined) {
    errors.push(
      invalid(path.child('pattern'), schema.pattern, `must be a valid regular expression, but isn't: error parsing regexp: ${fault}`),
    )
  }
  return errors
}

/** Members that a schema within a junctor cannot have, and the errors for them. */
const FORBIDDEN_IN_JUNCTORS: readonly (readonly [keyof JsonSchemaProps, string])[] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
]

/** Checks a schema within a junctor. */
function* nestedErrors(schema: JsonSchemaProps, skipAnyOf: boolean, path: FieldPath): Steps<FieldError[]> {
  if (isStepDone()) yield
  const errors = yield* narrowingErrors(schema, skipAnyOf, false, path)
  const items = itemsSchema(schema)
  if (items) appendErrors(errors, yield* nestedErrors(items, false, path.child('items')))
  const { properties = {} } = schema
  for (const name of yield* memberNames(properties)) {
    const property = properties[name]
    if (property) appendErrors(errors, yield* nestedErrors(property, false, path.child('properties').key(name)))
  }
  for (const [name, text] of FORBIDDEN_IN_JUNCTORS) {
    if (schema[name] !== undefined && schema[name] !== false) errors.push(forbidden(path.child(name), text))
  }
  if (propertySchema(schema, 'metadata'))
    errors.push(forbidden(path.child('properties').key('metadata'), 'must not be specified in a nested context'))
  return errors
}
