import { isDeepStrictEqual } from 'node:util'

/** Values of placeholders that stand for the same text throughout one check. */
export type Wildcards = Map<string, string>

const WILDCARD = '{{hash}}'

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === 0 || value === '' || value === false || (Array.isArray(value) && value.length === 0)

/**
 * Returns where an actual value differs from an expected one. Undefined if it matches: a map if each of its members
 * does, a list if each element matches a different one, in any order, except conditions (by type) and containers (by
 * position). 0, false and null match an absent value.
 */
export function mismatch(expected: unknown, actual: unknown, wildcards: Wildcards = new Map(), path = ''): string | undefined {
  const differs = (): string => `${path || '.'}: expected ${JSON.stringify(expected)}, is ${JSON.stringify(actual)}`
  if (expected === null) return isEmpty(actual) || (isObject(actual) && Object.keys(actual).length === 0) ? undefined : differs()
  if (expected === 0 || expected === false) return isEmpty(actual) ? undefined : differs()
  if (typeof expected === 'string') return textMatches(expected, actual, wildcards) ? undefined : differs()
  if (Array.isArray(expected)) return listMismatch(expected, actual, wildcards, path)
  if (!isObject(expected)) return isDeepStrictEqual(expected, actual) ? undefined : differs()
  const [operator, operand] = Object.entries(expected)[0] ?? []
  if (operator?.startsWith('$')) return operatorHolds(operator, operand, actual, wildcards) ? undefined : differs()
  if (!isObject(actual)) return Object.keys(expected).length === 0 ? undefined : differs()
  for (const [name, value] of Object.entries(expected)) {
    const difference = mismatch(value, actual[name], wildcards, `${path}.${name}`)
    if (difference !== undefined) return difference
  }
  return undefined
}

function operatorHolds(operator: string, operand: unknown, actual: unknown, wildcards: Wildcards): boolean {
  switch (operator) {
    case '$set':
      return !isEmpty(actual)
    case '$prefix':
      return typeof actual === 'string' && actual.startsWith(String(operand))
    case '$regex':
      return typeof actual === 'string' && new RegExp(String(operand)).test(actual)
    case '$not':
      return mismatch(operand, actual, wildcards) !== undefined
    case '$exact':
      return (
        Array.isArray(operand) &&
        (Array.isArray(actual) ? actual : []).length === operand.length &&
        mismatch(operand, actual, wildcards) === undefined
      )
    default:
      throw new Error(`unknown operator ${operator}`)
  }
}

function textMatches(expected: string, actual: unknown, wildcards: Wildcards): boolean {
  if (expected === '') return isEmpty(actual)
  if (!expected.includes(WILDCARD)) return expected === actual
  if (typeof actual !== 'string') return false
  const [before = '', after = ''] = expected.split(WILDCARD)
  if (!actual.startsWith(before) || !actual.endsWith(after) || actual.length <= before.length + after.length) return false
  const value = actual.slice(before.length, actual.length - after.length)
  const known = wildcards.get(WILDCARD) ?? value
  wildcards.set(WILDCARD, known)
  return known === value
}

function listMismatch(expected: readonly unknown[], actual: unknown, wildcards: Wildcards, path: string): string | undefined {
  if (expected.length === 0) return undefined
  const left: unknown[] = Array.isArray(actual) ? [...actual] : []
  if (path.endsWith('.containers')) {
    const differences = expected.map((element, i) => mismatch(element, left[i], wildcards, `${path}[${i}]`))
    return differences.find(difference => difference !== undefined)
  }
  for (const element of expected) {
    const candidates =
      path.endsWith('.conditions') && isObject(element) ? left.filter(each => isObject(each) && each.type === element.type) : left
    const found = candidates.find(each => mismatch(element, each, new Map(wildcards), path) === undefined)
    if (found === undefined) {
      if (candidates.length === 1) return mismatch(element, candidates[0], wildcards, `${path}[]`)
      return `${path}: nothing matches ${JSON.stringify(element)} in ${JSON.stringify(actual)}`
    }
    mismatch(element, found, wildcards, path)
    left.splice(left.indexOf(found), 1)
  }
  return undefined
}
