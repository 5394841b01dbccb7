import { sameType } from '../type.ts'
import { addBounds, type Bounds, between, exactly, multiplyBounds, NOTHING, ONE, scaleBounds, UNBOUNDED } from './bounds.ts'
import { comparisons, NEW_LIST, PATTERN, TRAVERSAL } from './call-cost.ts'
import { type CallEstimate, type EstimatedCall, type EstimatedNode, sizeOfNode } from './estimated-node.ts'

/** Undefined where the function is estimated elsewhere. */
type Estimate = (call: EstimatedCall) => CallEstimate | undefined

const cost = (bounds: Bounds, size?: Bounds): CallEstimate => (size ? { cost: bounds, size } : { cost: bounds })
const one: Estimate = () => cost(ONE)
const traversal = (size: Bounds, times = 1): Bounds => scaleBounds(size, times * TRAVERSAL)

/** What a call of the function is estimated to cost if it goes through its first argument, however often. */
const ofArgument =
  (times: number, sized = false): Estimate =>
  ({ args, sizeAt }) => {
    const size = sizeOfNode(args[0], sizeAt)
    return cost(traversal(size, times), sized ? size : undefined)
  }

/** A text that stays as long as it is, however it is changed. */
const ofTarget: Estimate = ({ target, sizeAt }) => {
  const size = sizeOfNode(target, sizeAt)
  return cost(traversal(size), size)
}

/** The elements of a list; undefined where it is none. */
function elementsOf({ type, path }: EstimatedNode): EstimatedNode | undefined {
  const element = type.params[0]
  return element && { type: element, path: path && [...path, '@items'], size: undefined }
}

/** One for each element, and for texts what going through them costs. */
const overElements: Estimate = ({ target, sizeAt }) => {
  const size = sizeOfNode(target, sizeAt)
  const element = target && elementsOf(target)
  if (!element) return cost(traversal(size))
  const isText = element.type.kind === 'string' || element.type.kind === 'bytes'
  return cost(multiplyBounds(size, isText ? addBounds(ONE, traversal(sizeOfNode(element, sizeAt))) : ONE))
}

/** How many parts fit into a text. By doubles, as upstream: beyond 2^53 it does not matter. */
const ceilDivide = (a: bigint, b: bigint): bigint => {
  const quotient = Math.ceil(Number(a) / Number(b))
  return quotient >= 2 ** 64 ? UNBOUNDED : BigInt(quotient)
}

/** How many parts are replaced, and how much of the text is kept. */
interface Replaced {
  readonly count: bigint
  readonly kept: bigint
}

/** @param keepsLength whether replacing cannot move the size in the direction that is asked for. */
function replaced(text: bigint, part: bigint, keepsLength: boolean): Replaced {
  // An empty part stands around every character.
  if (part === 0n) return { count: text < UNBOUNDED ? text + 1n : text, kept: text }
  return keepsLength ? { count: 0n, kept: text } : { count: ceilDivide(text, part), kept: 0n }
}

/** The most that replacing can make of a text: as many parts as there can be, each replaced by the longest text. */
const replacement: Estimate = ({ target, args, sizeAt }) => {
  const text = sizeOfNode(target, sizeAt)
  const part = sizeOfNode(args[0], sizeAt)
  const by = sizeOfNode(args[1], sizeAt)
  const most = replaced(text.max, part.min, by.max <= part.min)
  const least = replaced(text.min, part.max, part.max <= by.min)
  const size = addBounds(multiplyBounds(between(least.count, most.count), by), between(least.kept, most.kept))
  return cost(traversal(text, 2), size)
}

/** As many parts as the text has characters, unless a literal limits them. */
const splitting: Estimate = ({ target, sizeAt, literalInt }) => {
  const text = sizeOfNode(target, sizeAt)
  const limit = literalInt(1)
  return cost(traversal(text, 2), between(0n, limit === undefined ? text.max : BigInt.asUintN(64, limit)))
}

/** All elements, and a separator between any two. */
const joining: Estimate = ({ target, args, sizeAt }) => {
  const list = sizeOfNode(target, sizeAt)
  const element = target && elementsOf(target)
  let size = element ? multiplyBounds(list, sizeOfNode(element, sizeAt)) : NOTHING
  if (args[0]) {
    const separators = between(list.min > 0n ? list.min - 1n : 0n, list.max > 0n ? list.max - 1n : 0n)
    size = addBounds(size, multiplyBounds(sizeOfNode(args[0], sizeAt), separators))
  }
  return cost(traversal(size), size)
}

/** What looking for a pattern in a text is estimated to cost. */
export const searchCost = (text: Bounds, pattern: Bounds): Bounds => multiplyBounds(traversal(addBounds(text, ONE)), scaleBounds(pattern, PATTERN))

/** Every match is a part of the text. */
const searching: Estimate = ({ target, args, sizeAt }) => {
  const text = sizeOfNode(target, sizeAt)
  return cost(searchCost(text, sizeOfNode(args[0], sizeAt)), between(0n, text.max))
}

