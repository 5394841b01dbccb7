import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import { isJsonObject, type Json, type JsonObject } from '../../api/meta/object.ts'
import { after } from '../../lib/awaitable.ts'
import { type FieldError, invalid } from '../../meta/field-error.ts'
import { FieldPath } from '../../meta/field-path.ts'
import { isFloatIn } from '../../meta/whole-floats.ts'
import { itemFinder } from '../../schema/json-schema/correlation.ts'
import type { Activation } from '../program/frame.ts'
import type { Program, ProgramOutcome, Turns } from '../program/program.ts'
import { rootValue, schemaValue } from '../schema/schema-value.ts'
import { CelOptional, NONE, type Value } from '../values/value.ts'
import type { CompiledRule } from './compiled-rule.ts'
import { defaultMessage, ruleError, ruleMessage, ruleText } from './rule-messages.ts'
import type { RuleNode } from './rule-node.ts'

/** Cost limit for all rules of an object (Kubernetes, "Resource constraints"). */
export const RUNTIME_BUDGET = 10_000_000

/** A value of the object before an update, correlated with one after it. */
export interface Correlated {
  /** Value of a member. Undefined if there was none, or if members are not correlated. */
  key(name: string): Correlated | undefined
  /** Value that corresponds to an item of the new list. Undefined if there is none. */
  index(at: number): Correlated | undefined
  /** Whether the value equals the new one. */
  readonly unchanged: boolean
}

/** Value to validate, and the limits. */
export interface RuleRequest {
  /** Value after the update, or the only one. */
  readonly value: Json
  /** Optional. Value before an update. Transition rules run only if it is set. */
  readonly old?: Json | undefined
  /** Optional. Path of the value in errors. Defaults to the empty path. */
  readonly path?: FieldPath
  /** Optional. Cost limit. Default: RUNTIME_BUDGET. */
  readonly budget?: number
  /**
   * Optional. Object before the update, for ratcheting: a violation in an unchanged part is a warning. If omitted, all
   * violations are errors.
   */
  readonly correlated?: Correlated | undefined
  /** Optional. If omitted, all rules run in one turn. A function that reads a long text is never interrupted. */
  readonly turns?: Turns
}

/** Result of the rules that ran, in the order of the walk. */
export interface RuleResult {
  readonly errors: FieldError[]
  /** Violations that ratcheting permits. */
  readonly warnings: FieldError[]
  /** Remaining budget. Negative if it was exceeded, in which case not all rules ran. */
  readonly remaining: number
}

/** Position in the object before the update. A value that cannot be correlated uses its nearest correlated ancestor. */
interface OldPosition {
  /** Correlated value, if any. */
  readonly current: Correlated | undefined
  /** Nearest correlated ancestor. */
  readonly parent: Correlated | undefined
}

/** A value with the rules of its schema. */
interface Visit {
  /** Rules of the schema, compiled at their first use. */
  readonly node: RuleNode
  readonly value: Json
  /** Whether a whole number was decoded as a float by Go. */
  readonly isFloat?: boolean
  /** Old value of the same part, for `oldSelf`. Undefined if there is none. */
  readonly old: Json | undefined
  readonly path: FieldPath
  /** Position for ratcheting. */
  readonly place: OldPosition
}

/** Validates a value with all rules of its schema, in upstream's order, until the budget is exceeded. */
export async function runRules(tree: RuleNode, request: RuleRequest): Promise<RuleResult> {
  const { value, old, path = new FieldPath(''), budget = RUNTIME_BUDGET, correlated, turns } = request
  const run = new Run(budget, turns)
  for (const visit of visitsOf({ node: tree, value, old, path, place: { current: correlated, parent: undefined } })) {
    await run.check(visit)
    if (run.remaining < 0) break
  }
  return run
}

/** Yields the value itself, then the parts of allOf, then its members. Null values are not validated. */
function* visitsOf(visit: Visit): Generator<Visit> {
  const { node, value, old, path, place } = visit
  if (value === null) return
  if (node.hasRules) yield visit
  for (const part of node.allOf) yield* visitsOf({ ...visit, node: part, place: { current: undefined, parent: place.parent } })
  if (Array.isArray(value)) yield* itemVisits(node, value, Array.isArray(old) ? old : undefined, path, place)
  else if (isJsonObject(value)) yield* memberVisits(node, value, isJsonObject(old) ? old : undefined, path, place)
}

