import type { JsonSchemaProps } from '../../../api/apiextensions/json-schema-props.ts'
import { isLongStepDone, type Steps } from '../../../lib/steps.ts'
import { memberNames } from '../../../lib/wide-objects.ts'
import { isGivenEmpty } from '../../../meta/empty-members.ts'
import { type FieldError, forbidden, invalid, notSupported } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { additionalSchema, itemsSchema, positionalItems } from '../../../schema/json-schema/props.ts'
import { validateListAndMapTypes, validateMapKeys } from './list-types.ts'
import { type Occurrences, occurrencesBelow, RuleCosts } from './rule-costs.ts'
import { type RuleScope, type StoredExpressions, validateRuleExpressions } from './rule-expressions.ts'
import { validateSchemaRules } from './rules.ts'

/** Rules of schemas that the stored definition may already break. */
export interface SchemaRules {
  readonly requireValidTypes: boolean
  readonly requireAtomicSets: boolean
  readonly requireMapKeys: boolean
  readonly storedExpressions: StoredExpressions
  /** Minor version of the oldest release that must be able to compile new expressions. */
  readonly minor: number
  /** Whether the cost of expressions about names is limited by the maximum length of names. */
  readonly boundsNames: boolean
  /** Whether the schema is the stored one of this version. */
  readonly isUnchanged?: boolean
}

interface Context extends SchemaRules {
  readonly isRoot: boolean
  /** Optional. Reason why defaults are forbidden here. Unset if they are allowed. */
  readonly noDefaults?: string
  /** Whether the schema is below kind, apiVersion or metadata of an object. */
  readonly insideMeta: boolean
  /** Optional. Schema from which on down values cannot be correlated with old values in an update. */
  readonly uncorrelatable?: FieldPath
  /** Whether to validate expressions: the schema is structural, and not within a junctor. */
  readonly expressions: boolean
  readonly costs: RuleCosts
  /** Number of values of the schema that an object can have. */
  readonly occurrences: Occurrences
}

/** Errors of schemas and of expressions. Those of expressions come last. */
interface SchemaErrors {
  readonly schema: FieldError[]
  readonly expressions: FieldError[]
}

/** JSON schema types of OpenAPI v3.0. `null` is expressed by `nullable`. */
export const OPEN_API_TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string']
const META = new Set(['metadata', 'kind', 'apiVersion'])

/**
 * Validates the schema of a custom resource definition, in steps of some schemas. Expressions are validated only if
 * `structural` is set.
 */
export function* validateOpenApiSchema(
  schema: JsonSchemaProps,
  path: FieldPath,
  rules: SchemaRules,
  structural: boolean,
): Steps<FieldError[]> {
  const costs = new RuleCosts(!rules.isUnchanged)
  const found = yield* visit(schema, path, { ...rules, isRoot: true, insideMeta: false, expressions: structural, costs, occurrences: 1n })
  return [...found.schema, ...found.expressions, ...costs.totalErrors(path)]
}

/**
 * Validates a schema in this order: its own members, the schemas in it, list and map types, rules. Expressions are
 * compiled only if the schema and all schemas in it are valid.
 */
function* visit(schema: JsonSchemaProps | undefined, path: FieldPath, context: Context): Steps<SchemaErrors> {
  const found: SchemaErrors = { schema: [], expressions: [] }
  if (schema === undefined) return found
  if (isLongStepDone()) yield
  const occurrences = occurrencesBelow(schema, context.occurrences)
  const below: Below = function* (inner, at, changes = {}) {
    const errors = yield* visit(inner, at, { ...context, isRoot: false, occurrences, ...changes })
    found.schema.push(...errors.schema)
    found.expressions.push(...errors.expressions)
  }
  found.schema.push(...memberErrors(schema, path, context))
  yield* visitAdditional(schema, path, context, below, found)
  yield* visitProperties(schema, path, context, below)
  yield* visitJunctors(schema, path, below)
  yield* visitItems(schema, path, context, below)
  for (const [name, inner] of Object.entries(schema.dependencies ?? {})) {
    if (inner && !Array.isArray(inner)) yield* below(inner, path.child('dependencies').key(name), { expressions: false })
  }
  const preserve = 'x-kubernetes-preserve-unknown-fields'
  if (schema[preserve] === false) found.schema.push(invalid(path.child(preserve), false, 'must be true or undefined'))
  found.schema.push(...validateListAndMapTypes(schema, path, context.requireAtomicSets))
  if (context.requireMapKeys) found.schema.push(...validateMapKeys(schema, path))
  found.schema.push(...(yield* validateSchemaRules(schema, path)))
  if (context.expressions && found.schema.length === 0)
    found.expressions.push(...(yield* validateRuleExpressions(schema, path, ruleScope(schema, context))))
  return found
}

