import { runIfSteps, type Steps } from '../lib/steps.ts'
import type { Expr, ExprId } from './ast.ts'
import { ACCUMULATOR, MacroBuilder, type NodeBuilder } from './node-builder.ts'
import { ADD, CONDITIONAL, EQUALS, LOGICAL_AND, LOGICAL_NOT, LOGICAL_OR, NOT_STRICTLY_FALSE } from './operators.ts'

/** A macro call with an argument that the macro does not allow. */
export class MacroFault extends Error {
  override readonly name = 'MacroFault'
  /** The invalid argument. */
  readonly at: Expr
  /** Its offset in the source, in code points. */
  offset = 0

  constructor(at: Expr, message: string) {
    super(message)
    this.at = at
  }
}

/**
 * Expands a call, in steps if it copies an argument. Returns undefined if the call is not a use of the macro. The
 * number of arguments matches the key in Macros. Nodes are made in cel-go's order, because their numbers follow it.
 */
type Expand = (make: MacroBuilder, target: Expr, ...args: Expr[]) => Expr | Steps<Expr> | undefined

/** Macros by `name:arguments`, or `name:arguments:member` for a member call. */
export type Macros = ReadonlyMap<string, Expand>

/** Expands a call. Returns undefined if it stays a call; otherwise the number of the call is reused. */
export function* expandMacro(
  expand: Expand,
  nodes: NodeBuilder,
  call: { readonly id: ExprId; readonly args: readonly Expr[]; readonly target: Expr },
): Steps<Expr | MacroFault | undefined> {
  const { id, args, target } = call
  try {
    const expanded = yield* runIfSteps(expand(new MacroBuilder(nodes, id), target, ...args))
    if (expanded) nodes.release(id)
    return expanded
  } catch (error) {
    if (!(error instanceof MacroFault)) throw error
    error.offset = nodes.offsetOf(error.at.id) ?? 0
    nodes.release(id)
    return error
  }
}

const OVERWRITES = 'iteration variable overwrites accumulator variable'

/** Returns the name of an argument that must be an identifier. */
function variableName(arg: Expr, message: string): string {
  if (arg.kind !== 'ident') throw new MacroFault(arg, message)
  return arg.name
}

/** Rejects a loop variable with the name of the accumulator. */
function notAccumulator(arg: Expr, name: string): string {
  if (name === ACCUMULATOR || name === '__result__') throw new MacroFault(arg, OVERWRITES)
  return name
}

const iterationVariable = (arg: Expr, message: string): string => notAccumulator(arg, variableName(arg, message))

/** One or two loop variables. */
type Variables = readonly [string, string?]

/** Expands `all`. The loop stops when the accumulator is false; an error is the result only if no element is false. */
function expandAll(make: MacroBuilder, range: Expr, variables: Variables, predicate: Expr): Expr {
  const init = make.bool(true)
  const condition = make.call(NOT_STRICTLY_FALSE, make.accumulator())
  const step = make.call(LOGICAL_AND, make.accumulator(), predicate)
  return make.loop({ range, variables, init, condition, step, result: make.accumulator() })
}

/** Expands `exists`. The loop stops when the accumulator is true; an error is the result only if no element is true. */
function expandExists(make: MacroBuilder, range: Expr, variables: Variables, predicate: Expr): Expr {
  const init = make.bool(false)
  const condition = make.call(NOT_STRICTLY_FALSE, make.call(LOGICAL_NOT, make.accumulator()))
  const step = make.call(LOGICAL_OR, make.accumulator(), predicate)
  return make.loop({ range, variables, init, condition, step, result: make.accumulator() })
}

/** Expands `exists_one`. It visits every element, and any error is the result. */
function existsOne(make: MacroBuilder, range: Expr, variables: Variables, predicate: Expr): Expr {
  const init = make.int(0n)
  const condition = make.bool(true)
  const step = make.call(CONDITIONAL, predicate, make.call(ADD, make.accumulator(), make.int(1n)), make.accumulator())
  return make.loop({ range, variables, init, condition, step, result: make.call(EQUALS, make.accumulator(), make.int(1n)) })
}

/** Expands `has(a.b)` to a presence test. */
const has: Expand = (make, _target, arg: Expr) => {
  if (arg.kind !== 'select') throw new MacroFault(arg, 'invalid argument to has() macro')
  return make.presence(arg.operand, arg.field)
}