/** Yields the items of a list. An item is correlated by its keys; items of lists without keys are not correlated. */
function* itemVisits(
  { items, schema }: RuleNode,
  value: readonly Json[],
  old: readonly Json[] | undefined,
  path: FieldPath,
  place: OldPosition,
): Generator<Visit> {
  if (!items) return
  const find = itemFinder(schema, old)
  for (const [i, item] of value.entries()) {
    const { current } = place
    yield* visitsOf({
      node: items,
      value: item,
      isFloat: isFloatIn(value, i, item),
      old: find(item),
      path: path.index(i),
      place: current ? { current: current.index(i), parent: current } : place,
    })
  }
}

/** Yields the members of an object, additional properties first as upstream. */
function* memberVisits(
  node: RuleNode,
  value: JsonObject,
  old: JsonObject | undefined,
  path: FieldPath,
  place: OldPosition,
): Generator<Visit> {
  const before = isCorrelatable(node.schema) ? old : undefined
  const { additional } = node
  const oldOf = (name: string): Json | undefined => (before && Object.hasOwn(before, name) ? before[name] : undefined)
  if (additional) {
    for (const [name, member] of Object.entries(value))
      yield* visitsOf({
        node: additional,
        value: member,
        isFloat: isFloatIn(value, name, member),
        old: oldOf(name),
        path: path.key(name),
        place: below(place, name),
      })
  }
  for (const [name, member] of Object.entries(value)) {
    const property = node.properties.get(name)
    if (property)
      yield* visitsOf({
        node: property,
        value: member,
        isFloat: isFloatIn(value, name, member),
        old: oldOf(name),
        path: path.child(name),
        place: below(place, name),
      })
  }
}

/** Whether members are correlated by name. They are in maps of every known type. */
function isCorrelatable(schema: JsonSchemaProps): boolean {
  const type = schema['x-kubernetes-map-type']
  return type === undefined || type === 'granular' || type === 'atomic'
}

/** Returns the position of a member. */
function below(place: OldPosition, name: string): OldPosition {
  const { current, parent } = place
  if (!current) return place
  // Type metadata, which the server sets, is not subject to ratcheting.
  if (!parent && (name === 'apiVersion' || name === 'kind')) return { current: undefined, parent: undefined }
  return { current: current.key(name), parent: current }
}

/** Whether the value, or its nearest correlated ancestor, is unchanged. */
const isOldUnchanged = ({ current, parent }: OldPosition): boolean => (current ?? parent)?.unchanged === true

/** Upstream's error for the first rule that exceeds the budget. */
const OUT_OF_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run'

/** A validation in progress. */
class Run implements RuleResult {
  readonly errors: FieldError[] = []
  readonly warnings: FieldError[] = []
  remaining: number
  readonly #turns: Turns | undefined

  constructor(budget: number, turns: Turns | undefined) {
    this.remaining = budget
    this.#turns = turns
  }

  /** Runs the rules of a value. */
  async check(visit: Visit): Promise<void> {
    const { node, path } = visit
    const type = node.schema.type ?? ''
    const rules = node.rules()
    if ('fault' in rules) this.errors.push(invalid(path, type, `rule compiler initialization error: ${rules.fault}`))
    else if (this.remaining <= 0) this.#stop(invalid(path, type, OUT_OF_BUDGET))
    else {
      const variables = variablesOf(visit)
      for (const rule of rules) {
        if (this.#turns?.spent()) await this.#turns.next()
        await after(rule(), compiled => this.#check(compiled, visit, variables))
        if (this.remaining < 0) return
      }
    }
  }

  /** Evaluates in turns if the request allows it. */
  #evaluate(program: Program, activation: Activation): ProgramOutcome | Promise<ProgramOutcome> {
    return this.#turns ? program.evaluateInTurns(activation, this.#turns) : program.evaluate(activation)
  }

  /** Adds the last error. No further rule runs. */
  #stop(error: FieldError): void {
    this.errors.push(error)
    this.remaining = -1
  }

