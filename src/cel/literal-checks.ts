import { parseDuration } from '../lib/duration.ts'
import { regexpFault } from '../lib/regexp-syntax.ts'
import { isStepDone, type Steps } from '../lib/steps.ts'
import { parseTime } from '../meta/time.ts'
import { type CallExpr, childrenOf, type Expr, type ExprId, type ListExpr, type LiteralValue, type MapExpr } from './ast.ts'
import { type Checked, typeOfNode } from './checked.ts'
import { formatFault } from './format-checks.ts'
import type { Issues } from './issues.ts'
import { equivalentType, heldBy, printType, type Type } from './type.ts'

/** Range of timestamps in seconds: the years 1 to 9999. */
const MIN_SECONDS = -62135596800
const MAX_SECONDS = 253402300799

function isDurationText(text: string): boolean {
  try {
    parseDuration(text)
    return true
  } catch {
    return false
  }
}

const isTimeText = (text: string): boolean => {
  const { seconds } = parseTime(text) ?? {}
  return seconds !== undefined && seconds >= MIN_SECONDS && seconds <= MAX_SECONDS
}

/** Functions whose literal first argument is validated at compile time. */
const CHECKS: Readonly<Record<string, (literal: LiteralValue) => boolean>> = {
  duration: literal => literal.type === 'string' && isDurationText(literal.value),
  timestamp(literal) {
    if (literal.type === 'int') return literal.value >= MIN_SECONDS && literal.value <= MAX_SECONDS
    return literal.type !== 'string' || isTimeText(literal.value)
  },
  matches: literal => literal.type !== 'string' || regexpFault(literal.value) === undefined,
}

/** Reports an error at the position of a node. */
type Report = (id: ExprId, message: string | (() => string)) => void

/** Validates literal arguments whose conversion would fail in every evaluation. */
function* checkCall(call: CallExpr, types: Checked['types'], report: Report): Steps<void> {
  const { name, args } = call
  const [first] = args
  const check = Object.hasOwn(CHECKS, name) ? CHECKS[name] : undefined
  if (check && first?.kind === 'literal' && !check(first.literal)) report(first.id, `invalid ${name} argument`)
  const fault = yield* formatFault(call, types)
  if (fault) report(fault.id, fault.message)
}

/** Compares the parts of a literal with the first one. */
class Uniform {
  #first: Type | undefined
  readonly #report: Report

  constructor(report: Report) {
    this.#report = report
  }

  /** Reports whether the type equals that of the parts before it. */
  add(id: ExprId, type: Type, optional: boolean): boolean {
    const value = optional ? (heldBy(type) ?? type) : type
    this.#first ??= value
    if (equivalentType(this.#first, value)) return true
    const first = this.#first
    this.#report(id, () => `expected type '${printType(first)}' but found '${printType(value)}'`)
    return false
  }
}

/** Checks the elements of a list. Only the first one that differs is reported. */
function* checkList({ elements, optionals }: ListExpr, types: Checked['types'], report: Report): Steps<void> {
  const uniform = new Uniform(report)
  for (const [i, { id }] of elements.entries()) {
    if (isStepDone()) yield
    if (!uniform.add(id, typeOfNode({ types }, id), optionals.has(i))) return
  }
}

/** Checks keys and values separately. Each one that differs is reported. */
function* checkMap({ entries }: MapExpr, types: Checked['types'], report: Report): Steps<void> {
  const keys = new Uniform(report)
  const values = new Uniform(report)
  for (const { key, value, optional } of entries) {
    if (isStepDone()) yield
    keys.add(key.id, typeOfNode({ types }, key.id), false)
    values.add(value.id, typeOfNode({ types }, value.id), optional)
  }
}

/**
 * Reports literals that are invalid as an argument (a malformed duration, say), and lists and maps of mixed types, even
 * if their type is dyn. The API server does so since 1.29. Only arguments of `format` may be mixed.
 */
export function* checkLiterals({ ast, types }: Checked, issues: Issues): Steps<void> {
  const report: Report = (id, message) => issues.report(issues.source.locationOf(ast.offsets.get(id) ?? 0), message)
  const visit = function* (expr: Expr, mixed: boolean): Steps<void> {
    if (isStepDone()) yield
    if (expr.kind === 'call') yield* checkCall(expr, types, report)
    else if (expr.kind === 'list' && !mixed) yield* checkList(expr, types, report)
    else if (expr.kind === 'map' && !mixed) yield* checkMap(expr, types, report)
    const below = mixed || (expr.kind === 'call' && expr.name === 'format')
    for (const child of childrenOf(expr)) if (child.kind !== 'literal' && child.kind !== 'ident') yield* visit(child, below)
  }
  yield* visit(ast.root, false)
}
