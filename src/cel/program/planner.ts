import { defined } from '../../lib/invariant.ts'
import { isStepDone, type Steps } from '../../lib/steps.ts'
import type { CallExpr, ComprehensionExpr, Expr, ExprId, ListExpr, LiteralValue, MapExpr, SelectExpr, StructExpr } from '../ast.ts'
import { type Checked, typeOfNode } from '../checked.ts'
import { callCost, paysFirst } from '../cost/call-cost.ts'
import type { Environment } from '../environment.ts'
import type { Implementation } from '../functions/implementation.ts'
import { compilePattern } from '../functions/regex.ts'
import { CONDITIONAL, EQUALS, INDEX, LOGICAL_AND, LOGICAL_OR, NOT_STRICTLY_FALSE, OPTIONAL_INDEX, OPTIONAL_SELECT } from '../operators.ts'
import type { Type } from '../type.ts'
import { toInt } from '../values/integer.ts'
import { CelDouble, CelError, CelList, CelOptional, CelType, CelUint, isError, noSuchOverload, type Value } from '../values/value.ts'
import { type Attribute, attributeFrom, choice, variable } from './attribute.ts'
import { callFunction } from './call.ts'
import { type FieldMaker, listMaker, mapMaker, structMaker } from './containers.ts'
import { findFunction } from './dispatch.ts'
import { type Evaluate, Frame } from './frame.ts'
import { beginning, loop } from './loop.ts'
import { and, equality, membership, or, orElse } from './operators.ts'
import { constantQualifier, keyFault, keyQualifier, presenceQualifier, type Qualifier } from './qualifier.ts'

/** A planned node. */
interface Plan {
  readonly evaluate: Evaluate
  /** Optional. The value, if it is known at planning time. It costs nothing. */
  readonly constant?: Value
  /** Optional. The attribute, if qualifiers can be added to it. */
  readonly attribute?: Attribute
}

/** Internal error of the planner, converted to a CelError by `plan`. */
class PlanFault extends Error {
  override readonly name = 'Fault'
}

/** Functions that are evaluated at planning time if their argument is constant. */
const COMPUTED = new Set(['bool', 'bytes', 'double', 'duration', 'dyn', 'int', 'string', 'timestamp', 'type', 'uint'])
/** Functions whose constant pattern is compiled at planning time. Arguments after an error are not evaluated. */
const SEARCHES = new Set(['matches', 'find', 'findAll'])

/** Plans a constant. */
const constant = (value: Value): Plan => ({ evaluate: () => value, constant: value })

/** Plans reading an attribute, which charges its cost. */
const planRead = (attribute: Attribute): Plan => {
  const { resolve, ownCost } = attribute
  if (ownCost === 0) return { evaluate: resolve, attribute }
  const evaluate: Evaluate = frame => {
    const value = resolve(frame)
    frame.charge(1)
    return value
  }
  return { evaluate, attribute }
}

/** Returns the attribute of a plan, or an attribute whose root is the planned value. */
const attributeOf = (plan: Plan): Attribute => plan.attribute ?? attributeFrom(plan.evaluate)

/** Converts a literal. Texts, bytes, booleans and null are values themselves. */
function literalValue(literal: LiteralValue): Value {
  switch (literal.type) {
    case 'int':
      return toInt(literal.value)
    case 'uint':
      return new CelUint(literal.value)
    case 'double':
      return new CelDouble(literal.value)
    default:
      return literal.value
  }
}

/** Plans an index or key. Throws if it is a literal of an invalid type. */
function qualifierOf(key: Plan, optional: boolean): Qualifier {
  if (key.constant === undefined) return keyQualifier(key.attribute?.resolve ?? key.evaluate, optional)
  const fault = keyFault(key.constant)
  if (fault) throw new PlanFault(fault.message)
  return constantQualifier(key.constant, optional)
}

const optionalStep = (operand: Plan, key: Plan): Plan => planRead(attributeOf(operand).with(qualifierOf(key, true)))

