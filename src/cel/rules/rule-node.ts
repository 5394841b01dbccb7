import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import { type Awaitable, isPending } from '../../lib/awaitable.ts'
import { isStepDone, runAtOnce, type Steps, startInTurns } from '../../lib/steps.ts'
import { memberNames } from '../../lib/wide-objects.ts'
import { additionalSchema, itemsSchema, propertySchema } from '../../schema/json-schema/props.ts'
import { declareTypes } from '../schema/declared-type.ts'
import { escapeProperty } from '../schema/property-names.ts'
import { isWhole } from '../schema/whole-objects.ts'
import { type CompiledRule, compileRule } from './compiled-rule.ts'

/** Name of the rules in a schema. */
const RULES = 'x-kubernetes-validations'

/** Compiles a rule on the first call. Returns a promise if that takes more than this turn. */
type RuleSource = () => CompiledRule | Promise<CompiledRule>

/** Rules of a schema and its parts, in a tree of the same structure. */
export interface RuleNode {
  /** Schema of the values. For rules in an allOf, this is the enclosing structural schema. */
  readonly schema: JsonSchemaProps
  /** Whether the values are whole objects. */
  readonly whole: boolean
  /**
   * Returns the rules of the values, or an error if expressions cannot represent the schema. Each rule is compiled on
   * its first use, because a schema can have very many.
   */
  readonly rules: () => readonly RuleSource[] | { readonly fault: string }
  readonly hasRules: boolean
  readonly items: RuleNode | undefined
  readonly properties: ReadonlyMap<string, RuleNode>
  readonly additional: RuleNode | undefined
  readonly allOf: readonly RuleNode[]
}

/** Reports whether a structural schema has rules at any depth. */
function* hasRules(schema: JsonSchemaProps): Steps<boolean> {
  const open = [schema]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (isStepDone()) yield
    if ((next[RULES] ?? []).length > 0) return true
    const [items, values, { properties }] = [itemsSchema(next), additionalSchema(next), next]
    if (items) open.push(items)
    if (values) open.push(values)
    if (properties === undefined) continue
    for (const name of yield* memberNames(properties)) {
      const property = properties[name]
      if (property) open.push(property)
      if (isStepDone()) yield
    }
  }
  return false
}

/** `ruleTree` in steps, for a schema that may be large. The rules of one that has any are collected in one step. */
export function* ruleTreeInSteps(schema: JsonSchemaProps, whole: boolean): Steps<RuleNode | undefined> {
  return (yield* hasRules(schema)) ? buildRuleNode(schema, schema, whole) : undefined
}

/**
 * Returns the rules of a schema. Undefined if it has none.
 * @param whole whether its values are whole objects, such as custom resources.
 */
export const ruleTree = (schema: JsonSchemaProps, whole: boolean): RuleNode | undefined => runAtOnce(ruleTreeInSteps(schema, whole))

/**
 * Builds a node.
 * @param stated schema that contains the rules: the structural schema itself, or a part of it in an allOf.
 */
function buildRuleNode(stated: JsonSchemaProps, spine: JsonSchemaProps, whole: boolean): RuleNode | undefined {
  const [statedItems, items] = [itemsSchema(stated), itemsSchema(spine)]
  const [statedValues, values] = [additionalSchema(stated), additionalSchema(spine)]
  const own = stated[RULES] ?? []
  const node: RuleNode = {
    schema: spine,
    whole,
    rules: compiledOnce(stated, spine, whole),
    hasRules: own.length > 0,
    items: statedItems && items && buildRuleNode(statedItems, items, isWhole(items)),
    properties: propertyNodes(stated, spine),
    additional: statedValues && values && buildRuleNode(statedValues, values, isWhole(values)),
    allOf: (stated.allOf ?? []).flatMap(part => buildRuleNode(part, spine, whole) ?? []),
  }
  const isEmpty = !node.hasRules && !node.items && !node.additional && node.properties.size === 0 && node.allOf.length === 0
  return isEmpty ? undefined : node
}

function propertyNodes(stated: JsonSchemaProps, spine: JsonSchemaProps): Map<string, RuleNode> {
  const nodes = new Map<string, RuleNode>()
  for (const [name, property] of Object.entries(stated.properties ?? {})) {
    const schema = propertySchema(spine, name)
    // Parts that expressions cannot represent are skipped, with their rules.
    if (!schema || !isTyped(schema) || (escapeProperty(name) !== undefined && !isTyped(spine))) continue
    const node = buildRuleNode(property, schema, isWhole(schema))
    if (node) nodes.set(name, node)
  }
  return nodes
}

/** Whether expressions can represent the values of a schema. */
const isTyped = (schema: JsonSchemaProps): boolean => declareTypes(schema, isWhole(schema), 'selfType').type !== undefined

function compiledOnce(stated: JsonSchemaProps, spine: JsonSchemaProps, whole: boolean): RuleNode['rules'] {
  let sources: readonly RuleSource[] | { readonly fault: string } | undefined
  return () => {
    sources ??= sourcesOf(stated, spine, whole)
    return sources
  }
}

/** Returns the rules. Like upstream, a schema that cannot be represented is reported once for all its rules. */
function sourcesOf(stated: JsonSchemaProps, spine: JsonSchemaProps, whole: boolean): readonly RuleSource[] | { readonly fault: string } {
  const { type, struct } = declareTypes(spine, whole, 'selfType')
  if (!type) return { fault: 'failed to convert to declType for CEL validation rules' }
  return (stated[RULES] ?? []).map(rule => {
    let compiled: Awaitable<CompiledRule> | undefined
    return () => {
      if (compiled !== undefined) return compiled
      compiled = startInTurns(compileRule(rule, spine, type, struct))
      if (isPending(compiled))
        void compiled.then(
          done => {
            compiled = done
          },
          () => {
            compiled = undefined
          },
        )
      return compiled
    }
  })
}
