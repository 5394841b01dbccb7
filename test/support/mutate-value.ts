import type { Json, JsonObject } from '../../src/api/meta/object.ts'

type Random = () => number

/** A number as it stands in JSON, whatever JavaScript makes of it. */
const raw = (number: string): string => `\u0001${number}\u0001`
const RAW = /"\\u0001([^"\\]*)\\u0001"/g

/** JSON in which numbers of `oddValues` stand as they are written. */
export const textOf = (value: unknown): string => JSON.stringify(value).replace(RAW, '$1')

const NUMBERS = [
  '0',
  '-0',
  '-1',
  '1.0',
  '0.5',
  '1e3',
  '1e400',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775809',
  '1e-7',
  '3e21',
]
const TEXTS = [
  '',
  ' ',
  'x',
  'A_b/',
  '.',
  '..',
  '10%',
  '5Gi',
  '-1',
  '2026-01-02T03:04:05Z',
  '<&>',
  '\u0000',
  '__proto__',
  'a'.repeat(300),
  '1.2.3.4',
  '::1',
  '0',
  '\ud800',
]

/** Returns a value of an unexpected type. */
export function oddValue(random: Random): Json {
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T
  const dice = random()
  if (dice < 0.25) return null
  if (dice < 0.5) return raw(pick(NUMBERS))
  if (dice < 0.7) return pick(TEXTS)
  if (dice < 0.78) return random() < 0.5
  if (dice < 0.86)
    return pick<Json>([{}, [], [null], [{}], [[]], { a: null }, { name: null }, [{ name: 'x' }, { name: 'x' }], { kind: 'Pod' }])
  if (dice < 0.93) return [oddValue(random), oddValue(random)]
  return { [pick(['name', 'kind', 'apiVersion', 'metadata', 'key', 'a'])]: oddValue(random) }
}

/** Paths of all members and elements of a value, whatever is in them. */
export function pathsOf(value: Json, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.keys(value).flatMap(key => pathsOf((value as JsonObject)[key] as Json, [...path, key]))]
}

/** A patch that puts a value at a path. Lists on the way are replaced by one of the element. */
export function patchAt(path: readonly string[], value: Json): Json {
  const [first, ...rest] = path
  if (first === undefined) return value
  return /^\d+$/.test(first) ? [patchAt(rest, value)] : { [first]: patchAt(rest, value) }
}

/** The value with another at a path. */
export function withAt(value: Json, path: readonly string[], put: Json): Json {
  const [first, ...rest] = path
  if (first === undefined) return put
  if (Array.isArray(value)) return value.map((item, i) => (String(i) === first ? withAt(item, rest, put) : item))
  const object = (typeof value === 'object' && value !== null ? value : {}) as JsonObject
  return { ...object, [first]: withAt(object[first] ?? null, rest, put) }
}