  /**
   * A transition rule is skipped if there is no old value. The cost of an evaluation counts even if it failed, and
   * exceeding the budget ends the validation.
   */
  async #check(compiled: CompiledRule, visit: Visit, variables: Variables): Promise<void> {
    const { rule, program, fault } = compiled
    const { path, old } = visit
    const type = visit.node.schema.type ?? ''
    if (fault !== undefined) this.errors.push(invalid(path, type, `rule compile error: ${fault}`))
    if (!program || (compiled.usesOldSelf && isAbsent(old) && !rule.optionalOldSelf)) return
    const outcome = await this.#evaluate(program, rule.optionalOldSelf ? variables.withOptional() : variables.plain())
    const { cost, error, value, isLimit } = { isLimit: false, ...outcome }
    if (cost > this.remaining) {
      this.#stop(invalid(path, type, OUT_OF_BUDGET))
      return
    }
    this.remaining -= cost
    if (error === undefined) {
      if (value !== true) await this.#refuse(compiled, visit, variables)
    } else if (error.startsWith('no such overload')) {
      const text = `'${error}': call arguments did not match a supported operator, function or macro signature for rule: ${ruleText(rule)}`
      this.errors.push(invalid(path, type, text))
    } else if (isLimit) {
      this.#stop(
        invalid(
          path,
          type,
          `'${error}': no further validation rules will be run due to call cost exceeds limit for rule: ${ruleText(rule)}`,
        ),
      )
    } else this.errors.push(invalid(path, type, `${error} evaluating rule: ${ruleText(rule)}`))
  }

  /**
   * Adds the error, or a warning if the value is unchanged (ratcheting) and the rule does not see the old value. The
   * cost of its message counts, too.
   */
  async #refuse(compiled: CompiledRule, { path, place, node, value, isFloat = false }: Visit, variables: Variables): Promise<void> {
    const { rule, message, fieldPath } = compiled
    const at = fieldPath === undefined ? path : path.child(fieldPath)
    const type = node.schema.type ?? ''
    const add = (error: FieldError): void => {
      if (!compiled.usesOldSelf && isOldUnchanged(place)) this.warnings.push(error)
      else this.errors.push(error)
    }
    const outcome = message && (await this.#evaluate(message, variables.plain()))
    const found = outcome ? ruleMessage(outcome, rule.messageExpression ?? '', this.remaining) : { cost: 0 }
    if ('exhausted' in found) {
      add(invalid(at, type, found.exhausted))
      this.remaining = -1
      return
    }
    this.remaining -= found.cost
    const violation = { path: at, type, value, isFloat }
    add(ruleError(rule, violation, ('text' in found ? found.text : undefined) ?? defaultMessage(rule)))
  }
}

const isAbsent = (old: Json | undefined): boolean => old === undefined || old === null

/** Variables of the rules of one value, created on first use. */
interface Variables {
  /** Variables `self` and, if there is an old value, `oldSelf`. */
  readonly plain: () => Activation
  /** Variables for rules with `optionalOldSelf`. */
  readonly withOptional: () => Activation
}

/** A null old value counts as absent: `plain` then leaves `oldSelf` out, and `withOptional` makes it empty. */
function variablesOf({ node, value, isFloat, old }: Visit): Variables {
  const made = (json: Json, isFloat = false): Value =>
    node.whole && isJsonObject(json) ? rootValue(json, node.schema) : schemaValue(json, node.schema, isFloat)
  const self = made(value, isFloat)
  const oldSelf = old === undefined || old === null ? undefined : made(old)
  return {
    plain: () => new Map<string, Value>([['self', self], ...(oldSelf === undefined ? [] : [['oldSelf', oldSelf] as const])]),
    withOptional: () =>
      new Map<string, Value>([
        ['self', self],
        ['oldSelf', oldSelf === undefined ? NONE : new CelOptional(oldSelf)],
      ]),
  }
}
