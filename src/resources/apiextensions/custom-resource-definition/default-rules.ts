import type { JsonSchemaProps } from '../../../api/apiextensions/json-schema-props.ts'
import type { CustomResourceDefinition } from '../../../api/apiextensions/v1.types.ts'
import type { Json } from '../../../api/meta/object.ts'
import { type RuleNode, ruleTreeInSteps } from '../../../cel/rules/rule-node.ts'
import { runRules } from '../../../cel/rules/rule-validator.ts'
import { isStepDone, runInTurns, type Steps } from '../../../lib/steps.ts'
import { SHARED_TURNS } from '../../../lib/turn.ts'
import { memberNames } from '../../../lib/wide-objects.ts'
import { deepEqualInSteps } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { isEmbedded, itemsSchema } from '../../../schema/json-schema/props.ts'
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

/** A default in a schema that has rules. */
interface RuledDefault {
  readonly value: Json
  readonly rules: RuleNode
  readonly path: FieldPath
}

/** Rules apply at and below the schema that has the default. Paths are those of the schema, not of the values. */
async function errorsOf(schema: JsonSchemaProps | undefined, path: FieldPath): Promise<FieldError[]> {
  const errors: FieldError[] = []
  // A default has no old value, so transition rules compare it with itself.
  for (const { value, rules, path: at } of schema ? await runInTurns(ruledDefaults(schema, path)) : [])
    errors.push(...(await runRules(rules, { value, old: value, path: at, turns: SHARED_TURNS })).errors)
  return errors
}

/**
 * Lists the defaults of a schema to which rules apply, each before those below it. Defaults are forbidden in other
 * parts than items and properties. Uses a stack, because a generator of each property would cost more than its check.
 */
export function* ruledDefaults(schema: JsonSchemaProps, path: FieldPath): Steps<RuledDefault[]> {
  const found: RuledDefault[] = []
  const open: [JsonSchemaProps, FieldPath][] = [[schema, path]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [each, at] = next
    if (isStepDone()) yield
    const { properties = {}, default: value } = each
    const rules = value === undefined ? undefined : yield* ruleTreeInSteps(each, isEmbedded(each))
    if (value !== undefined && rules) found.push({ value, rules, path: at.child('default') })
    const inner: [JsonSchemaProps, FieldPath][] = []
    const items = itemsSchema(each)
    if (items) inner.push([items, at.child('items')])
    for (const name of yield* memberNames(properties)) {
      if (isStepDone()) yield
      const property = properties[name]
      if (property) inner.push([property, at.child('properties').key(name)])
    }
    for (let last = inner.pop(); last !== undefined; last = inner.pop()) open.push(last)
  }
  return found
}