/** Builds the loop of `all`, `exists` or `exists_one`. */
type Quantifier = typeof expandAll

const quantifier =
  (build: Quantifier): Expand =>
  (make, target, variable: Expr, predicate: Expr) =>
    build(make, target, [iterationVariable(variable, 'argument must be a simple name')], predicate)

/** `list.map(x, f)` or `list.map(x, p, f)`. */
const map = (make: MacroBuilder, target: Expr, variable: Expr, first: Expr, second?: Expr): Expr => {
  const name = iterationVariable(variable, 'argument is not an identifier')
  const init = make.list()
  const condition = make.bool(true)
  const sum = make.call(ADD, make.accumulator(), make.list(second ?? first))
  const step = second ? make.call(CONDITIONAL, first, sum, make.accumulator()) : sum
  return make.loop({ range: target, variables: [name], init, condition, step, result: make.accumulator() })
}

/** `list.filter(x, p)` */
const filter: Expand = (make, target, variable: Expr, predicate: Expr) => {
  const name = iterationVariable(variable, 'argument is not an identifier')
  const init = make.list()
  const condition = make.bool(true)
  const sum = make.call(ADD, make.accumulator(), make.list(variable))
  const step = make.call(CONDITIONAL, predicate, sum, make.accumulator())
  return make.loop({ range: target, variables: [name], init, condition, step, result: make.accumulator() })
}

/** Macros of every environment (cel-spec, "Macros"). */
export const STANDARD_MACROS: Macros = new Map<string, Expand>([
  ['has:1', has],
  ['all:2:member', quantifier(expandAll)],
  ['exists:2:member', quantifier(expandExists)],
  ['exists_one:2:member', quantifier(existsOne)],
  ['map:2:member', map],
  ['map:3:member', map],
  ['filter:2:member', filter],
])

/**
 * Binds a name to a value, as a loop over an empty list whose result is the expression.
 * @param range the empty list. It is numbered before the nodes of the value, as in cel-go.
 */
function expandBind(make: MacroBuilder, name: string, range: Expr, init: Expr, expression: Expr): Expr {
  const condition = make.bool(false)
  const step = make.ident(name)
  return make.loop({ range, variables: ['#unused'], init, condition, step, result: expression, accumulator: name })
}

/** Binds the value of an optional. The optional is copied, because the condition evaluates it as well. */
function* bindHeld(make: MacroBuilder, optional: Expr, name: string, expression: Expr): Steps<Expr> {
  const range = make.list()
  const copy = yield* make.copy(optional)
  return expandBind(make, name, range, make.memberCall('value', copy), expression)
}

/** `a.optMap(x, f)`: an optional of `f` if `a` has a value. */
const optMap: Expand = function* (make, target, variable: Expr, expression: Expr) {
  const name = variableName(variable, 'optMap() variable name must be a simple identifier')
  const present = make.memberCall('hasValue', target)
  const value = make.call('optional.of', yield* bindHeld(make, target, name, expression))
  return make.call(CONDITIONAL, present, value, make.call('optional.none'))
}

/** `a.optFlatMap(x, f)`: `f`, which is an optional itself, if `a` has a value. */
const optFlatMap: Expand = function* (make, target, variable: Expr, expression: Expr) {
  const name = variableName(variable, 'optFlatMap() variable name must be a simple identifier')
  const present = make.memberCall('hasValue', target)
  const value = yield* bindHeld(make, target, name, expression)
  return make.call(CONDITIONAL, present, value, make.call('optional.none'))
}

/** Macros of optionals, since 1.28. Source: cel-go, cel/library.go. */
export const OPTIONAL_MACROS: Macros = new Map<string, Expand>([
  ['optMap:2:member', optMap],
  ['optFlatMap:2:member', optFlatMap],
])

/** `cel.bind(name, value, expression)`. */
const celBind: Expand = (make, target, variable: Expr, value: Expr, expression: Expr) => {
  if (target.kind !== 'ident' || target.name !== 'cel') return undefined
  const name = variableName(variable, 'cel.bind() variable names must be simple identifiers')
  return expandBind(make, name, make.list(), value, expression)
}

