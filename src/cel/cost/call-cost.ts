import { FormatValue } from '../functions/formats.ts'
import { signaturesOf } from '../libraries/extended-lists.ts'
import { FlattenedList, JoinedList } from '../values/list.ts'
import { heldSizeForCost, sizeForCost, smallerSizeForCost, traversalCost } from '../values/sizes.ts'
import { CelList, CelObject, type Value } from '../values/value.ts'

/** What a call costs, by its first two arguments and its result. Errors among them cost as any value. */
export type CallCost = (first: Value, second: Value, result: Value) => number

/** Of going through a text once, for each character. */
export const TRAVERSAL = 0.1
/** Of a character of a regular expression. */
export const PATTERN = 0.25

/** What is longer is paid for by whom it is made, where upstream counts only what it is made of, or one: something short may become as long as one likes. */
const LONG = 1000
function lengthOf(value: Value): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length
  return value instanceof CelList && !(value instanceof JoinedList) ? value.size : 0
}
const orLong = (cost: number, result: Value): number => (lengthOf(result) > LONG ? Math.max(cost, Math.ceil(lengthOf(result) * TRAVERSAL)) : cost)
const onlyIfLong = (cost: number): number => (cost > LONG ? cost : 1)
const sumOrLong: CallCost = (_first, _second, result) => orLong(1, result)

/** The same, whatever it is called with. */
const fixed =
  (cost: number): CallCost =>
  () =>
    cost

const one = fixed(1)
/** `times`: how often the text is gone through. */
const ofFirst =
  (times: number): CallCost =>
  first =>
    Math.ceil(sizeForCost(first) * times * TRAVERSAL)
const whole: CallCost = first => traversalCost(first)
/** Of looking for a pattern: the text, one character more for an empty one, times the pattern. */
const pattern = (text: number, patternSize: number): number => Math.ceil((1 + text) * TRAVERSAL) * Math.ceil(patternSize * PATTERN)
const search: CallCost = (first, second) => pattern(sizeForCost(first), sizeForCost(second))

/** A selector is a list of requirements, of which each costs a list and a struct. */
const selector: CallCost = (_first, second) => 10 + Math.ceil(sizeForCost(second) * TRAVERSAL) + Math.ceil(Math.ceil(sizeForCost(second) * 0.5) * 50)

/** Comparing two addresses; masking one, where a network is looked for; reading one, where a text is. */
const networks = (containsNetwork: boolean, parses: boolean): CallCost => {
  return (first, second) => {
    const size = sizeForCost(first)
    const masking = containsNetwork ? Math.ceil(size * TRAVERSAL) + 1 : 0
    return Math.ceil((size + size) * TRAVERSAL) + masking + (parses ? Math.ceil(sizeForCost(second) * TRAVERSAL) : 0)
  }
}

/** A format is a pattern of a size that upstream states. */
const validation: CallCost = (first, second) => (first instanceof FormatValue ? pattern(sizeForCost(second), first.patternSize) : 1)

const named = (names: string, cost: CallCost): [string, CallCost][] => names.split(' ').map(name => [name, cost])

/** Costs by the name of the function, whatever its signature. Source: kubernetes/apiserver, pkg/cel/library/cost.go. */
const BY_FUNCTION = new Map<string, CallCost>([
  ...named('check', fixed(350_000)),
  ...named('serviceAccount path group resource subresource namespace name allowed reason error errored', one),
  ...named('fieldSelector labelSelector', selector),
  ...named('isSorted sum max min indexOf lastIndexOf', whole),
  ...named('url lowerAscii upperAscii substring trim jsonpatch.escapeKey cidr isIP isCIDR ip quantity isQuantity semver isSemver', ofFirst(1)),
  ...named('split ip.isCanonical', ofFirst(2)),
  ['replace', (first, second, result) => orLong(ofFirst(2)(first, second, result), result)],
  ['_+_', sumOrLong],
  ...named('join', (_first, _second, result) => Math.ceil(sizeForCost(result) * 2 * TRAVERSAL)),
  ...named('find findAll', search),
  ...named('validate', validation),
])

const ofHeld: CallCost = first => Math.ceil(heldSizeForCost(first) * TRAVERSAL)
/** Two texts are compared no further than the shorter one goes. */
const smaller: CallCost = (first, second) => Math.ceil(smallerSizeForCost(first, second) * TRAVERSAL)
/** Values of libraries are compared at one, whatever they are. */
const equality: CallCost = (first, second) => (first instanceof CelObject ? 1 : smaller(first, second, null))
const sum: CallCost = (first, second) => Math.ceil((heldSizeForCost(first) + heldSizeForCost(second)) * TRAVERSAL)
/** Each element with each of the other list, and one for the call. */
const sets = (times: number): CallCost => {
  return (first, second) => 1 + sizeForCost(first) * sizeForCost(second) * times
}

