import { isStepDone, runAtOnce, type Steps } from '../../lib/steps.ts'
import type { CallExpr, ComprehensionExpr, Expr, ExprId, ListExpr, LiteralValue, MapExpr, SelectExpr, StructExpr } from '../ast.ts'
import type { Checked } from '../checked.ts'
import { NodeTable } from '../node-table.ts'
import { CONDITIONAL, LOGICAL_AND, LOGICAL_OR } from '../operators.ts'
import { DYN, heldBy, type Type } from '../type.ts'
import { codePoints } from '../values/strings.ts'
import { addBounds, type Bounds, between, exactly, multiplyBounds, NOTHING, ONE, scaleBounds, UNBOUNDED, UNKNOWN, unionBounds } from './bounds.ts'
import { type CallEstimate, type EstimatedNode, type SizeAt, sizeOfNode } from './estimated-node.ts'
import { LIBRARY_ESTIMATES } from './library-estimates.ts'
import { isSum, standardEstimate } from './standard-estimates.ts'

/** Sizes of what is in a list or map. */
interface EntrySizes {
  readonly container: 'list' | 'map'
  readonly key: Bounds
  readonly value: Bounds
}

/** What is known of a variable of a loop, or of a binding. */
interface LocalVariable {
  readonly path: readonly string[] | undefined
  readonly size: Bounds | undefined
  readonly entries: EntrySizes | undefined
}

/** The least and the most that an expression may cost, as cel-go's checker estimates it. @param sizeAt how large values of the schema may be. */
export const estimateCost = (checked: Checked, sizeAt: SizeAt): Bounds => runAtOnce(estimateCostInSteps(checked, sizeAt))

/** The same in steps of some hundred nodes. */
export const estimateCostInSteps = (checked: Checked, sizeAt: SizeAt): Steps<Bounds> => new Estimator(checked, sizeAt).cost(checked.ast.root)

const sum = (costs: readonly Bounds[]): Bounds => costs.reduce(addBounds, NOTHING)
const SCALARS = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint'])

/** Values of one unit. */
function isScalar(type: Type): boolean {
  const held = heldBy(type)
  return held ? isScalar(held) : SCALARS.has(type.kind)
}

/** What has no characters or bytes is of size one. */
function literalSize(literal: LiteralValue): Bounds {
  if (literal.type === 'string') return exactly(codePoints(literal.value))
  return literal.type === 'bytes' ? exactly(literal.value.length) : ONE
}

/** The size that an expression says of itself. */
function writtenSize(expr: Expr): Bounds | undefined {
  if (expr.kind === 'literal') return literalSize(expr.literal)
  if (expr.kind === 'list') return exactly(expr.elements.length)
  return expr.kind === 'map' ? exactly(expr.entries.length) : undefined
}

/** Nothing is known of either, if of one nothing is. */
function unionEntries(a: EntrySizes | undefined, b: EntrySizes | undefined): EntrySizes | undefined {
  return a && b && { container: a.container, key: unionBounds(a.key, b.key), value: unionBounds(a.value, b.value) }
}

/** Bounds that nothing was joined to yet. */
const EMPTY: Bounds = { min: UNBOUNDED, max: 0n }

/** Times that both lists are gone through together. */
const SETS: Readonly<Record<string, number>> = { list_sets_contains_list: 1, list_sets_intersects_list: 1, list_sets_equivalent_list: 2 }

/** One of the signatures that a call may be of. */
interface CalledOverload {
  readonly expr: CallExpr
  readonly name: string
  /** Of the overload. */
  readonly signature: string
  readonly target: EstimatedNode | undefined
  readonly args: readonly EstimatedNode[]
}

/** One walk over a checked expression, from the leaves up. Where several signatures fit, the bounds hold for all of them. Source: cel-go, checker/cost.go. */
class Estimator {
  readonly #checked: Checked
  readonly #sizeAt: SizeAt
  readonly #paths = new NodeTable<readonly string[]>()
  readonly #sizes = new NodeTable<Bounds>()
  readonly #entries = new NodeTable<EntrySizes>()
  readonly #locals = new Map<string, LocalVariable[]>()

