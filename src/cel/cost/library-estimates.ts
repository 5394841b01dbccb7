import { sameType } from '../type.ts'
import { addBounds, between, type CostBounds, exactly, multiplyBounds, NOTHING, ONE, scaleBounds, UNBOUNDED } from './bounds.ts'
import { comparisons, NEW_LIST, PATTERN, TRAVERSAL } from './call-cost.ts'
import { type CallEstimate, type EstimatedCall, type EstimatedNode, sizeOfNode } from './estimated-node.ts'

/** Estimates a call. Undefined if the function is estimated elsewhere. */
type Estimate = (call: EstimatedCall) => CallEstimate | undefined

const cost = (bounds: CostBounds, size?: CostBounds): CallEstimate => (size ? { cost: bounds, size } : { cost: bounds })
const one: Estimate = () => cost(ONE)
const traversal = (size: CostBounds, times = 1): CostBounds => scaleBounds(size, times * TRAVERSAL)

/**
 * Makes an estimate for functions that read their first argument.
 * @param times how often it is read.
 * @param sized whether the result has the size of the argument.
 */
const ofArgument =
  (times: number, sized = false): Estimate =>
  ({ args, sizeAt }) => {
    const size = sizeOfNode(args[0], sizeAt)
    return cost(traversal(size, times), sized ? size : undefined)
  }

/** Estimate for functions that change a text but not its length. */
const ofTarget: Estimate = ({ target, sizeAt }) => {
  const size = sizeOfNode(target, sizeAt)
  return cost(traversal(size), size)
}

/** Returns the elements of a list. Undefined if the value is not a list. */
function listElements({ type, path }: EstimatedNode): EstimatedNode | undefined {
  const element = type.params[0]
  return element && { type: element, path: path && [...path, '@items'], size: undefined }
}

/** Estimate for functions that visit each element of a list, and read it if it is a text. */
const overElements: Estimate = ({ target, sizeAt }) => {
  const size = sizeOfNode(target, sizeAt)
  const element = target && listElements(target)
  if (!element) return cost(traversal(size))
  const isText = element.type.kind === 'string' || element.type.kind === 'bytes'
  return cost(multiplyBounds(size, isText ? addBounds(ONE, traversal(sizeOfNode(element, sizeAt))) : ONE))
}

/** Like `overElements`. A value that may be a list, or not, is charged as a list of unknown elements. */
const including: Estimate = call => {
  const { target, sizeAt } = call
  return target && listElements(target) ? overElements(call) : cost(multiplyBounds(sizeOfNode(target, sizeAt), ONE))
}

/** Divides and rounds up, in doubles as upstream does. */
const ceilDivide = (a: bigint, b: bigint): bigint => {
  const quotient = Math.ceil(Number(a) / Number(b))
  return quotient >= 2 ** 64 ? UNBOUNDED : BigInt(quotient)
}

/** Number of replaced parts, and number of characters that are kept. */
interface Replaced {
  readonly count: bigint
  readonly kept: bigint
}

/**
 * @param keepsLength whether the bound is reached without any replacement, because replacing cannot change the length
 * in its direction.
 */
function replaced(text: bigint, part: bigint, keepsLength: boolean): Replaced {
  // An empty part matches before and after each character.
  if (part === 0n) return { count: text < UNBOUNDED ? text + 1n : text, kept: text }
  return keepsLength ? { count: 0n, kept: text } : { count: ceilDivide(text, part), kept: 0n }
}

/** Estimates `replace` by its longest result: as many parts as possible, each replaced by the longest text. */
const replacement: Estimate = ({ target, args, sizeAt }) => {
  const text = sizeOfNode(target, sizeAt)
  const part = sizeOfNode(args[0], sizeAt)
  const by = sizeOfNode(args[1], sizeAt)
  const most = replaced(text.max, part.min, by.max <= part.min)
  const least = replaced(text.min, part.max, part.max <= by.min)
  const size = addBounds(multiplyBounds(between(least.count, most.count), by), between(least.kept, most.kept))
  return cost(traversal(text, 2), size)
}

/** Estimates `split`: as many parts as characters, unless a literal limits them. */
const splitting: Estimate = ({ target, sizeAt, literalInt }) => {
  const text = sizeOfNode(target, sizeAt)
  const limit = literalInt(1)
  return cost(traversal(text, 2), between(0n, limit === undefined ? text.max : BigInt.asUintN(64, limit)))
}

/** Estimates `join`: all elements, with a separator between any two. */
const joining: Estimate = ({ target, args, sizeAt }) => {
  const list = sizeOfNode(target, sizeAt)
  const element = target && listElements(target)
  let size = element ? multiplyBounds(list, sizeOfNode(element, sizeAt)) : NOTHING
  if (args[0]) {
    const separators = between(list.min > 0n ? list.min - 1n : 0n, list.max > 0n ? list.max - 1n : 0n)
    size = addBounds(size, multiplyBounds(sizeOfNode(args[0], sizeAt), separators))
  }
  return cost(traversal(size), size)
}

/** Estimates the cost of searching a text for a pattern. */
export const searchCost = (text: CostBounds, pattern: CostBounds): CostBounds =>
  multiplyBounds(traversal(addBounds(text, ONE)), scaleBounds(pattern, PATTERN))

/** Estimates `find` and `findAll`. The matches are not longer than the text. */
const searching: Estimate = ({ target, args, sizeAt }) => {
  const text = sizeOfNode(target, sizeAt)
  return cost(searchCost(text, sizeOfNode(args[0], sizeAt)), between(0n, text.max))
}

/** Estimates a format validation by the longest pattern of any format, because the format is known only at run time. */
const validating: Estimate = ({ args, sizeAt }) => cost(scaleBounds(traversal(sizeOfNode(args[0], sizeAt)), 128 * PATTERN))

