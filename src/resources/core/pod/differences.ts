import { deepEqual } from '../../../meta/equal.ts'

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

/** What differs between two values, a line for each side: `-` what was, `+` what is wanted, with its path. For messages; its form is no contract. */
export function differences(old: unknown, next: unknown, path = ''): string {
  if (deepEqual(old, next)) return ''
  const at = path === '' ? '' : `${path}.`
  if (isObject(old) && isObject(next)) {
    const keys = [...new Set([...Object.keys(old), ...Object.keys(next)])]
    return keys.map(key => differences(old[key], next[key], at + key)).join('')
  }
  if (Array.isArray(old) && Array.isArray(next) && old.length === next.length)
    return old.map((value, i) => differences(value, next[i], `${path}[${i}]`)).join('')
  const line = (sign: string, value: unknown): string => (value === undefined ? '' : `${sign} ${path}: ${JSON.stringify(value)}\n`)
  return line('-', old) + line('+', next)
}
