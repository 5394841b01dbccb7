import { addBounds, between, type CostBounds, lesser, multiplyBounds, ONE, scaleBounds, UNKNOWN } from './bounds.ts'
import { TRAVERSAL } from './call-cost.ts'
import type { CallEstimate, EstimatedNode } from './estimated-node.ts'
import { searchCost } from './library-estimates.ts'

const traversal = (size: CostBounds): CostBounds => scaleBounds(size, TRAVERSAL)

/** Signatures whose cost depends on the smaller argument. */
const COMPARISONS = new Set(
  ['less', 'less_equals', 'greater', 'greater_equals'].flatMap(name => [`${name}_string`, `${name}_bytes`]).concat('equals', 'not_equals'),
)
const SUMS = new Set(['add_string', 'add_bytes', 'add_list'])

/** Whether the result contains both arguments. */
export const isSum = (signature: string): boolean => SUMS.has(signature)

/** Estimates the standard functions, without the cost of their arguments. Reading a text costs 0.1 per character. */
export function standardEstimate(signature: string, target: EstimatedNode | undefined, args: readonly EstimatedNode[]): CallEstimate {
  const [first = UNKNOWN, second = UNKNOWN] = args.map(({ size }) => size ?? UNKNOWN)
  const targetSize = target?.size ?? UNKNOWN
  if (COMPARISONS.has(signature)) {
    const most = lesser(first.max, second.max)
    return { cost: traversal(between(most > 0n ? 1n : 0n, most)) }
  }
  if (isSum(signature)) {
    const size = addBounds(first, second)
    return { cost: signature === 'add_list' ? ONE : traversal(size), size }
  }
  switch (signature) {
    case 'string_format':
      return { cost: traversal(targetSize) }
    case 'string_to_bytes':
      return { cost: traversal(first), size: between(first.min, BigInt.asUintN(64, first.max * 4n)) }
    case 'bytes_to_string':
      return { cost: traversal(first), size: between(first.min / 4n, first.max) }
    case 'strings_quote':
      return { cost: traversal(first), size: between(first.min + 2n, BigInt.asUintN(64, first.max * 2n + 2n)) }
    case 'starts_with_string':
    case 'ends_with_string':
      return { cost: traversal(first) }
    case 'in_list':
      return { cost: scaleBounds(second, 1) }
    case 'matches_string':
      return { cost: searchCost(targetSize, first) }
    case 'contains_string':
      return { cost: multiplyBounds(traversal(targetSize), traversal(first)) }
    default:
      return { cost: ONE }
  }
}
