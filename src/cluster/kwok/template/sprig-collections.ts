import { FunctionError } from './errors.ts'
import { declare, listIn, mapIn, type TemplateFunction } from './functions.ts'
import { jsonText } from './plain.ts'
import { integerOf, isEmpty } from './sprig-conversions.ts'
import {
  changeable,
  isList,
  isMap,
  memberOf,
  printed,
  sortedKeys,
  type TemplateMap,
  type TemplateValue,
  templateMap,
  typeName,
} from './values.ts'

/** Elements that `until` and `untilStep` make at most. */
const MAX_RANGE = 10_000
/** Deepest nesting of values that are deeplyCopied or deeplyMerged. */
const MAX_DEPTH = 500

/** Creates a map that has no prototype, and can be changed by `set` and `unset`. */
function dict(...values: TemplateValue[]): TemplateValue {
  const entries: [string, TemplateValue][] = []
  for (let i = 0; i < values.length; i += 2) entries.push([printed(values[i]), i + 1 < values.length ? values[i + 1] : ''])
  return templateMap(entries)
}

/** Returns the numbers from `start` to `stop`, exclusive. */
function range(start: bigint, stop: bigint, step: bigint): bigint[] {
  if (step === 0n || stop < start === step > 0n) return []
  const count = (stop - start) / step
  if (count > BigInt(MAX_RANGE)) throw new FunctionError(`a range of more than ${MAX_RANGE} numbers is not supported`)
  const numbers: bigint[] = []
  for (let at = start; step > 0n ? at < stop : at > stop; at += step) numbers.push(at)
  return numbers
}

/** Copies maps and lists, so that the copy can be changed. */
function deeplyCopied(value: TemplateValue, depth = 0): TemplateValue {
  if (depth > MAX_DEPTH) throw new FunctionError('the value is nested too deeply')
  if (isList(value)) return value.map(item => deeplyCopied(item, depth + 1))
  return isMap(value) ? templateMap(Object.keys(value).map(key => [key, deeplyCopied(memberOf(value, key), depth + 1)])) : value
}

/** Compares list items, as reflect.DeepEqual does for JSON values. */
const identityOf = (value: TemplateValue): string => `${typeName(value)}:${jsonText(value)}`

/** Merges maps deeply. Without `overwrite`, members of earlier maps win unless they are empty. */
function deeplyMerged(maps: readonly TemplateMap[], overwrite: boolean, depth = 0): TemplateMap {
  if (depth > MAX_DEPTH) throw new FunctionError('the value is nested too deeply')
  const [first = {}, ...others] = maps
  return others.reduce((result, map) => {
    const entries = new Map(Object.entries(result))
    for (const key of Object.keys(map)) {
      const [before, after] = [entries.get(key), memberOf(map, key)]
      if (isMap(before) && isMap(after)) entries.set(key, deeplyMerged([before, after], overwrite, depth + 1))
      else if (overwrite ? !isEmpty(after) : isEmpty(before)) entries.set(key, after)
    }
    return templateMap(entries)
  }, first)
}

function dig(...args: TemplateValue[]): TemplateValue {
  if (args.length < 3) throw new FunctionError('dig needs at least three arguments')
  let at = args.at(-1)
  for (const key of args.slice(0, -2)) {
    const map = mapIn(at)
    if (!Object.hasOwn(map, printed(key))) return args.at(-2)
    at = memberOf(map, printed(key))
  }
  return at
}

function sliced(list: TemplateValue, ...bounds: TemplateValue[]): TemplateValue {
  const items = listIn(list, 'slice')
  if (items.length === 0) return null
  const [from = 0n, to = BigInt(items.length)] = bounds.map(integerOf)
  if (from < 0n || to < from || to > BigInt(items.length)) throw new FunctionError('slice bounds out of range')
  return items.slice(Number(from), Number(to))
}

