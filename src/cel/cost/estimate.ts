import { isStepDone, runAtOnce, type Steps } from '../../lib/steps.ts'
import type { CallExpr, ComprehensionExpr, Expr, ExprId, ListExpr, LiteralValue, MapExpr, SelectExpr, StructExpr } from '../ast.ts'
import type { Checked } from '../checked.ts'
import { NodeTable } from '../node-table.ts'
import { CONDITIONAL, LOGICAL_AND, LOGICAL_OR } from '../operators.ts'
import { DYN, heldBy, type Type } from '../type.ts'
import { codePoints } from '../values/strings.ts'
import {
  addBounds,
  between,
  type CostBounds,
  exactly,
  multiplyBounds,
  NOTHING,
  ONE,
  scaleBounds,
  UNBOUNDED,
  UNKNOWN,
  unionBounds,
} from './bounds.ts'
import { type CallEstimate, type EstimatedNode, type SizeAt, sizeOfNode } from './estimated-node.ts'
import { LIBRARY_ESTIMATES } from './library-estimates.ts'
import { isSum, standardEstimate } from './standard-estimates.ts'

/** Sizes of the elements of a list, or of the keys and values of a map. */
interface EntrySizes {
  readonly container: 'list' | 'map'
  readonly key: CostBounds
  readonly value: CostBounds
}

/** Estimates for a variable of a loop, or a binding. */
interface LocalVariable {
  readonly path: readonly string[] | undefined
  readonly size: CostBounds | undefined
  readonly entries: EntrySizes | undefined
}

/**
 * Estimates the minimum and maximum cost of an expression, as cel-go's checker does.
 * @param sizeAt returns the size limits that the schema sets.
 */
export const estimateCost = (checked: Checked, sizeAt: SizeAt): CostBounds => runAtOnce(estimateCostInSteps(checked, sizeAt))

/** Estimates the cost in steps of some hundred nodes. */
export const estimateCostInSteps = (checked: Checked, sizeAt: SizeAt): Steps<CostBounds> =>
  new Estimator(checked, sizeAt).cost(checked.ast.root)

const sum = (costs: readonly CostBounds[]): CostBounds => costs.reduce(addBounds, NOTHING)
const SCALARS = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint'])

/** Reports whether values of the type have size 1. */
function isScalar(type: Type): boolean {
  const held = heldBy(type)
  return held ? isScalar(held) : SCALARS.has(type.kind)
}

/** Returns the size of a literal. All except texts and bytes have size 1. */
function literalSize(literal: LiteralValue): CostBounds {
  if (literal.type === 'string') return exactly(codePoints(literal.value))
  return literal.type === 'bytes' ? exactly(literal.value.length) : ONE
}

/** Returns the size that an expression states itself. Undefined if it is not a literal. */
function writtenSize(expr: Expr): CostBounds | undefined {
  if (expr.kind === 'literal') return literalSize(expr.literal)
  if (expr.kind === 'list') return exactly(expr.elements.length)
  return expr.kind === 'map' ? exactly(expr.entries.length) : undefined
}

/** Joins the sizes of two values. Undefined if either is unknown. */
function unionEntries(a: EntrySizes | undefined, b: EntrySizes | undefined): EntrySizes | undefined {
  return a && b && { container: a.container, key: unionBounds(a.key, b.key), value: unionBounds(a.value, b.value) }
}

/** Neutral element of `unionBounds`. */
const EMPTY: CostBounds = { min: UNBOUNDED, max: 0n }

/** How often a set operation reads both lists. */
const SETS: Readonly<Record<string, number>> = { list_sets_contains_list: 1, list_sets_intersects_list: 1, list_sets_equivalent_list: 2 }

/** A candidate signature of a call. */
interface CalledOverload {
  readonly expr: CallExpr
  readonly name: string
  /** cel-go's identifier of the signature. */
  readonly signature: string
  readonly target: EstimatedNode | undefined
  readonly args: readonly EstimatedNode[]
}

/**
 * Walks a checked expression from the leaves up. If several signatures fit, the bounds cover all of them. Source:
 * cel-go, checker/cost.go.
 */
