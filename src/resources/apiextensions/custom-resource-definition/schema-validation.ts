import type { JsonSchemaProps } from '../../../api/apiextensions/json-schema-props.ts'
import type { Steps } from '../../../lib/steps.ts'
import { givenEmptyNames } from '../../../meta/empty-members.ts'
import { type FieldError, forbidden, invalid } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { validateStructural } from '../../../schema/json-schema/structural.ts'
import { findStructuralFault } from '../../../schema/json-schema/structural-form.ts'
import type { ValueRules } from '../../../schema/json-schema/value-rules.ts'
import { validateDefaults } from './default-values.ts'
import { goSchema } from './go-schema.ts'
import { type SchemaRules, validateOpenApiSchema } from './open-api-schema.ts'

/** Rules of the schemas of a definition. */
export interface DefinitionSchemaRules extends SchemaRules {
  /**
   * Whether schemas must be structural:
   * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema.
   */
  readonly requireStructural: boolean
  /** Whether defaults may contain only members that their schemas specify. */
  readonly requirePrunedDefaults: boolean
  /** Rules by which defaults are checked. */
  readonly values: ValueRules
}

/** Members that a root schema may have if the status subresource is enabled, under the names in upstream's message. */
const BESIDE_STATUS = [
  ...[
    'Description',
    'Type',
    'Format',
    'Title',
    'Maximum',
    'ExclusiveMaximum',
    'Minimum',
    'ExclusiveMinimum',
    'MaxLength',
    'MinLength',
    'Pattern',
    'MaxItems',
  ],
  ...[
    'MinItems',
    'UniqueItems',
    'MultipleOf',
    'Required',
    'Items',
    'Properties',
    'ExternalDocs',
    'Example',
    'XPreserveUnknownFields',
    'XValidations',
  ],
]
const ALLOWED = new Set(BESIDE_STATUS.map(name => name.charAt(0).toLowerCase() + name.slice(1)))
const EXTENSIONS = new Set(['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-validations'])

/**
 * Validates the schema of a version, in steps. Defaults are validated only in a structural schema, and expressions only
 * if the schema is structural and its defaults are valid. `path` is that of the parent of `openAPIV3Schema`.
 * `hasStatus` is set if the kind has the subresource, whose schema comes from the properties.
 */
export function* validateSchema(
  schema: JsonSchemaProps | undefined,
  path: FieldPath,
  hasStatus: boolean,
  rules: DefinitionSchemaRules,
): Steps<FieldError[]> {
  if (schema === undefined) return []
  const at = path.child('openAPIV3Schema')
  const errors = hasStatus ? besideStatusErrors(schema, at) : []
  if (schema.nullable) errors.push(forbidden(at.child('nullable'), 'nullable cannot be true at the root'))
  const fault = rules.requireStructural ? yield* findStructuralFault(schema) : undefined
  let structural = false
  yield
  if (rules.requireStructural && fault === undefined) {
    const found = yield* validateStructural(schema, at)
    yield
    if (found.length === 0) found.push(...(yield* validateDefaults(schema, at, rules.requirePrunedDefaults, rules.values)))
    structural = found.length === 0
    errors.push(...found)
  }
  errors.push(...(yield* validateOpenApiSchema(schema, at, rules, structural)))
  // The checks above name the field at fault. This error is only for faults that they do not find.
  return errors.length === 0 && fault !== undefined ? [invalid(at, '', fault)] : errors
}

/** Checks the members of the root schema. */
function besideStatusErrors(schema: JsonSchemaProps, path: FieldPath): FieldError[] {
  const suffix = 'at the root of the schema if the status subresource is enabled'
  const { type } = schema
  if (type !== undefined && type !== 'object') return [invalid(path.child('type'), type, `only "object" is allowed as the type ${suffix}`)]
  if ([...Object.keys(schema), ...givenEmptyNames(schema)].every(name => ALLOWED.has(name) || EXTENSIONS.has(name))) return []
  return [invalid(path, goSchema(schema), `only [${BESIDE_STATUS.join(' ')}] fields are allowed ${suffix}`)]
}
