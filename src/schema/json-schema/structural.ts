import { regexpFault } from '../../lib/regexp-syntax.ts'
import { isStepDone, type Steps, sorted } from '../../lib/steps.ts'
import { deepEqual } from '../../meta/equal.ts'
import { appendErrors, type FieldError, fieldErrorText, forbidden, invalid, required } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { additionalSchema, itemsSchema, type JsonSchemaProps, propertySchema } from './props.ts'
import { completenessErrors } from './structural-completeness.ts'

/** Where a schema stands: at the root, for the items of a list, or for a member. */
type Level = 'root' | 'item' | 'field'

/** Upstream's words for a schema without a type. */
const EMPTY_TYPE: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
}

/**
 * Whether a schema is structural: every value has a type outside of junctors, junctors only narrow it, and metadata is left to the server. The schema must have a
 * structural form (`structural-form.ts`). In steps; errors in the order of their texts, as upstream has them.
 * Source: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
 */
export function* validateStructural(schema: JsonSchemaProps, path: FieldPath): Steps<FieldError[]> {
  const errors = appendErrors(yield* invariantErrors(schema, 'root', path), yield* completenessErrors(schema, path))
  if (errors.length === 0) return errors
  const texts: { readonly error: FieldError; readonly text: string }[] = []
  for (const error of errors) {
    if (isStepDone()) yield
    texts.push({ error, text: fieldErrorText(error) })
  }
  return (yield* sorted(texts, (a, b) => (a.text < b.text ? -1 : 1))).map(({ error }) => error)
}

/** What must hold of a schema, and of those in it outside of junctors. */
function* invariantErrors(schema: JsonSchemaProps, level: Level, path: FieldPath): Steps<FieldError[]> {
  const errors: FieldError[] = []
  if (isStepDone()) yield
  const items = itemsSchema(schema)
  if (schema.type === 'array' && schema.items === undefined) errors.push(required(path.child('items'), 'must be specified'))
  if (items) appendErrors(errors, yield* invariantErrors(items, 'item', path.child('items')))
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    appendErrors(errors, yield* invariantErrors(property, 'field', path.child('properties').key(name)))
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

/** A type may be missing only where any value is allowed, or an integer and a string. */
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

/** What holds of the members that every object of the API has. */
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

/** A default is refused elsewhere; documentation and examples are no part of the structural form. */
const UNSEEN = new Set(['type', 'default', 'externalDocs', 'example'])

/** Metadata is the server's: a schema may restrict names, and nothing else. */
function saysMoreThanNames(metadata: JsonSchemaProps): boolean {
  const onlyNames = Object.keys(metadata.properties ?? {}).every(name => name === 'name' || name === 'generateName')
  return !onlyNames || Object.keys(metadata).some(name => name !== 'properties' && !UNSEEN.has(name))
}

/** Marks that contradict one another. */
function extensionErrors(schema: JsonSchemaProps, path: FieldPath): FieldError[] {
  if (!schema['x-kubernetes-int-or-string']) return []
  return (['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const)
    .filter(name => schema[name])
    .map(name => invalid(path.child(name), true, 'must be false if x-kubernetes-int-or-string is true'))
}

/** The one junctor that may have types: `anyOf: [{type: integer}, {type: string}]`. */
function isIntOrString(anyOf: readonly JsonSchemaProps[] | undefined): boolean {
  return anyOf?.length === 2 && ['integer', 'string'].every((type, i) => deepEqual(anyOf[i], { type }))
}

/** What a schema demands of values beyond their type. */
function* narrowingErrors(schema: JsonSchemaProps, skipAnyOf: boolean, skipAnyOfInFirstAllOf: boolean, path: FieldPath): Steps<FieldError[]> {
  const errors: FieldError[] = []
  for (const [i, clause] of (skipAnyOf ? [] : (schema.anyOf ?? [])).entries())
    appendErrors(errors, yield* nestedErrors(clause, false, path.child('anyOf').index(i)))
  for (const [i, clause] of (schema.allOf ?? []).entries()) {
    appendErrors(errors, yield* nestedErrors(clause, skipAnyOfInFirstAllOf && i === 0, path.child('allOf').index(i)))
  }
  for (const [i, clause] of (schema.oneOf ?? []).entries()) appendErrors(errors, yield* nestedErrors(clause, false, path.child('oneOf').index(i)))
  if (schema.not) appendErrors(errors, yield* nestedErrors(schema.not, false, path.child('not')))
  const fault = schema.pattern === undefined ? undefined : regexpFault(schema.pattern)
  if (fault !== undefined) {
    errors.push(invalid(path.child('pattern'), schema.pattern, `must be a valid regular expression, but isn't: error parsing regexp: ${fault}`))
  }
  return errors
}

/** Members that a schema under a junctor may not have, with what is said of them. */
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

/** What a schema under a junctor may not say. */
function* nestedErrors(schema: JsonSchemaProps, skipAnyOf: boolean, path: FieldPath): Steps<FieldError[]> {
  if (isStepDone()) yield
  const errors = yield* narrowingErrors(schema, skipAnyOf, false, path)
  const items = itemsSchema(schema)
  if (items) appendErrors(errors, yield* nestedErrors(items, false, path.child('items')))
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    appendErrors(errors, yield* nestedErrors(property, false, path.child('properties').key(name)))
  for (const [name, text] of FORBIDDEN_IN_JUNCTORS) {
    if (schema[name] !== undefined && schema[name] !== false) errors.push(forbidden(path.child(name), text))
  }
  if (propertySchema(schema, 'metadata')) errors.push(forbidden(path.child('properties').key('metadata'), 'must not be specified in a nested context'))
  return errors
}