function ruleScope(
  schema: JsonSchemaProps,
  { isRoot, storedExpressions, minor, boundsNames, costs, occurrences, uncorrelatable }: Context,
): RuleScope {
  const whole = isRoot || schema['x-kubernetes-embedded-resource'] === true
  return { whole, stored: storedExpressions, minor, boundsNames, costs, occurrences, ...(uncorrelatable ? { uncorrelatable } : {}) }
}

/** Visits a nested schema with a changed context. */
type Below = (inner: JsonSchemaProps | undefined, at: FieldPath, changes?: Partial<Context>) => Steps<void>

/** Validates additionalProperties. Beside properties only `additionalProperties: true` is allowed. */
function* visitAdditional(
  schema: JsonSchemaProps,
  path: FieldPath,
  { insideMeta }: Context,
  below: Below,
  found: SchemaErrors,
): Steps<void> {
  if (schema.additionalProperties === undefined) return
  const at = path.child('additionalProperties')
  if (schema.properties && schema.additionalProperties !== true)
    found.schema.push(forbidden(at, 'additionalProperties and properties are mutual exclusive'))
  yield* below(additionalSchema(schema), at, insideMeta ? { noDefaults: 'inside additionalProperties applying to object metadata' } : {})
}

/**
 * Validates properties. Those of a map of unknown type cannot be correlated. Below kind, apiVersion and metadata of a
 * whole object other rules apply; at the root these have no defaults.
 */
function* visitProperties(schema: JsonSchemaProps, path: FieldPath, { isRoot, uncorrelatable }: Context, below: Below): Steps<void> {
  const mapType = schema['x-kubernetes-map-type']
  const known = mapType === undefined || mapType === 'granular' || mapType === 'atomic'
  const { properties = {} } = schema
  for (const name of yield* memberNames(properties)) {
    const property = properties[name]
    const meta = (isRoot || schema['x-kubernetes-embedded-resource'] === true) && META.has(name)
    yield* below(property, path.child('properties').key(name), {
      ...(!known && { uncorrelatable: uncorrelatable ?? path }),
      ...(meta && { insideMeta: true }),
      ...(meta && isRoot && { noDefaults: `in top-level ${name}` }),
    })
  }
}

/** Validates the schemas in `not`, `allOf`, `anyOf` and `oneOf`. Expressions in them are not compiled. */
function* visitJunctors(schema: JsonSchemaProps, path: FieldPath, below: Below): Steps<void> {
  const blind = { expressions: false }
  yield* below(schema.not, path.child('not'), blind)
  for (const junctor of ['allOf', 'oneOf', 'anyOf'] as const) {
    for (const [i, clause] of (schema[junctor] ?? []).entries()) yield* below(clause, path.child(junctor).index(i), blind)
  }
  for (const [name, inner] of Object.entries(schema.definitions ?? {})) yield* below(inner, path.child('definitions').key(name), blind)
}

function* visitItems(schema: JsonSchemaProps, path: FieldPath, { uncorrelatable }: Context, below: Below): Steps<void> {
  // Only items of a list of type map can be correlated.
  const changes = schema['x-kubernetes-list-type'] === 'map' ? {} : { uncorrelatable: uncorrelatable ?? path }
  const at = path.child('items')
  yield* below(itemsSchema(schema), at, changes)
  for (const [i, inner] of positionalItems(schema).entries()) yield* below(inner, at.index(i), changes)
}

/**
 * Members of JSON schema that a definition may not have. Schemas in `definitions` and `dependencies` are validated
 * nevertheless.
 */
const UNSUPPORTED = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'] as const

/** Validates the members of a schema, without the schemas in it. */
function memberErrors(schema: JsonSchemaProps, path: FieldPath, { requireValidTypes, noDefaults, insideMeta }: Context): FieldError[] {
  const errors: FieldError[] = []
  const { type } = schema
  if (requireValidTypes && type !== undefined && !OPEN_API_TYPES.includes(type))
    errors.push(notSupported(path.child('type'), type, OPEN_API_TYPES))
  if (schema.default !== undefined && noDefaults !== undefined)
    errors.push(forbidden(path.child('default'), `must not be set ${noDefaults}`))
  for (const name of UNSUPPORTED)
    if (schema[name] !== undefined || (name === 'dependencies' && isGivenEmpty(schema, name)))
      errors.push(forbidden(path.child(name), `${name} is not supported`))
  if (type === 'null') errors.push(forbidden(path.child('type'), 'type cannot be set to null, use nullable as an alternative'))
  if (positionalItems(schema).length > 0) errors.push(forbidden(path.child('items'), 'items must be a schema object and not an array'))
  const embedded = 'x-kubernetes-embedded-resource'
  if (insideMeta && schema[embedded]) errors.push(forbidden(path.child(embedded), 'must not be used inside of resource meta'))
  const quadratic = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'
  return schema.uniqueItems ? [...errors, forbidden(path.child('uniqueItems'), quadratic)] : errors
}
