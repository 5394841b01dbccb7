import { FormatValue } from '../functions/formats.ts'
import { signaturesOf } from '../libraries/extended-lists.ts'
import { FlattenedList, JoinedList } from '../values/list.ts'
import { heldSizeForCost, sizeForCost, smallerSizeForCost, traversalCost } from '../values/sizes.ts'
import { CelList, CelObject, type Value } from '../values/value.ts'

/**
 * Cost of a call, computed from its first two arguments and its result. An argument that is an error counts as a value
 * of size 1.
 */
export type CallCost = (first: Value, second: Value, result: Value) => number

/** Cost per character of reading a text once. */
export const TRAVERSAL = 0.1
/** Cost per character of a regular expression. */
export const PATTERN = 0.25

/**
 * Results longer than this are charged by their length. Upstream charges only for the arguments, or a constant, so that
 * a short expression could build very long values.
 */
const LONG = 1000
function costLength(value: Value): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length
  return value instanceof CelList && !(value instanceof JoinedList) ? value.size : 0
}
const orLong = (cost: number, result: Value): number =>
  costLength(result) > LONG ? Math.max(cost, Math.ceil(costLength(result) * TRAVERSAL)) : cost
const onlyIfLong = (cost: number): number => (cost > LONG ? cost : 1)
const sumOrLong: CallCost = (_first, _second, result) => orLong(1, result)

/** Makes a constant cost. */
const fixed =
  (cost: number): CallCost =>
  () =>
    cost

const one = fixed(1)
/**
 * Makes a cost per character of the first argument.
 * @param times how often the text is read.
 */
const ofFirst =
  (times: number): CallCost =>
  first =>
    Math.ceil(sizeForCost(first) * times * TRAVERSAL)
const whole: CallCost = first => traversalCost(first)
/** Cost of a search, proportional to text length times pattern length. An empty text counts as one character. */
const pattern = (text: number, patternSize: number): number => Math.ceil((1 + text) * TRAVERSAL) * Math.ceil(patternSize * PATTERN)
const search: CallCost = (first, second) => pattern(sizeForCost(first), sizeForCost(second))

/** Cost of a selector: a list of requirements, each of which costs a list and a struct. */
const selector: CallCost = (_first, second) =>
  10 + Math.ceil(sizeForCost(second) * TRAVERSAL) + Math.ceil(Math.ceil(sizeForCost(second) * 0.5) * 50)

/**
 * Cost of comparing two addresses.
 * @param containsNetwork adds the cost of masking an address.
 * @param parses adds the cost of parsing the second argument.
 */
const networks = (containsNetwork: boolean, parses: boolean): CallCost => {
  return (first, second) => {
    const size = sizeForCost(first)
    const masking = containsNetwork ? Math.ceil(size * TRAVERSAL) + 1 : 0
    return Math.ceil((size + size) * TRAVERSAL) + masking + (parses ? Math.ceil(sizeForCost(second) * TRAVERSAL) : 0)
  }
}

/** Cost of a format validation. Each format is charged as a pattern of the length that upstream states. */
const validation: CallCost = (first, second) => (first instanceof FormatValue ? pattern(sizeForCost(second), first.patternSize) : 1)

const costEntries = (names: string, cost: CallCost): [string, CallCost][] => names.split(' ').map(name => [name, cost])

/** Functions that read all of a list. */
const READING = ['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf', 'includes']

/** Costs by function name, for all signatures. Source: kubernetes/apiserver, pkg/cel/library/cost.go. */
const BY_FUNCTION = new Map<string, CallCost>([
  ...costEntries('check', fixed(350_000)),
  ...costEntries('serviceAccount path group resource subresource namespace name allowed reason error errored', one),
  ...costEntries('fieldSelector labelSelector', selector),
  ...READING.map((name): [string, CallCost] => [name, whole]),
  ...costEntries(
    'url lowerAscii upperAscii substring trim jsonpatch.escapeKey cidr isIP isCIDR ip quantity isQuantity semver isSemver',
    ofFirst(1),
  ),
  ...costEntries('split ip.isCanonical', ofFirst(2)),
  ['replace', (first, second, result) => orLong(ofFirst(2)(first, second, result), result)],
  ['_+_', sumOrLong],
  ...costEntries('join', (_first, _second, result) => Math.ceil(sizeForCost(result) * 2 * TRAVERSAL)),
  ...costEntries('find findAll', search),
  ...costEntries('validate', validation),
])

const ofHeld: CallCost = first => Math.ceil(heldSizeForCost(first) * TRAVERSAL)
/** Cost of comparing two texts: the comparison ends with the shorter one. */
const smaller: CallCost = (first, second) => Math.ceil(smallerSizeForCost(first, second) * TRAVERSAL)
/** Cost of equality. Comparing values of libraries costs 1. */
const equality: CallCost = (first, second) => (first instanceof CelObject ? 1 : smaller(first, second, null))
const sum: CallCost = (first, second) => Math.ceil((heldSizeForCost(first) + heldSizeForCost(second)) * TRAVERSAL)
/** Cost of a set operation: each element is compared with each element of the other list, plus 1 for the call. */
const sets = (times: number): CallCost => {
  return (first, second) => 1 + sizeForCost(first) * sizeForCost(second) * times
}

