import type { JsonSchemaProps } from '../../../api/apiextensions/json-schema-props.ts'
import type { CustomResourceDefinition } from '../../../api/apiextensions/v1.types.ts'
import { ruleTree } from '../../../cel/rules/rule-node.ts'
import { runRules } from '../../../cel/rules/rule-validator.ts'
import { runInTurns } from '../../../lib/steps.ts'
import { SHARED_TURNS } from '../../../lib/turn.ts'
import { deepEqualInSteps } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { itemsSchema } from '../../../schema/json-schema/props.ts'
import { shareParts } from './spec.ts'

/**
 * Checks the defaults of a definition's schemas against the validation rules of their own schemas. Skipped if an update
 * does not change the versions.
 */
export async function defaultRuleErrors(next: CustomResourceDefinition, old: CustomResourceDefinition | undefined): Promise<FieldError[]> {
  if (old && (await runInTurns(deepEqualInSteps(next.spec.versions, old.spec.versions)))) return []
  const { shared, versions } = shareParts(next.spec)
  const spec = fieldPath('spec')
  const errors = await errorsOf(shared.schema?.openAPIV3Schema, spec.child('validation', 'openAPIV3Schema'))
  for (const [i, { schema }] of versions.entries())
    errors.push(...(await errorsOf(schema?.openAPIV3Schema, spec.child('versions').index(i).child('schema', 'openAPIV3Schema'))))
  return errors
}

/** Rules apply at and below the schema that has the default. Paths are those of the schema, not of the values. */
async function errorsOf(schema: JsonSchemaProps | undefined, path: FieldPath): Promise<FieldError[]> {
  if (schema === undefined) return []
  const errors: FieldError[] = []
  const tree = schema.default === undefined ? undefined : ruleTree(schema, schema['x-kubernetes-embedded-resource'] === true)
  if (tree && schema.default !== undefined) {
    const value = schema.default
    // A default has no old value, so transition rules compare it with itself.
    errors.push(...(await runRules(tree, { value, old: value, path: path.child('default'), turns: SHARED_TURNS })).errors)
  }
  // Defaults are forbidden elsewhere.
  errors.push(...(await errorsOf(itemsSchema(schema), path.child('items'))))
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    errors.push(...(await errorsOf(property, path.child('properties').key(name))))
  return errors
}