/** A list that is made costs this beside its elements, and a call 1. */
export const NEW_LIST = 10 + 1
const listOf = (elements: number): number => Math.floor(elements) + NEW_LIST
const madeList: CallCost = (_first, _second, result) => listOf(sizeForCost(result))
/** Each level goes through the list once. What nested lists hold counts as the traversal of a text does, which upstream leaves out. */
const flattened: CallCost = (first, second, result) => {
  const levels = typeof second === 'number' || typeof second === 'bigint' ? Number(second) : 1
  const visited = result instanceof FlattenedList ? result.visited * TRAVERSAL : 0
  return listOf(Math.max(levels * sizeForCost(first), visited))
}
/** Each element is compared with each, in both directions; texts and bytes take longer. */
export const comparisons = (ofTexts: boolean): number => 2 + (ofTexts ? TRAVERSAL : 0)
const compared = (list: Value): number => {
  const first = list instanceof CelList && list.size > 0 ? list.at(0) : undefined
  return listOf(sizeForCost(list) ** 2 * comparisons(typeof first === 'string' || first instanceof Uint8Array))
}

/** Upstream counts one where the type of the list is not known, however long it is. */
const LONG_SORT = 100
const comparedIfLong: CallCost = list => (sizeForCost(list) > LONG_SORT ? compared(list) : 1)

/** Comparisons of texts and bytes: for other types they cost one. */
const ORDERED = ['less', 'less_equals', 'greater', 'greater_equals']

/** Costs by the name of the signature. Source: cel-go, interpreter/runtimecost.go and ext/sets.go. */
const BY_SIGNATURE = new Map<string, CallCost>([
  ...named('starts_with_string ends_with_string string_to_bytes bytes_to_string strings_quote', ofHeld),
  ['string_format', (first, second, result) => orLong(ofHeld(first, second, result), result)],
  ...named('in_list', (_first, second) => heldSizeForCost(second)),
  ...ORDERED.flatMap(name => named(`${name}_string ${name}_bytes`, smaller)),
  ['equals', equality],
  ['add_list', sumOrLong],
  ['not_equals', smaller],
  ...named('add_string add_bytes', sum),
  ['matches_string', (first, second) => pattern(heldSizeForCost(first), heldSizeForCost(second))],
  // Upstream counts one for the function that is no member.
  ['matches', (first, second) => onlyIfLong(pattern(sizeForCost(first), sizeForCost(second)))],
  ['contains_string', (first, second) => Math.ceil(heldSizeForCost(first) * TRAVERSAL) * Math.ceil(heldSizeForCost(second) * TRAVERSAL)],
  ...named('cidr_ip', one),
  ['cidr_contains_ip_string', networks(false, true)],
  ['cidr_contains_ip_ip', networks(false, false)],
  ['cidr_contains_cidr_string', networks(true, true)],
  ['cidr_contains_cidr', networks(true, false)],
  ...named('list_sets_contains_list list_sets_intersects_list', sets(1)),
  ['list_sets_equivalent_list', sets(2)],
  ...named('list_slice lists_range list_reverse', madeList),
  ...named('list_flatten list_flatten_int', flattened),
  ...[...signaturesOf('sort'), ...signaturesOf('distinct')].map((id): [string, CallCost] => [id, compared]),
  ...signaturesOf('@sortByAssociatedKeys').map((id): [string, CallCost] => [id, (_list, keys) => compared(keys)]),
])

const COMPARING = ['sort', '@sortByAssociatedKeys', 'distinct']

const SEARCHING = ['matches', 'find', 'findAll']

/** Whether a call takes as long as it costs, however small its result is: it compares each element of a list with each of another, or each character of a text with each of a pattern. */
export const paysFirst = (name: string): boolean => name.startsWith('sets.') || COMPARING.includes(name) || SEARCHING.includes(name)

/** @param signature empty where several fit, and the function chooses as it runs. */
export function callCost(name: string, signature: string): CallCost {
  const bySignature = BY_SIGNATURE.get(signature)
  if (bySignature) return bySignature
  if (signature === '' && name === 'containsIP') return networks(false, false)
  if (signature === '' && name === 'containsCIDR') return networks(true, false)
  if (signature === '' && name === 'sort') return comparedIfLong
  if (signature === '' && name === '@sortByAssociatedKeys') return (_list, keys) => comparedIfLong(keys, null, null)
  return BY_FUNCTION.get(name) ?? one
}