/** By the longest pattern of a format: which format it is, is known only when the expression runs. */
const validating: Estimate = ({ args, sizeAt }) => cost(scaleBounds(traversal(sizeOfNode(args[0], sizeAt)), 128 * PATTERN))

/** A list of requirements, of which the shortest has two characters. */
const selecting: Estimate = ({ args, sizeAt }) => {
  const size = sizeOfNode(args[0], sizeAt)
  return cost(addBounds(addBounds(exactly(10), traversal(size)), scaleBounds(scaleBounds(size, 0.5), 50)))
}

/** Bytes of an address. */
const ADDRESS = between(4, 16)

/** `signatureOfTexts`: the signature that reads its argument from a text. */
const network =
  (signatureOfTexts: string, containsNetwork: boolean): Estimate =>
  ({ signature, args, sizeAt }) => {
    let sum = traversal(addBounds(ADDRESS, ADDRESS))
    if (containsNetwork) sum = addBounds(addBounds(sum, traversal(ADDRESS)), ONE)
    return cost(signature === signatureOfTexts ? addBounds(sum, traversal(sizeOfNode(args[0], sizeAt))) : sum)
  }

/** Types whose values are compared in one step, whatever they hold. */
const COMPARED_AT_ONE = new Set([
  ...['net.IP', 'net.CIDR', 'kubernetes.Quantity', 'kubernetes.Semver'],
  ...['Authorizer', 'PathCheck', 'GroupCheck', 'ResourceCheck', 'Decision'].map(name => `kubernetes.authorization.${name}`),
])
/** Characters of the name of a format. */
const LONGEST_FORMAT = 64

/** Of values of libraries. Others are compared by their sizes. */
const equality: Estimate = ({ args }) => {
  const [left, right] = args
  if (!left || !right || !sameType(left.type, right.type)) return undefined
  const { name } = left.type
  if (COMPARED_AT_ONE.has(name)) return cost(ONE)
  if (name === 'kubernetes.NamedFormat') return cost(scaleBounds(between(1, LONGEST_FORMAT), TRAVERSAL))
  if (name === 'kubernetes.URL') return cost(scaleBounds(between(1n, (right.size ?? ONE).max), TRAVERSAL))
  return undefined
}

/** A list that is made: a cost for each element of `size`, which is taken for the size of the result as well. */
const newList = (size: Bounds, each = 1): CallEstimate => cost(addBounds(scaleBounds(size, each), exactly(NEW_LIST)), size)
/** A literal that is an argument, as a number without sign; `otherwise` where it is none. */
const literalOr = ({ literalInt }: EstimatedCall, index: number, otherwise: bigint): bigint => {
  const value = literalInt(index)
  if (value === undefined) return otherwise
  return value < 0n ? 0n : value
}

const slicing: Estimate = call => {
  const end = literalOr(call, 1, sizeOfNode(call.target, call.sizeAt).max)
  return newList(exactly(BigInt.asUintN(64, end - literalOr(call, 0, 0n))))
}

const flattening: Estimate = call => newList(sizeOfNode(call.target, call.sizeAt), call.args.length === 0 ? 1 : Number(literalOr(call, 0, UNBOUNDED)))

/** Comparing each element with each other. Upstream takes the number of comparisons for the size of the result. */
const comparing = (node: EstimatedNode | undefined, { signature, sizeAt }: EstimatedCall): CallEstimate => {
  const size = sizeOfNode(node, sizeAt)
  return newList(multiplyBounds(size, size), comparisons(/^list_(string|bytes)_/.test(signature)))
}

const named = (names: string, estimate: Estimate): [string, Estimate][] => names.split(' ').map(name => [name, estimate])

/** Functions that read what a value holds. */
const ACCESSORS = [
  'serviceAccount path group resource subresource namespace name allowed reason error errored',
  'masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast format.named',
  'sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch',
  'getScheme getHostname getHost getPort getEscapedPath getQuery',
].join(' ')

/** Estimates by the name of the function. Sources: kubernetes/apiserver, pkg/cel/library/cost.go; cel-go, ext/lists.go. */
export const LIBRARY_ESTIMATES: ReadonlyMap<string, Estimate> = new Map<string, Estimate>([
  ['check', () => cost(exactly(350_000))],
  ...named(ACCESSORS, one),
  ...named('fieldSelector labelSelector', selecting),
  ...named('isSorted sum max min indexOf lastIndexOf', overElements),
  ...named('url jsonpatch.escapeKey', ofArgument(1, true)),
  ...named('lowerAscii upperAscii substring trim', ofTarget),
  ['replace', replacement],
  ['split', splitting],
  ['join', joining],
  ...named('find findAll', searching),
  ...named('cidr isIP isCIDR quantity isQuantity semver isSemver', ofArgument(1)),
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
  ...named('sort distinct', call => comparing(call.target, call)),
  ['@sortByAssociatedKeys', call => comparing(call.args[0], call)],
])
