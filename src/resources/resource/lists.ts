import { isSince, type Release } from '../../lifecycle/release.ts'
import type { FieldError } from '../../meta/field-error.ts'
import { covered, duplicate, tooMany } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'

interface ListRules<T> {
  readonly release: Release
  readonly max: number
  readonly check: (item: T, path: FieldPath) => FieldError[]
}

interface SetRules<T> extends ListRules<T> {
  readonly keyOf: (item: T) => string
  /**
   * Optional. Member of an item that holds its key. Unset if the item is its own key. Since 1.35 errors are reported
   * for the item.
   */
  readonly member?: string
  /** Optional. Prints the key in messages, if not as a string. */
  readonly print?: (key: string) => unknown
}

/** Validates each item, then the number of items. Since 1.35 a list that is too long has no other errors. */
export function validateList<T>(
  items: readonly T[] | null | undefined,
  path: FieldPath,
  { max, check, release }: ListRules<T>,
): FieldError[] {
  const list = items ?? []
  if (isTooLong(list, max, release)) return covered('maxItems', [tooMany(path, list.length, max)])
  const errors = list.flatMap((item, i) => check(item, path.index(i)))
  return list.length > max ? [...errors, tooMany(path, list.length, max)] : errors
}

const isTooLong = (list: readonly unknown[], max: number, release: Release): boolean => list.length > max && isSince(release, '1.35')

/** Validates a list, then that the keys of its items are unique. */
export function validateSet<T>(items: readonly T[] | null | undefined, path: FieldPath, rules: SetRules<T>): FieldError[] {
  const { keyOf, max, release, print = key => key } = rules
  const member = isSince(release, '1.35') ? undefined : rules.member
  if (isTooLong(items ?? [], max, release)) return validateList(items, path, rules)
  const seen = new Set<string>()
  const again = (items ?? []).flatMap((item, i) => {
    const key = keyOf(item)
    const at = member === undefined ? path.index(i) : path.index(i).child(member)
    const errors = seen.has(key) ? covered('', [duplicate(at, print(key))]) : []
    seen.add(key)
    return errors
  })
  return [...validateList(items, path, rules), ...again]
}

/** Shortens a key for a path: above `max` UTF-16 code units it is cut in the middle. */
export function shortened(key: string, max: number): string {
  if (key.length <= max) return key
  const kept = max - 3
  return `${key.slice(0, Math.floor((kept + 1) / 2))}...${key.slice(key.length - Math.floor(kept / 2))}`
}