/** Macros of the bindings library: https://pkg.go.dev/github.com/google/cel-go/ext#Bindings */
export const BINDING_MACROS: Macros = new Map<string, Expand>([['bind:3:member', celBind]])

/** Returns the names of two loop variables, which must be different identifiers. */
function twoVariables(first: Expr, second: Expr): readonly [string, string] {
  const one = variableName(first, 'argument must be a simple name')
  const two = variableName(second, 'argument must be a simple name')
  if (one === two) throw new MacroFault(second, `duplicate variable name: ${one}`)
  return [notAccumulator(first, one), notAccumulator(second, two)]
}

const quantifierOfTwo =
  (build: Quantifier): Expand =>
  (make, target, first: Expr, second: Expr, predicate: Expr) =>
    build(make, target, twoVariables(first, second), predicate)

/**
 * Builds the loop of a `transform` macro. With four arguments, the third is a filter.
 * @param step makes the new accumulator. It is skipped for elements that the filter excludes.
 */
const transform =
  (step: (make: MacroBuilder, variables: Variables, value: Expr) => Expr, init: (make: MacroBuilder) => Expr): Expand =>
  (make, target, ...[first, second, third, fourth]: [Expr, Expr, Expr, Expr?]) => {
    const variables = twoVariables(first, second)
    const taken = step(make, variables, fourth ?? third)
    const whole = fourth ? make.call(CONDITIONAL, third, taken, make.accumulator()) : taken
    return make.loop({ range: target, variables, init: init(make), condition: make.bool(true), step: whole, result: make.accumulator() })
  }

/** `m.transformList(k, v, f)`, or `m.transformList(k, v, p, f)` with a filter. */
const transformList = transform(
  (make, _variables, value) => make.call(ADD, make.accumulator(), make.list(value)),
  make => make.list(),
)

/** `m.transformMap(k, v, f)`: keeps the keys and replaces the values. */
const transformMap = transform(
  (make, [key], value) => make.call('cel.@mapInsert', make.accumulator(), make.ident(key), value),
  make => make.map(),
)

/** `m.transformMapEntry(k, v, {a: b})`: replaces keys and values. A duplicate key is an error. */
const transformMapEntry = transform(
  (make, _variables, entry) => make.call('cel.@mapInsert', make.accumulator(), entry),
  make => make.map(),
)

/** Macros of two loop variables, since 1.32. Source: cel-go, ext/comprehensions.go. */
export const TWO_VARIABLE_MACROS: Macros = new Map<string, Expand>([
  ['all:3:member', quantifierOfTwo(expandAll)],
  ['exists:3:member', quantifierOfTwo(expandExists)],
  ['exists_one:3:member', quantifierOfTwo(existsOne)],
  ['existsOne:3:member', quantifierOfTwo(existsOne)],
  ['transformList:3:member', transformList],
  ['transformList:4:member', transformList],
  ['transformMap:3:member', transformMap],
  ['transformMap:4:member', transformMap],
  ['transformMapEntry:3:member', transformMapEntry],
  ['transformMapEntry:4:member', transformMapEntry],
])

/** Kinds of expressions that `sortBy` can be called on. */
const SORTABLE = ['list', 'select', 'ident', 'comprehension', 'call']
/** Hidden variable of `sortBy`. It is not a valid identifier, so expressions cannot declare it. */
const SORTED_LIST = '@__sortBy_input__'

/** `list.sortBy(x, f)`: binds the list to a hidden variable and sorts it by the keys that `f` returns. */
const sortBy: Expand = function* (make, target, variable: Expr, key: Expr) {
  if (!SORTABLE.includes(target.kind))
    throw new MacroFault(target, 'sortBy can only be applied to a list, identifier, comprehension, call or select expression')
  const bound = make.ident(SORTED_LIST)
  const keys = map(make, yield* make.copy(bound), variable, key)
  const sorted = make.memberCall('@sortByAssociatedKeys', yield* make.copy(bound), keys)
  const range = make.list()
  const condition = make.bool(false)
  return make.loop({ range, variables: ['#unused'], init: target, condition, step: bound, result: sorted, accumulator: SORTED_LIST })
}

/** Macros of lists, since 1.34. Source: cel-go, ext/lists.go. */
export const LIST_MACROS: Macros = new Map<string, Expand>([['sortBy:2:member', sortBy]])