/**
 * Operators that do not evaluate all their arguments, or accept errors. The parser guarantees the number of arguments.
 */
const OPERATORS: ReadonlyMap<string, (...args: Plan[]) => Plan> = new Map<string, (...args: Plan[]) => Plan>([
  [LOGICAL_AND, (left: Plan, right: Plan) => ({ evaluate: and(left.evaluate, right.evaluate) })],
  [LOGICAL_OR, (left: Plan, right: Plan) => ({ evaluate: or(left.evaluate, right.evaluate) })],
  [CONDITIONAL, (condition: Plan, yes: Plan, no: Plan) => planRead(choice(condition.evaluate, attributeOf(yes), attributeOf(no)))],
  [EQUALS, (left: Plan, right: Plan) => ({ evaluate: equality(left.evaluate, right.evaluate, callCost(EQUALS, 'equals'), false) })],
  ['_!=_', (left: Plan, right: Plan) => ({ evaluate: equality(left.evaluate, right.evaluate, callCost('_!=_', 'not_equals'), true) })],
  [INDEX, (operand: Plan, key: Plan) => planRead(attributeOf(operand).with(qualifierOf(key, false)))],
  [OPTIONAL_SELECT, optionalStep],
  [OPTIONAL_INDEX, optionalStep],
])

/** Variables of the enclosing loops, innermost first. */
interface PlanScope {
  readonly names: ReadonlyMap<string, Evaluate>
  readonly outer: PlanScope | undefined
}

/** Plans a checked tree. The program evaluates and charges as cel-go's interpreter does. */
export class Planner {
  readonly #checked: Checked
  readonly #environment: Environment
  #scope: PlanScope | undefined
  /** Number of slots for loop variables. */
  slots = 0

  constructor(checked: Checked, environment: Environment) {
    this.#checked = checked
    this.#environment = environment
  }

  /**
   * Plans the expression in steps of some hundred nodes. Returns an error if a part that is evaluated at planning time
   * fails.
   */
  *plan(): Steps<Evaluate | CelError> {
    try {
      return (yield* this.#plan(this.#checked.ast.root)).evaluate
    } catch (fault) {
      if (fault instanceof PlanFault) return new CelError(fault.message)
      throw fault
    }
  }

  /** Throws PlanFault for what can only be found by planning, such as a constant expression that fails. */
  *#plan(expr: Expr): Steps<Plan> {
    if (isStepDone()) yield
    switch (expr.kind) {
      case 'literal':
        return constant(literalValue(expr.literal))
      case 'ident':
        return this.#name(expr.id)
      case 'select':
        return yield* this.#select(expr)
      case 'call':
        return yield* this.#call(expr)
      case 'list':
        return yield* this.#list(expr)
      case 'map':
        return yield* this.#map(expr)
      case 'struct':
        return yield* this.#struct(expr)
      case 'comprehension':
        return yield* this.#loop(expr)
      case 'unspecified':
        throw new PlanFault('unspecified expression')
    }
  }

  #typeOf(id: ExprId): Type {
    return typeOfNode(this.#checked, id)
  }

  /** Plans a name. In order: loop variable, constant, type, variable of the activation. */
  #name(id: ExprId): Plan {
    const reference = this.#checked.references.get(id)
    const name = reference?.name ?? ''
    for (let scope = this.#scope; scope; scope = scope.outer) {
      const local = scope.names.get(name)
      if (local) return planRead(attributeFrom(local))
    }
    if (reference?.kind === 'name' && reference.constant !== undefined) return constant(reference.constant)
    const type = this.#typeOf(id)
    if (type.kind === 'type' && !this.#environment.variables.has(name)) return constant(this.#typeValue(name, type))
    return planRead(attributeFrom(variable(name)))
  }