class Estimator {
  readonly #checked: Checked
  readonly #sizeAt: SizeAt
  readonly #paths = new NodeTable<readonly string[]>()
  readonly #sizes = new NodeTable<CostBounds>()
  readonly #entries = new NodeTable<EntrySizes>()
  readonly #locals = new Map<string, LocalVariable[]>()

  constructor(checked: Checked, sizeAt: SizeAt) {
    this.#checked = checked
    this.#sizeAt = path => sizeAt(path)
  }

  /**
   * Returns the cost of an expression with its parts. Sizes and paths of the parts are recorded first, because those of
   * the whole depend on them.
   */
  *cost(expr: Expr): Steps<CostBounds> {
    if (isStepDone()) yield
    switch (expr.kind) {
      case 'ident':
        return this.#ident(expr.id, this.#local(expr.name) ? expr.name : (this.#checked.references.get(expr.id)?.name ?? expr.name))
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
        return yield* isBinding(expr) ? this.#binding(expr) : this.#loop(expr)
      case 'literal':
      case 'unspecified':
        return NOTHING
    }
  }

  /** Returns the innermost variable of a name. */
  #local(name: string): LocalVariable | undefined {
    return this.#locals.get(name)?.at(-1)
  }

  #push(name: string, variable: LocalVariable): void {
    const stack = this.#locals.get(name)
    if (stack) stack.push(variable)
    else this.#locals.set(name, [variable])
  }

  #pop(name: string): void {
    this.#locals.get(name)?.pop()
  }

  #typeOf({ id }: Expr): Type {
    return this.#checked.types.get(id) ?? DYN
  }

  /** Returns the schema path of an expression's value. Undefined for a computed value. */
  #pathOf(expr: Expr): readonly string[] | undefined {
    const local = expr.kind === 'ident' ? this.#local(expr.name) : undefined
    return local ? local.path : this.#paths.get(expr.id)
  }

  /** Returns the size of a value. Sources in order: the computed size, the literal, the schema, the type. */
  #sizeOf(expr: Expr): CostBounds | undefined {
    const known = this.#sizes.get(expr.id) ?? writtenSize(expr)
    if (known) return known
    const path = this.#pathOf(expr)
    const bySchema = path && path.length > 0 ? this.#sizeAt(path) : undefined
    if (bySchema) {
      this.#sizes.set(expr.id, bySchema)
      return bySchema
    }
    if (isScalar(this.#typeOf(expr))) return ONE
    return expr.kind === 'ident' ? this.#local(expr.name)?.size : undefined
  }

  #sizeOrUnknown(expr: Expr): CostBounds {
    return this.#sizeOf(expr) ?? UNKNOWN
  }

  #entriesOf(expr: Expr): EntrySizes | undefined {
    return this.#entries.get(expr.id) ?? (expr.kind === 'ident' ? this.#local(expr.name)?.entries : undefined)
  }

  #setSize(expr: Expr, size: CostBounds | undefined): void {
    if (size) this.#sizes.set(expr.id, size)
  }

  #setEntries(expr: Expr, entries: EntrySizes | undefined): void {
    if (entries) this.#entries.set(expr.id, entries)
  }

  #node(expr: Expr): EstimatedNode {
    return { type: this.#typeOf(expr), path: this.#pathOf(expr), size: this.#sizeOf(expr) }
  }

  /** A variable costs 1, and so does a named constant. */
  #ident(id: ExprId, name: string): CostBounds {
    const local = this.#local(name)
    const path = local ? local.path : [name]
    if (path) this.#paths.set(id, path)
    return ONE
  }

  /** Costs the fields, and 40 for the struct. */
  *#struct({ fields }: StructExpr): Steps<CostBounds> {
    let cost = exactly(40)
    for (const { value } of fields) cost = addBounds(cost, yield* this.cost(value))
    return cost
  }

  /** Handles a dotted variable name, or selects a field. A presence test costs only its operand. */
  *#select(expr: SelectExpr): Steps<CostBounds> {
    const reference = this.#checked.references.get(expr.id)
    if (reference) return this.#ident(expr.id, reference.name)
    const operand = yield* this.cost(expr.operand)
    if (expr.testOnly) return operand
    this.#paths.set(expr.id, [...(this.#pathOf(expr.operand) ?? []), expr.field])
    const { kind } = this.#typeOf(expr.operand)
    return kind === 'map' || kind === 'struct' || kind === 'param' ? addBounds(operand, ONE) : operand
  }

  /** Costs the elements, and 10 for the list. */
  *#list(expr: ListExpr): Steps<CostBounds> {
    let size = expr.elements.length === 0 ? NOTHING : EMPTY
    let cost = exactly(10)
    for (const element of expr.elements) {
      cost = addBounds(cost, yield* this.cost(element))
      size = unionBounds(size, this.#sizeOrUnknown(element))
    }
    this.#setEntries(expr, { container: 'list', key: ONE, value: size })
    return cost
  }

  /** Costs the entries, and 30 for the map. */
  *#map(expr: MapExpr): Steps<CostBounds> {
    let keys = expr.entries.length === 0 ? NOTHING : EMPTY
    let values = keys
    let cost = exactly(30)
    for (const { key, value } of expr.entries) {
      cost = addBounds(cost, addBounds(yield* this.cost(key), yield* this.cost(value)))
      keys = unionBounds(keys, this.#sizeOrUnknown(key))
      values = unionBounds(values, this.#sizeOrUnknown(value))
    }
    this.#setEntries(expr, { container: 'map', key: keys, value: values })
    return cost
  }

  /**
   * Declares a loop variable with the sizes of its range.
   * @param which whether the variable is the key (or index), the value, or the only variable.
   */
  #iterate(name: string, range: Expr, which: 'key' | 'value' | 'only'): void {
    const entries = this.#entriesOf(range)
    const container = entries?.container ?? this.#typeOf(range).kind
    const isList = container === 'list'
    const part = which === 'only' ? (isList ? 'value' : 'key') : which
    const step = isList ? (part === 'key' ? '@indices' : '@items') : `@${part}s`
    this.#push(name, { path: [...(this.#pathOf(range) ?? []), step], size: entries?.[part], entries: undefined })
  }

  /** Costs the condition and the step once per element that the range can have. */
  *#loop(expr: ComprehensionExpr): Steps<CostBounds> {
    const { range, init, variable, variable2, accumulator } = expr
    const before = addBounds(yield* this.cost(range), yield* this.cost(init))
    this.#push(accumulator, this.#bound(init))
    this.#iterate(variable, range, variable2 === undefined ? 'only' : 'key')
    if (variable2 !== undefined) this.#iterate(variable2, range, 'value')
    const round = addBounds(yield* this.cost(expr.condition), yield* this.cost(expr.step))
    this.#pop(variable)
    if (variable2 !== undefined) this.#pop(variable2)
    const result = yield* this.cost(expr.result)
    this.#pop(accumulator)
    const count = this.#sizeOrUnknown(range)
    if (init.kind === 'literal') this.#setSize(expr, this.#sizeOf(init))
    else if (init.kind === 'list' || init.kind === 'map') {
      this.#setSize(expr, count)
      this.#setEntries(expr, this.#entriesOf(expr.step))
    }
    return sum([before, result, multiplyBounds(count, round)])
  }

  #bound(expr: Expr): LocalVariable {
    return { path: this.#pathOf(expr), size: this.#sizeOf(expr), entries: this.#entriesOf(expr) }
  }

  /** `cel.bind` expands to a loop over an empty list. Its value is computed once. */
  *#binding(expr: ComprehensionExpr): Steps<CostBounds> {
    const before = addBounds(yield* this.cost(expr.range), yield* this.cost(expr.init))
    this.#push(expr.accumulator, this.#bound(expr.init))
    const result = yield* this.cost(expr.result)
    this.#pop(expr.accumulator)
    this.#setSize(expr, this.#sizeOf(expr.result))
    this.#setEntries(expr, this.#entriesOf(expr.result))
    return addBounds(before, result)
  }

  /**
   * The cost of the arguments is part of each signature's estimate, because `&&` and `?:` need not evaluate all of
   * them.
   */
  *#call(expr: CallExpr): Steps<CostBounds> {
    const reference = this.#checked.references.get(expr.id)
    const name = reference?.name ?? expr.name
    const [first] = expr.args
    if (name === 'dyn' && first) return yield* this.#unwrapped(expr, first)
    const costs: CostBounds[] = []
    const nodes: EstimatedNode[] = []
    for (const arg of expr.args) {
      costs.push(yield* this.cost(arg))
      nodes.push(this.#node(arg))
    }
    if (reference?.kind !== 'overloads') return NOTHING
    // A target that only qualifies the function's name, as in `sets.contains`, is not an argument.
    const member = expr.target !== undefined && name === expr.name ? expr.target : undefined
    const targetCost = member ? yield* this.cost(member) : NOTHING
    const target = member && this.#node(member)
    let cost = EMPTY
    let size: CostBounds | undefined
    for (const signature of reference.ids) {
      const estimate = this.#function({ expr, name, signature, target, args: nodes }, costs)
      cost = unionBounds(cost, estimate.cost)
      if (estimate.size) size = size ? unionBounds(size, estimate.size) : estimate.size
      const step = signature === 'index_list' ? '@items' : signature === 'index_map' ? '@values' : undefined
      if (step !== undefined && first) {
        size = this.#entriesOf(first)?.value
        this.#paths.set(expr.id, [...(this.#pathOf(first) ?? []), step])
      }
      size ??= this.#sizeOf(expr)
    }
    this.#setSize(expr, size)
    return addBounds(targetCost, cost)
  }

  /** `dyn` changes only the type. The size of its argument is kept. */
  *#unwrapped(expr: CallExpr, arg: Expr): Steps<CostBounds> {
    const cost = yield* this.cost(arg)
    this.#setSize(expr, this.#sizeOf(arg))
    this.#setEntries(expr, this.#entriesOf(arg))
    return addBounds(ONE, cost)
  }

  #function(call: CalledOverload, costs: readonly CostBounds[]): CallEstimate {
    const { expr, name, args } = call
    const [first = NOTHING, second = NOTHING, third = NOTHING] = costs
    if (name === LOGICAL_AND || name === LOGICAL_OR) return { cost: between(first.min, addBounds(first, second).max) }
    if (name === CONDITIONAL) return { ...this.#branches(expr, args), cost: addBounds(first, unionBounds(second, third)) }
    const own = this.#own(call)
    return { ...own, cost: addBounds(own.cost, sum(costs)) }
  }

  /** Returns the size of a conditional: the union of both branches. */
  #branches(expr: CallExpr, [, yes, no]: readonly EstimatedNode[]): Pick<CallEstimate, 'size'> {
    this.#uniteEntries(expr, expr.args.slice(1))
    return { size: unionBounds(yes?.size ?? UNKNOWN, no?.size ?? UNKNOWN) }
  }

  /** Records the entries of a value that can be either argument, or contain the elements of both. */
  #uniteEntries(expr: CallExpr, [one, other]: readonly Expr[]): void {
    if (one && other) this.#setEntries(expr, unionEntries(this.#entriesOf(one), this.#entriesOf(other)))
  }

  /** Estimates a call without its arguments. */
  #own({ expr, name, signature, target, args }: CalledOverload): CallEstimate {
    const sizeAt = this.#sizeAt
    if (isSum(signature)) this.#uniteEntries(expr, expr.args)
    const sets = Object.hasOwn(SETS, signature) ? SETS[signature] : undefined
    if (sets !== undefined)
      return { cost: addBounds(scaleBounds(multiplyBounds(sizeOfNode(args[0], sizeAt), sizeOfNode(args[1], sizeAt)), sets), ONE) }
    const literalInt = (index: number): bigint | undefined => {
      const arg = expr.args[index]
      return arg?.kind === 'literal' && arg.literal.type === 'int' ? arg.literal.value : undefined
    }
    return LIBRARY_ESTIMATES.get(name)?.({ name, signature, target, args, sizeAt, literalInt }) ?? standardEstimate(signature, target, args)
  }
}

/** Reports whether a loop is an expanded `cel.bind`. */
function isBinding({ range, condition, accumulator }: ComprehensionExpr): boolean {
  const isEmpty = range.kind === 'list' && range.elements.length === 0
  return isEmpty && condition.kind === 'literal' && condition.literal.value === false && accumulator !== '__result__'
}
