import { quote } from '../lib/go-quote.ts'
import { isStepDone, type Steps } from '../lib/steps.ts'
import { isLess, type ShardSelector, type Uint64 } from '../meta/shard-selector.ts'
import type { CallExpr, Expr, LiteralExpr } from './ast.ts'
import { LOGICAL_OR } from './operators.ts'
import { parseExpression } from './parser.ts'

/** A shard selector is invalid. The message is kube-apiserver's. */
export class ShardSelectorError extends Error {
  override readonly name = 'ShardSelectorError'
}

const FUNCTION = 'shardRange'
const FIELDS: Readonly<Record<string, ShardSelector['field']>> = { 'object.metadata.uid': 'uid', 'object.metadata.namespace': 'namespace' }
/** End of the hash space, the only bound of 17 digits. */
const END = '0x10000000000000000'
const DIGITS = 16

/** A parsed call of `shardRange`. */
interface Range {
  readonly path: string
  readonly start: string
  readonly end: string
}

/**
 * Parses a shard selector in steps, such as
 * `shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')`, or several joined by `||`. The
 * expression is parsed as CEL, and never evaluated. Throws ShardSelectorError. Source: k8s.io/apiserver, pkg/sharding.
 */
export function* shardSelectorSteps(text: string): Steps<ShardSelector> {
  const expression = text.trim()
  if (expression === '') throw new ShardSelectorError('empty shard selector is not allowed; omit the parameter for unfiltered lists')
  const { ast, issues } = yield* parseExpression(expression, { macros: new Map(), optionalSyntax: false })
  if (ast === undefined) throw new ShardSelectorError(`CEL parse error: ${issues.all[0]?.message ?? ''}`)
  const ranges = yield* rangesOf(ast.root)
  const [first] = ranges
  const field = first && FIELDS[first.path]
  if (first === undefined || field === undefined) throw new ShardSelectorError(`no ${FUNCTION}() in the selector`)
  const other = ranges.find(({ path }) => path !== first.path)
  if (other) throw new ShardSelectorError(`all shard ranges must use the same field, got ${quote(first.path)} and ${quote(other.path)}`)
  return {
    field,
    ranges: ranges.map(({ start, end }) => ({ start: numberOf(start), end: numberOf(end) })),
    text: ranges.map(({ path, start, end }) => `${FUNCTION}(${path}, '${start}', '${end}')`).join(' || '),
  }
}

/** Returns the ranges of an expression in order, without recursion: it may be a long chain. */
function* rangesOf(root: Expr): Steps<Range[]> {
  const ranges: Range[] = []
  const open: Expr[] = [root]
  for (let expr = open.pop(); expr !== undefined; expr = open.pop()) {
    if (isStepDone()) yield
    if (expr.kind !== 'call')
      throw new ShardSelectorError(`unexpected expression kind ${KINDS[expr.kind]}; expected ${FUNCTION}() call or || operator`)
    if (expr.name === LOGICAL_OR) open.push(...[...expr.args].reverse())
    else if (expr.name === FUNCTION) ranges.push(rangeOf(expr))
    else throw new ShardSelectorError(`unsupported function ${quote(expr.name)}; only ${FUNCTION}() and || are allowed`)
  }
  return ranges
}

function rangeOf({ args }: CallExpr): Range {
  const [field, first, last] = args
  if (args.length !== 3 || !field || !first || !last)
    throw new ShardSelectorError(`${FUNCTION}() requires exactly 3 arguments, got ${args.length}`)
  const path = pathOf(field)
  if (!Object.hasOwn(FIELDS, path))
    throw new ShardSelectorError(`unsupported field path ${quote(path)}; supported: ${Object.keys(FIELDS).join(', ')}`)
  const start = boundOf(first, 'hexStart')
  const end = boundOf(last, 'hexEnd')
  if (!isLess(numberOf(start), numberOf(end))) throw new ShardSelectorError(`shard range start ${start} must be less than end ${end}`)
  return { path, start, end }
}

/** Returns a chain of selects as a path with dots. */
function pathOf(expr: Expr): string {
  const fields: string[] = []
  let at = expr
  for (; at.kind === 'select'; at = at.operand) fields.push(at.field)
  if (at.kind !== 'ident')
    throw new ShardSelectorError(
      `${FUNCTION}() first argument: expected field path (e.g. object.metadata.uid), got expression kind ${KINDS[at.kind]}`,
    )
  return [at.name, ...fields.reverse()].join('.')
}

/** Returns a bound as written: `0x` and 16 lower-case digits, or 2^64. Lengths are in bytes, as Go counts them. */
function boundOf(expr: Expr, name: string): string {
  const failed = (why: string): ShardSelectorError => new ShardSelectorError(`${name}${why}`)
  if (expr.kind !== 'literal') throw failed(` must be a string literal (e.g. '0xff'), got expression kind ${KINDS[expr.kind]}`)
  const { literal } = expr
  if (literal.type !== 'string') throw failed(` must be a string literal, got ${GO_TYPES[literal.type]}`)
  const bound = literal.value
  if (!bound.startsWith('0x')) throw failed(` must have '0x' prefix, got ${quote(bound)}`)
  const hex = bound.slice(2)
  const { length } = Buffer.from(hex)
  if (hex === '') throw failed(": hex value is required after '0x'")
  if (length > DIGITS + 1) throw failed(`: hex value too long (${length} chars, max ${DIGITS + 1}): ${quote(hex)}`)
  const wrong = /[^0-9a-f]/u.exec(hex)?.[0]
  if (wrong !== undefined) throw failed(`: invalid hex character ${quote(wrong)} in ${quote(bound)}`)
  if (hex.length > DIGITS && bound !== END) throw failed(`: 17-digit hex value must be '${END}' (2^64), got ${quote(bound)}`)
  if (hex.length < DIGITS)
    throw failed(
      ` must be a 0x-prefixed 16-digit hex value, got ${quote(bound)} (did you mean ${quote(`0x${hex.padStart(DIGITS, '0')}`)}?)`,
    )
  return bound
}

/** Parses a valid bound. */
const numberOf = (bound: string): Uint64 => ({ high: Number.parseInt(bound.slice(2, -8), 16), low: Number.parseInt(bound.slice(-8), 16) })

/** Kinds of expressions, as cel-go numbers them. */
const KINDS: Readonly<Record<Expr['kind'], number>> = {
  unspecified: 0,
  call: 1,
  comprehension: 2,
  ident: 3,
  list: 4,
  literal: 5,
  map: 6,
  select: 7,
  struct: 8,
}

/** Types of literals, as Go prints them. */
const GO_TYPES: Readonly<Record<Exclude<LiteralExpr['literal']['type'], 'string'>, string>> = {
  int: 'int64',
  uint: 'uint64',
  double: 'float64',
  bytes: '[]uint8',
  bool: 'bool',
  null_type: 'structpb.NullValue',
}