/** Cost of creating a list besides its elements: 10 for the list and 1 for the call. */
export const NEW_LIST = 10 + 1
const listCost = (elements: number): number => Math.floor(elements) + NEW_LIST
const madeList: CallCost = (_first, _second, result) => listCost(sizeForCost(result))
/**
 * Cost of `flatten`: each level reads the list once. Elements of nested lists are charged like the characters of a
 * text; upstream does not charge for them.
 */
const flattened: CallCost = (first, second, result) => {
  const levels = typeof second === 'number' || typeof second === 'bigint' ? Number(second) : 1
  const visited = result instanceof FlattenedList ? result.visited * TRAVERSAL : 0
  return listCost(Math.max(levels * sizeForCost(first), visited))
}
/** Cost per pair of a quadratic comparison. Comparing texts and bytes costs more. */
export const comparisons = (ofTexts: boolean): number => 2 + (ofTexts ? TRAVERSAL : 0)
const compared = (list: Value): number => {
  const first = list instanceof CelList && list.size > 0 ? list.at(0) : undefined
  return listCost(sizeForCost(list) ** 2 * comparisons(typeof first === 'string' || first instanceof Uint8Array))
}

/** Longer lists of unknown element type are charged for sorting. Upstream charges 1 for any length. */
const LONG_SORT = 100
const comparedIfLong: CallCost = list => (sizeForCost(list) > LONG_SORT ? compared(list) : 1)

/** Relations that cost by length for texts and bytes, and 1 for other types. */
const ORDERED = ['less', 'less_equals', 'greater', 'greater_equals']

/** Costs by signature. Source: cel-go, interpreter/runtimecost.go and ext/sets.go. */
const BY_SIGNATURE = new Map<string, CallCost>([
  ...costEntries('starts_with_string ends_with_string string_to_bytes bytes_to_string strings_quote', ofHeld),
  ['string_format', (first, second, result) => orLong(ofHeld(first, second, result), result)],
  ...costEntries('in_list', (_first, second) => heldSizeForCost(second)),
  ...ORDERED.flatMap(name => costEntries(`${name}_string ${name}_bytes`, smaller)),
  ['equals', equality],
  ['add_list', sumOrLong],
  ['not_equals', smaller],
  ...costEntries('add_string add_bytes', sum),
  ['matches_string', (first, second) => pattern(heldSizeForCost(first), heldSizeForCost(second))],
  // Upstream charges 1 for the global function `matches`.
  ['matches', (first, second) => onlyIfLong(pattern(sizeForCost(first), sizeForCost(second)))],
  ['contains_string', (first, second) => Math.ceil(heldSizeForCost(first) * TRAVERSAL) * Math.ceil(heldSizeForCost(second) * TRAVERSAL)],
  ...costEntries('cidr_ip', one),
  ['cidr_contains_ip_string', networks(false, true)],
  ['cidr_contains_ip_ip', networks(false, false)],
  ['cidr_contains_cidr_string', networks(true, true)],
  ['cidr_contains_cidr', networks(true, false)],
  ...costEntries('list_sets_contains_list list_sets_intersects_list', sets(1)),
  ['list_sets_equivalent_list', sets(2)],
  ...costEntries('list_slice lists_range list_reverse', madeList),
  ...costEntries('list_flatten list_flatten_int', flattened),
  ...[...signaturesOf('sort'), ...signaturesOf('distinct')].map((id): [string, CallCost] => [id, compared]),
  ...signaturesOf('@sortByAssociatedKeys').map((id): [string, CallCost] => [id, (_list, keys) => compared(keys)]),
])

const COMPARING = ['sort', '@sortByAssociatedKeys', 'distinct']

const SEARCHING = ['matches', 'find', 'findAll', 'validate']

const PAYING_FIRST = new Set([...READING, ...COMPARING, ...SEARCHING])

/**
 * Whether a call's duration is proportional to its cost however small its result is: it reads a list, compares all
 * elements of two lists, or all characters of a text with those of a pattern. Such calls are charged before they run.
 */
export const paysFirst = (name: string): boolean => name.startsWith('sets.') || PAYING_FIRST.has(name)

/**
 * Returns the cost function of a call.
 * @param signature empty if several signatures fit, and the function is chosen at run time.
 */
export function callCost(name: string, signature: string): CallCost {
  const bySignature = BY_SIGNATURE.get(signature)
  if (bySignature) return bySignature
  if (signature === '' && name === 'containsIP') return networks(false, false)
  if (signature === '' && name === 'containsCIDR') return networks(true, false)
  if (signature === '' && name === 'sort') return comparedIfLong
  if (signature === '' && name === '@sortByAssociatedKeys') return (_list, keys) => comparedIfLong(keys, null, null)
  return BY_FUNCTION.get(name) ?? one
}