const without = (list: TemplateValue, ...removed: TemplateValue[]): TemplateValue => {
  const identities = new Set(removed.map(identityOf))
  return listIn(list, 'without').filter(item => !identities.has(identityOf(item)))
}

const uniq = (list: TemplateValue): TemplateValue => [...new Map(listIn(list, 'uniq').map(item => [identityOf(item), item])).values()]
const append = declare('any, any', (list: TemplateValue, item: TemplateValue) => [...listIn(list, 'push'), item])
const list = declare('any...', (...values: TemplateValue[]) => values)

/**
 * Functions of sprig for lists and maps. `keys` and `values` are sorted by key: sprig's order is random. `set` and
 * `unset` change only maps that the template has made, because the object is shared. Source: Masterminds/sprig 3.3.
 */
export const SPRIG_COLLECTIONS: Readonly<Record<string, TemplateFunction>> = {
  list,
  tuple: list,
  dict: declare('any...', dict),
  get: declare('map, string', (map: TemplateMap, key: string) => (Object.hasOwn(map, key) ? memberOf(map, key) : '')),
  set: declare('map, string, any', (map: TemplateMap, key: string, value: TemplateValue) => {
    changeable(map)[key] = value
    return map
  }),
  unset: declare('map, string', (map: TemplateMap, key: string) => {
    delete changeable(map)[key]
    return map
  }),
  hasKey: declare('map, string', (map: TemplateMap, key: string) => Object.hasOwn(map, key)),
  pluck: declare('string, map...', (key: string, ...maps: TemplateMap[]) =>
    maps.filter(map => Object.hasOwn(map, key)).map(map => memberOf(map, key)),
  ),
  keys: declare('map...', (...maps: TemplateMap[]) => maps.flatMap(sortedKeys)),
  values: declare('map', (map: TemplateMap) => sortedKeys(map).map(key => memberOf(map, key))),
  pick: declare('map, string...', (map: TemplateMap, ...keys: string[]) =>
    templateMap(Object.entries(map).filter(([key]) => keys.includes(key))),
  ),
  omit: declare('map, string...', (map: TemplateMap, ...keys: string[]) =>
    templateMap(Object.entries(map).filter(([key]) => !keys.includes(key))),
  ),
  merge: declare('map, map...', (...maps: TemplateMap[]) => deeplyMerged(maps, false)),
  mergeOverwrite: declare('map, map...', (...maps: TemplateMap[]) => deeplyMerged(maps, true)),
  deepCopy: declare('any', (value: TemplateValue) => deeplyCopied(value)),
  dig: declare('any...', dig),
  append,
  push: append,
  prepend: declare('any, any', (items: TemplateValue, item: TemplateValue) => [item, ...listIn(items, 'prepend')]),
  first: declare('any', (items: TemplateValue) => listIn(items, 'first')[0] ?? null),
  last: declare('any', (items: TemplateValue) => listIn(items, 'last').at(-1) ?? null),
  rest: declare('any', (items: TemplateValue) => listIn(items, 'rest').slice(1)),
  initial: declare('any', (items: TemplateValue) => listIn(items, 'initial').slice(0, -1)),
  reverse: declare('any', (items: TemplateValue) => [...listIn(items, 'reverse')].reverse()),
  compact: declare('any', (items: TemplateValue) => listIn(items, 'compact').filter(item => !isEmpty(item))),
  uniq: declare('any', uniq),
  without: declare('any, any...', without),
  has: declare(
    'any, any',
    (item: TemplateValue, items: TemplateValue) => items !== null && listIn(items, 'has').some(one => identityOf(one) === identityOf(item)),
  ),
  concat: declare('any...', (...lists: TemplateValue[]) => lists.flatMap(items => listIn(items, 'concat'))),
  slice: declare('any, any...', sliced),
  until: declare('int', (stop: bigint) => range(0n, stop, stop < 0n ? -1n : 1n)),
  untilStep: declare('int, int, int', range),
}