  constructor(checked: Checked, sizeAt: SizeAt) {
    this.#checked = checked
    this.#sizeAt = path => sizeAt(path)
  }

  *cost(expr: Expr): Steps<Bounds> {
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

  /** Inner loops hide variables of outer ones. */
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

  /** Where in the schema its values are; undefined for what an expression makes. */
  #pathOf(expr: Expr): readonly string[] | undefined {
    const local = expr.kind === 'ident' ? this.#local(expr.name) : undefined
    return local ? local.path : this.#paths.get(expr.id)
  }

  /** By what was computed, what is written, the schema, the type, in this order. */
  #sizeOf(expr: Expr): Bounds | undefined {
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

  #sizeOrUnknown(expr: Expr): Bounds {
    return this.#sizeOf(expr) ?? UNKNOWN
  }

  #entriesOf(expr: Expr): EntrySizes | undefined {
    return this.#entries.get(expr.id) ?? (expr.kind === 'ident' ? this.#local(expr.name)?.entries : undefined)
  }

  #setSize(expr: Expr, size: Bounds | undefined): void {
    if (size) this.#sizes.set(expr.id, size)
  }

  #setEntries(expr: Expr, entries: EntrySizes | undefined): void {
    if (entries) this.#entries.set(expr.id, entries)
  }

  #node(expr: Expr): EstimatedNode {
    return { type: this.#typeOf(expr), path: this.#pathOf(expr), size: this.#sizeOf(expr) }
  }

  /** A variable costs one; so does a constant, which has a name as well. */
  #ident(id: ExprId, name: string): Bounds {
    const local = this.#local(name)
    const path = local ? local.path : [name]
    if (path) this.#paths.set(id, path)
    return ONE
  }

  /** The cost of the fields, and forty for the struct. */
  *#struct({ fields }: StructExpr): Steps<Bounds> {
    let cost = exactly(40)
    for (const { value } of fields) cost = addBounds(cost, yield* this.cost(value))
    return cost
  }

  /** A name with dots may be one variable. Testing for a field costs what its operand does. */
  *#select(expr: SelectExpr): Steps<Bounds> {
    const reference = this.#checked.references.get(expr.id)
    if (reference) return this.#ident(expr.id, reference.name)
    const operand = yield* this.cost(expr.operand)
    if (expr.testOnly) return operand
    this.#paths.set(expr.id, [...(this.#pathOf(expr.operand) ?? []), expr.field])
    const { kind } = this.#typeOf(expr.operand)
    return kind === 'map' || kind === 'struct' || kind === 'param' ? addBounds(operand, ONE) : operand
  }

  /** Ten for the list, and its elements. */
  *#list(expr: ListExpr): Steps<Bounds> {
    let size = expr.elements.length === 0 ? NOTHING : EMPTY
    let cost = exactly(10)
    for (const element of expr.elements) {
      cost = addBounds(cost, yield* this.cost(element))
      size = unionBounds(size, this.#sizeOrUnknown(element))
    }
    this.#setEntries(expr, { container: 'list', key: ONE, value: size })
    return cost
  }

  /** Thirty for the map, and its entries. */
  *#map(expr: MapExpr): Steps<Bounds> {
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

  /** Binds a variable of a loop to the elements, indices, keys or values of its range. */
  #iterate(name: string, range: Expr, which: 'key' | 'value' | 'only'): void {
    const entries = this.#entriesOf(range)
    const container = entries?.container ?? this.#typeOf(range).kind
    const isList = container === 'list'
    const part = which === 'only' ? (isList ? 'value' : 'key') : which
    const step = isList ? (part === 'key' ? '@indices' : '@items') : `@${part}s`
    this.#push(name, { path: [...(this.#pathOf(range) ?? []), step], size: entries?.[part], entries: undefined })
  }

  /** A round costs its condition and step, as often as the range may have elements. */
  *#loop(expr: ComprehensionExpr): Steps<Bounds> {
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

  /** `cel.bind` is a loop over nothing: the value is computed once. */
  *#binding(expr: ComprehensionExpr): Steps<Bounds> {
    const before = addBounds(yield* this.cost(expr.range), yield* this.cost(expr.init))
    this.#push(expr.accumulator, this.#bound(expr.init))
    const result = yield* this.cost(expr.result)
    this.#pop(expr.accumulator)
    this.#setSize(expr, this.#sizeOf(expr.result))
    this.#setEntries(expr, this.#entriesOf(expr.result))
    return addBounds(before, result)
  }

  /** What arguments cost is part of each signature's estimate, for `&&` and `?:` need not evaluate all. */
  *#call(expr: CallExpr): Steps<Bounds> {
    const reference = this.#checked.references.get(expr.id)
    const name = reference?.name ?? expr.name
    const [first] = expr.args
    if (name === 'dyn' && first) return yield* this.#unwrapped(expr, first)
    const costs: Bounds[] = []
    const nodes: EstimatedNode[] = []
    for (const arg of expr.args) {
      costs.push(yield* this.cost(arg))
      nodes.push(this.#node(arg))
    }
    if (reference?.kind !== 'overloads') return NOTHING
    // A target that only qualifies the function's name is no part of the call.
    const member = expr.target !== undefined && name === expr.name ? expr.target : undefined
    const targetCost = member ? yield* this.cost(member) : NOTHING
    const target = member && this.#node(member)
    let cost = EMPTY
    let size: Bounds | undefined
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

  /** `dyn` changes the type that the checker sees, and nothing else. */
  *#unwrapped(expr: CallExpr, arg: Expr): Steps<Bounds> {
    const cost = yield* this.cost(arg)
    this.#setSize(expr, this.#sizeOf(arg))
    this.#setEntries(expr, this.#entriesOf(arg))
    return addBounds(ONE, cost)
  }

  #function(call: CalledOverload, costs: readonly Bounds[]): CallEstimate {
    const { expr, name, args } = call
    const [first = NOTHING, second = NOTHING, third = NOTHING] = costs
    if (name === LOGICAL_AND || name === LOGICAL_OR) return { cost: between(first.min, addBounds(first, second).max) }
    if (name === CONDITIONAL) return { ...this.#branches(expr, args), cost: addBounds(first, unionBounds(second, third)) }
    const own = this.#own(call)
    return { ...own, cost: addBounds(own.cost, sum(costs)) }
  }

  /** One of both branches. */
  #branches(expr: CallExpr, [, yes, no]: readonly EstimatedNode[]): Pick<CallEstimate, 'size'> {
    this.#uniteEntries(expr, expr.args.slice(1))
    return { size: unionBounds(yes?.size ?? UNKNOWN, no?.size ?? UNKNOWN) }
  }

  /** A value that may be, or hold the elements of, one or the other. */
  #uniteEntries(expr: CallExpr, [one, other]: readonly Expr[]): void {
    if (one && other) this.#setEntries(expr, unionEntries(this.#entriesOf(one), this.#entriesOf(other)))
  }

  /** Without what the arguments cost. */
  #own({ expr, name, signature, target, args }: CalledOverload): CallEstimate {
    const sizeAt = this.#sizeAt
    if (isSum(signature)) this.#uniteEntries(expr, expr.args)
    const sets = Object.hasOwn(SETS, signature) ? SETS[signature] : undefined
    if (sets !== undefined) return { cost: addBounds(scaleBounds(multiplyBounds(sizeOfNode(args[0], sizeAt), sizeOfNode(args[1], sizeAt)), sets), ONE) }
    const literalInt = (index: number): bigint | undefined => {
      const arg = expr.args[index]
      return arg?.kind === 'literal' && arg.literal.type === 'int' ? arg.literal.value : undefined
    }
    return LIBRARY_ESTIMATES.get(name)?.({ name, signature, target, args, sizeAt, literalInt }) ?? standardEstimate(signature, target, args)
  }
}

/** A loop over nothing, which only gives a name to a value. */
function isBinding({ range, condition, accumulator }: ComprehensionExpr): boolean {
  const isEmpty = range.kind === 'list' && range.elements.length === 0
  return isEmpty && condition.kind === 'literal' && condition.literal.value === false && accumulator !== '__result__'
}
