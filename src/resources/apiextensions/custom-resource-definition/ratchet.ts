import type { JsonSchemaProps } from '../../../api/apiextensions/json-schema-props.ts'
import type { CustomResourceDefinition, CustomResourceDefinitionSpec } from '../../../api/apiextensions/v1.types.ts'
import type { Steps } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince, minorOf } from '../../../lifecycle/release.ts'
import { deepEqualBySize } from '../../../meta/equal.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { itemsSchema, someSchemaInSteps } from '../../../schema/json-schema/props.ts'
import { validateStructural } from '../../../schema/json-schema/structural.ts'
import { findStructuralFault } from '../../../schema/json-schema/structural-form.ts'
import { valueRulesOf } from '../../shared/value-rules.ts'
import { isInvalidCaBundle } from './ca-bundle.ts'
import { type ConversionRules, hasKnownReviewVersion } from './conversion.ts'
import { hasUnprunedDefaults } from './default-values.ts'
import { hasAtomicItems, validateMapKeys } from './list-types.ts'
import { OPEN_API_TYPES } from './open-api-schema.ts'
import type { StoredExpressions } from './rule-expressions.ts'
import type { DefinitionSchemaRules } from './schema-validation.ts'
import { isConditionTrue, schemasOf, shareParts } from './spec.ts'

/** Rules of a definition. An update may keep faults of the old definition. */
export interface DefinitionRules extends DefinitionSchemaRules, ConversionRules {
  readonly immutableNames: boolean
  readonly requireSchema: boolean
  /** Stored schemas by version. */
  readonly storedSchemas: ReadonlyMap<string, JsonSchemaProps>
}

/**
 * Rules of a create. The CA bundle is checked only on updates of an established definition whose old bundle is valid.
 */
const ALL: Omit<DefinitionRules, 'minor' | 'values' | 'boundsNames'> = {
  requireStructural: true,
  requirePrunedDefaults: true,
  requireValidTypes: true,
  requireAtomicSets: true,
  requireMapKeys: true,
  requireKnownReviewVersion: true,
  allowInvalidCaBundle: true,
  immutableNames: false,
  requireSchema: true,
  storedExpressions: { rules: new Set(), messages: new Set() },
  storedSchemas: new Map(),
}

/**
 * Returns the rules of a write: all except those that the stored definition already breaks. Names are immutable once
 * the kind is served. Runs in steps of some hundred schemas.
 */
export function* rulesFor(old: CustomResourceDefinition | undefined, features: Features): Steps<DefinitionRules> {
  // The oldest compatible release must be able to compile new expressions.
  const ofRelease = {
    minor: minorOf(features.compatibility),
    boundsNames: isSince(features.release, '1.37'),
    values: valueRulesOf(features),
  }
  if (!old) return { ...ALL, ...ofRelease }
  const spec = shareParts(old.spec)
  const schemas = schemasOf(spec)
  const established = isConditionTrue(old, 'Established')
  // Reports whether all root schemas satisfy a rule. Stops at the first that does not.
  const of = function* (holds: (schema: JsonSchemaProps) => Steps<boolean>): Steps<boolean> {
    for (const schema of schemas) if (!(yield* holds(schema))) return false
    return true
  }
  // Reports whether all schemas satisfy a rule, including nested ones.
  const every = (holds: (schema: JsonSchemaProps) => boolean): Steps<boolean> =>
    of(function* (schema) {
      return !(yield* someSchemaInSteps(schema, inner => !holds(inner)))
    })
  const structural = new Set<JsonSchemaProps>()
  for (const schema of schemas) {
    if (yield* isStructural(schema)) structural.add(schema)
    yield
  }
  return {
    requireStructural: structural.size === schemas.length,
    requirePrunedDefaults: yield* of(function* (schema) {
      return !structural.has(schema) || !(yield* hasUnprunedDefaults(schema))
    }),
    requireValidTypes: yield* every(({ type }) => type === undefined || OPEN_API_TYPES.includes(type)),
    requireAtomicSets: yield* every(schema => schema['x-kubernetes-list-type'] !== 'set' || !itemsSchema(schema) || hasAtomicItems(schema)),
    requireMapKeys: yield* every(schema => validateMapKeys(schema, fieldPath()).length === 0),
    requireKnownReviewVersion: hasKnownReviewVersion(spec.conversion),
    allowInvalidCaBundle: !established || (yield* isInvalidCaBundle(spec.conversion?.webhook?.clientConfig?.caBundle)),
    immutableNames: established,
    requireSchema:
      spec.shared.schema?.openAPIV3Schema !== undefined || spec.versions.every(({ schema }) => schema?.openAPIV3Schema !== undefined),
    ...ofRelease,
    storedExpressions: yield* storedIn(schemas),
    storedSchemas: new Map(versionSchemas(old.spec)),
  }
}

function versionSchemas({ versions }: CustomResourceDefinitionSpec): (readonly [string, JsonSchemaProps])[] {
  return (versions ?? []).flatMap(({ name, schema }) => (schema?.openAPIV3Schema ? [[name, schema.openAPIV3Schema] as const] : []))
}

/**
 * Returns the rules for a schema of a version. If it equals the stored one, the cost of its expressions is not limited.
 */
export function* rulesOfVersion(
  rules: DefinitionRules,
  version: string | undefined,
  schema: JsonSchemaProps | undefined,
): Steps<DefinitionRules> {
  const stored = version === undefined ? undefined : rules.storedSchemas.get(version)
  if (stored === undefined) return rules
  return (yield* deepEqualBySize(stored, schema)) ? { ...rules, isUnchanged: true } : rules
}

/** Collects the texts of the expressions at any depth of the schemas. */
function* storedIn(schemas: readonly JsonSchemaProps[]): Steps<StoredExpressions> {
  const rules = new Set<string>()
  const messages = new Set<string>()
  const collect = (schema: JsonSchemaProps): boolean => {
    for (const { rule, messageExpression } of schema['x-kubernetes-validations'] ?? []) {
      rules.add(rule)
      if (messageExpression) messages.add(messageExpression)
    }
    // Returning false continues the search.
    return false
  }
  for (const schema of schemas) yield* someSchemaInSteps(schema, collect)
  return { rules, messages }
}

function* isStructural(schema: JsonSchemaProps): Steps<boolean> {
  return (yield* findStructuralFault(schema)) === undefined && (yield* validateStructural(schema, fieldPath())).length === 0
}