  /**
   * Returns a type as a value. Structs that cannot be constructed, and messages that represent another type, exist only
   * for the checker.
   */
  #typeValue(name: string, { params }: Type): CelType {
    const { struct, types } = this.#environment
    const declared = struct(name)
    const isOther = declared?.type !== undefined && declared.type.kind !== 'struct'
    if (declared && !types.has(name) && (isOther || !declared.make)) throw new PlanFault(`reference to undefined type: ${name}`)
    return new CelType(params[0]?.name ?? 'type')
  }

  /** Plans a field selection, a presence test, or a dotted name. */
  *#select(expr: SelectExpr): Steps<Plan> {
    if (this.#checked.references.has(expr.id)) return this.#name(expr.id)
    const operand = attributeOf(yield* this.#plan(expr.operand))
    if (!expr.testOnly) return planRead(operand.with(constantQualifier(expr.field, false)))
    const attribute = operand.with(presenceQualifier(expr.field))
    const { resolve, ownCost } = attribute
    const evaluate: Evaluate = frame => {
      const present = resolve(frame)
      // A presence test costs one less than reading the attribute.
      if (ownCost === 0) frame.charge(-1)
      return isError(present) || typeof present === 'boolean' ? present : present instanceof CelOptional && present.value !== undefined
    }
    return { evaluate, attribute }
  }

  *#plans(exprs: readonly Expr[]): Steps<Plan[]> {
    const plans: Plan[] = []
    for (const expr of exprs) plans.push(yield* this.#plan(expr))
    return plans
  }

  *#call(expr: CallExpr): Steps<Plan> {
    const args = yield* this.#plans(this.#arguments(expr))
    return OPERATORS.get(expr.name)?.(...args) ?? this.#function(expr, args)
  }

  /** Returns the arguments with the target first, unless the target only qualifies the function's name. */
  #arguments({ id, name, target, args }: CallExpr): readonly Expr[] {
    if (!target) return args
    const found = this.#checked.references.get(id)?.name
    return found !== undefined && found !== name ? args : [target, ...args]
  }

  /**
   * A constant pattern of a search is checked now, and conversions of constants are evaluated now. Their errors end
   * planning.
   */
  #function(expr: CallExpr, args: readonly Plan[]): Plan {
    const reference = this.#checked.references.get(expr.id)
    const name = reference?.name ?? expr.name
    const ids = reference?.kind === 'overloads' ? reference.ids : []
    const [only = '', ...others] = ids
    const signature = others.length === 0 ? only : ''
    const special = specialPlan(name, signature, args)
    if (special) return special
    const types = this.#arguments(expr).map(({ id }) => this.#typeOf(id))
    const { functions, implementations } = this.#environment
    const { fn, stops } = findFunction(
      defined(functions.get(name), 'a function was checked that is not there'),
      ids,
      types,
      implementations,
    )
    const pattern = SEARCHES.has(name) ? args[1]?.constant : undefined
    if (typeof pattern === 'string') requirePattern(pattern)
    const form = { stops: stops || typeof pattern === 'string', takesErrors: false, paysFirst: paysFirst(name) }
    const evaluate = callFunction(
      typeof pattern === 'string' ? ofText(fn) : fn,
      args.map(arg => arg.evaluate),
      callCost(name, signature),
      form,
    )
    return COMPUTED.has(name) && args.length === 1 && args[0]?.constant !== undefined ? this.#computed(evaluate) : { evaluate }
  }

  /** Evaluates a constant expression at no cost. An error makes planning fail. */
  #computed(evaluate: Evaluate): Plan {
    const value = evaluate(emptyFrame())
    if (isError(value)) throw new PlanFault(value.message)
    return constant(value)
  }

  /** Plans a list. A list of constants is created once. */
  *#list({ elements, optionals }: ListExpr): Steps<Plan> {
    const plans = yield* this.#plans(elements)
    const evaluate = listMaker(
      plans.map(plan => plan.evaluate),
      optionals,
    )
    return plans.every(plan => plan.constant !== undefined) ? constant(evaluate(emptyFrame())) : { evaluate }
  }

  /** Plans a map. A map of constants is created once. */
  *#map({ entries }: MapExpr): Steps<Plan> {
    const plans: { key: Plan; value: Plan; optional: boolean }[] = []
    for (const { key, value, optional } of entries) plans.push({ key: yield* this.#plan(key), value: yield* this.#plan(value), optional })
    const evaluate = mapMaker(plans.map(({ key, value, optional }) => ({ key: key.evaluate, value: value.evaluate, optional })))
    const known = plans.every(({ key, value }) => key.constant !== undefined && value.constant !== undefined)
    return known ? constant(evaluate(emptyFrame())) : { evaluate }
  }

  /** Plans a struct. Structs of constants are not folded, as in cel-go. */
  *#struct({ id, fields }: StructExpr): Steps<Plan> {
    const name = this.#checked.references.get(id)?.name ?? ''
    const makers: FieldMaker[] = []
    for (const { name, value, optional } of fields) makers.push({ name, value: (yield* this.#plan(value)).evaluate, optional })
    const make = this.#environment.struct(name)?.make ?? (() => new CelError(`unknown type '${name}'`))
    return { evaluate: structMaker(makers, make) }
  }

  /** Plans a loop. Each variable has its own slot, so nested loops with equal variable names do not conflict. */
  *#loop(expr: ComprehensionExpr): Steps<Plan> {
    const accumulator = this.slots++
    const variable1 = this.slots++
    const variable2 = expr.variable2 === undefined ? undefined : this.slots++
    const init = (yield* this.#plan(expr.init)).evaluate
    const range = (yield* this.#plan(expr.range)).evaluate
    const outer = this.#scope
    // The accumulator is initialized when it is first read: a bound name that is never used costs nothing.
    const accumulated: Evaluate = frame => {
      const collected = frame.slots[accumulator]
      if (collected !== undefined) return collected
      const begun = beginning(init(frame))
      frame.slots[accumulator] = begun
      return begun
    }
    const around: PlanScope = { names: new Map([[expr.accumulator, accumulated]]), outer }
    const inner = new Map<string, Evaluate>([[expr.variable, ({ slots }) => slots[variable1] ?? null]])
    if (expr.variable2 !== undefined && variable2 !== undefined) inner.set(expr.variable2, ({ slots }) => slots[variable2] ?? null)
    this.#scope = { names: inner, outer: around }
    const condition = (yield* this.#plan(expr.condition)).evaluate
    const step = (yield* this.#plan(expr.step)).evaluate
    this.#scope = around
    const result = (yield* this.#plan(expr.result)).evaluate
    this.#scope = outer
    return { evaluate: loop({ range, condition, step, result, accumulator, variable: variable1, variable2 }) }
  }
}

/** Plans functions that are not ordinary calls. Undefined for all others. */
function specialPlan(name: string, signature: string, [first, second, ...more]: readonly Plan[]): Plan | undefined {
  if (first && name === NOT_STRICTLY_FALSE) {
    const isTrueOrUnsure = (value: Value | undefined): Value => (typeof value === 'boolean' ? value : true)
    return { evaluate: callFunction(isTrueOrUnsure, [first.evaluate], callCost(name, signature), { stops: false, takesErrors: true }) }
  }
  if (!first || !second || more.length > 0) return undefined
  if (signature === 'in_list' && second.constant instanceof CelList) {
    const evaluate = membership(first.evaluate, second.constant)
    if (second.constant.size === 0) return constant(false)
    return evaluate && { evaluate }
  }
  return name === 'or' || name === 'orValue' ? { evaluate: orElse(first.evaluate, second.evaluate, name === 'orValue') } : undefined
}

const NOTHING = new Map<string, Value>()
const emptyFrame = (): Frame => new Frame(NOTHING, 0, { limit: Number.POSITIVE_INFINITY })

/** Checks only the text, for a function with a constant pattern. */
const ofText =
  (fn: Implementation): Implementation =>
  (text, ...rest) =>
    typeof text === 'string' ? fn(text, ...rest) : noSuchOverload(text)

/** Throws if a constant pattern is invalid. */
function requirePattern(pattern: string): void {
  const compiled = compilePattern(pattern)
  if (typeof compiled === 'string') throw new PlanFault(compiled)
}