/** Estimates a selector: a list of requirements of at least two characters each. */
const selecting: Estimate = ({ args, sizeAt }) => {
  const size = sizeOfNode(args[0], sizeAt)
  return cost(addBounds(addBounds(exactly(10), traversal(size)), scaleBounds(scaleBounds(size, 0.5), 50)))
}

/** Size of an address in bytes. */
const ADDRESS = between(4, 16)

/**
 * Estimates functions of networks.
 * @param signatureOfTexts the signature that parses its argument.
 */
const network =
  (signatureOfTexts: string, containsNetwork: boolean): Estimate =>
  ({ signature, args, sizeAt }) => {
    let sum = traversal(addBounds(ADDRESS, ADDRESS))
    if (containsNetwork) sum = addBounds(addBounds(sum, traversal(ADDRESS)), ONE)
    return cost(signature === signatureOfTexts ? addBounds(sum, traversal(sizeOfNode(args[0], sizeAt))) : sum)
  }

/** Types whose values are compared at a cost of 1. */
const COMPARED_AT_ONE = new Set([
  ...['net.IP', 'net.CIDR', 'kubernetes.Quantity', 'kubernetes.Semver'],
  ...['Authorizer', 'PathCheck', 'GroupCheck', 'ResourceCheck', 'Decision'].map(name => `kubernetes.authorization.${name}`),
])
/** Upper bound for the length of a format's name. */
const LONGEST_FORMAT = 64

/** Estimates equality of values of libraries. Undefined for other types, which are compared by size. */
const equality: Estimate = ({ args }) => {
  const [left, right] = args
  if (!left || !right || !sameType(left.type, right.type)) return undefined
  const { name } = left.type
  if (COMPARED_AT_ONE.has(name)) return cost(ONE)
  if (name === 'kubernetes.NamedFormat') return cost(scaleBounds(between(1, LONGEST_FORMAT), TRAVERSAL))
  if (name === 'kubernetes.URL') return cost(scaleBounds(between(1n, (right.size ?? ONE).max), TRAVERSAL))
  return undefined
}

/**
 * Estimates a function that creates a list.
 * @param size number of elements that are visited, which upstream also uses as the size of the result.
 */
const newList = (size: CostBounds, each = 1): CallEstimate => cost(addBounds(scaleBounds(size, each), exactly(NEW_LIST)), size)
/** Returns a literal argument as an unsigned number, or `otherwise` if the argument is not a literal. */
const literalOr = ({ literalInt }: EstimatedCall, index: number, otherwise: bigint): bigint => {
  const value = literalInt(index)
  if (value === undefined) return otherwise
  return value < 0n ? 0n : value
}

const slicing: Estimate = call => {
  const end = literalOr(call, 1, sizeOfNode(call.target, call.sizeAt).max)
  return newList(exactly(BigInt.asUintN(64, end - literalOr(call, 0, 0n))))
}

const flattening: Estimate = call =>
  newList(sizeOfNode(call.target, call.sizeAt), call.args.length === 0 ? 1 : Number(literalOr(call, 0, UNBOUNDED)))

/**
 * Estimates functions that compare each pair of elements. Upstream uses the number of comparisons as the size of the
 * result.
 */
const comparing = (node: EstimatedNode | undefined, { signature, sizeAt }: EstimatedCall): CallEstimate => {
  const size = sizeOfNode(node, sizeAt)
  return newList(multiplyBounds(size, size), comparisons(/^list_(string|bytes)_/.test(signature)))
}

const estimateEntries = (names: string, estimate: Estimate): [string, Estimate][] => names.split(' ').map(name => [name, estimate])

/** Functions that read a member of a value. */
const ACCESSORS = [
  'serviceAccount path group resource subresource namespace name allowed reason error errored',
  'masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast format.named',
  'sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch',
  'getScheme getHostname getHost getPort getEscapedPath getQuery',
].join(' ')

/** Estimates by function name. Sources: kubernetes/apiserver, pkg/cel/library/cost.go; cel-go, ext/lists.go. */
export const LIBRARY_ESTIMATES: ReadonlyMap<string, Estimate> = new Map<string, Estimate>([
  ['check', () => cost(exactly(350_000))],
  ...estimateEntries(ACCESSORS, one),
  ...estimateEntries('fieldSelector labelSelector', selecting),
  ...estimateEntries('isSorted sum max min indexOf lastIndexOf', overElements),
  ['includes', including],
  ...estimateEntries('url jsonpatch.escapeKey', ofArgument(1, true)),
  ...estimateEntries('lowerAscii upperAscii substring trim', ofTarget),
  ['replace', replacement],
  ['split', splitting],
  ['join', joining],
  ...estimateEntries('find findAll', searching),
  ...estimateEntries('cidr isIP isCIDR quantity isQuantity semver isSemver', ofArgument(1)),
  ['ip', call => (call.args.length === 0 ? one(call) : ofArgument(1)(call))],
  ['ip.isCanonical', ofArgument(2)],
  ['containsIP', network('cidr_contains_ip_string', false)],
  ['containsCIDR', network('cidr_contains_cidr_string', true)],
  ['validate', validating],
  ['_==_', equality],
  ['slice', slicing],
  ['flatten', flattening],
  ['lists.range', call => newList(exactly(literalOr(call, 0, UNBOUNDED)))],
  ['reverse', ({ target, sizeAt }) => newList(sizeOfNode(target, sizeAt))],
  ...estimateEntries('sort distinct', call => comparing(call.target, call)),
  ['@sortByAssociatedKeys', call => comparing(call.args[0], call)],
])
