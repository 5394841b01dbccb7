import { isStepDone, type Steps } from '../lib/steps.ts'
import type { CallExpr, Expr, ExprId } from './ast.ts'
import { type Checked, typeOfNode } from './checked.ts'
import type { Type, TypeKind } from './type.ts'

/** Argument types that a format clause accepts, and the error for any other type. */
interface Clause {
  /** Kinds of types, `dyn` included. */
  readonly kinds: ReadonlySet<TypeKind>
  /** Message for other types. */
  readonly only: string
}

/** A dyn argument is always accepted here; its type is checked during evaluation. */
const clause = (only: string, ...kinds: TypeKind[]): Clause => ({ only, kinds: new Set<TypeKind>(['dyn', ...kinds]) })

const FIXED = clause('fixed-point clause can only be used on doubles', 'double', 'string')
const HEX = clause('only integers, byte buffers, and strings can be formatted as hex', 'int', 'uint', 'string', 'bytes')
const TEXT = clause(
  'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  ...(['list', 'map', 'int', 'uint', 'double', 'bool', 'string', 'timestamp', 'bytes', 'duration', 'type', 'null'] as const),
)

/** Clauses by their letter. Source: cel-go, ext/formatting.go, its validator. */
const CLAUSES: ReadonlyMap<string, Clause> = new Map([
  ['s', TEXT],
  ['d', clause('decimal clause can only be used on integers', 'int', 'uint')],
  ['f', FIXED],
  ['e', clause('scientific clause can only be used on doubles', 'double', 'string')],
  ['b', clause('only integers and bools can be formatted as binary', 'int', 'uint', 'bool')],
  ['x', HEX],
  ['X', HEX],
  ['o', clause('octal clause can only be used on integers', 'int', 'uint')],
])

/** Error in a call of `format`, and the node that it is reported at. */
export interface FormatFault {
  readonly id: ExprId
  readonly message: string
}

/**
 * Returns the first part of an argument that the clause cannot print. `deep` also checks the elements of literals,
 * which `%s` prints.
 */
function* misfit(expr: Expr, { kinds }: Clause, types: Checked['types'], deep: boolean): Steps<{ id: ExprId; type: Type } | undefined> {
  if (isStepDone()) yield
  const type = typeOfNode({ types }, expr.id)
  if (!kinds.has(type.kind)) return { id: expr.id, type }
  if (!deep) return undefined
  const parts = expr.kind === 'list' ? expr.elements : expr.kind === 'map' ? expr.entries.flatMap(({ key, value }) => [key, value]) : []
  for (const part of parts) {
    const found = yield* misfit(part, TEXT, types, true)
    if (found) return found
  }
  return undefined
}

/** Precision such as `.2`. Its digits are required. */
const PRECISION = /^\.(\d*)/

/** Reads a clause after a `%`. Returns the clause and its length in characters, or an error. */
function readClause(rest: string): { fault: string } | { fault?: never; clause: Clause; length: number } {
  const precision = PRECISION.exec(rest)
  const length = precision?.[0].length ?? 0
  const parsing = 'error while parsing precision: '
  if (precision && length === rest.length) return { fault: `${parsing}could not find end of precision specifier` }
  if (precision?.[1] === '')
    return { fault: `${parsing}error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax` }
  const letter = rest.charAt(length)
  const known = CLAUSES.get(letter)
  return known ? { clause: known, length: length + 1 } : { fault: `unrecognized formatting clause "${letter}"` }
}

/**
 * Checks a call of `format` whose format string and argument list are literals. Any other call is checked during
 * evaluation.
 */
export function* formatFault({ id, name, target, args }: CallExpr, types: Checked['types']): Steps<FormatFault | undefined> {
  const [list] = args
  if (name !== 'format' || target?.kind !== 'literal' || target.literal.type !== 'string' || list?.kind !== 'list') return undefined
  const parts = target.literal.value.split('%%').map(part => part.split('%'))
  let used = 0
  for (const [i, part] of parts.entries()) {
    for (const text of part.slice(1)) {
      const last = i === parts.length - 1 && text === part.at(-1)
      if (text === '' && last) return { id, message: 'unexpected end of string' }
      const arg = list.elements[used]
      if (!arg) return { id, message: `index ${used} out of range` }
      const read = readClause(text === '' ? '%' : text)
      if (read.fault !== undefined) return { id, message: `could not parse formatting clause: ${read.fault}` }
      const found = yield* misfit(arg, read.clause, types, read.clause === TEXT)
      if (found) return { id: found.id, message: `error during formatting: ${read.clause.only}, was given ${found.type.name}` }
      used++
    }
  }
  const given = list.elements.length
  return given > used ? { id, message: `too many arguments supplied to string.format (expected ${used}, got ${given})` } : undefined
}
