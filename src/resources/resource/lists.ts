import type { FieldError } from '../../meta/field-error.ts'
import { duplicate, tooMany } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'

/** Each item, then that there are not too many. */
export function validateList<T>(
  items: readonly T[] | null | undefined,
  max: number,
  check: (item: T, path: FieldPath) => FieldError[],
  path: FieldPath,
): FieldError[] {
  const list = items ?? []
  const errors = list.flatMap((item, i) => check(item, path.index(i)))
  return list.length > max ? [...errors, tooMany(path, list.length, max)] : errors
}

/** A list of items with keys of their own; `member` holds the key, unless the item is it; `print` is for keys that upstream prints otherwise than as text. */
export function validateSet<T>(
  items: readonly T[] | null | undefined,
  max: number,
  check: (item: T, path: FieldPath) => FieldError[],
  keyOf: (item: T) => string,
  path: FieldPath,
  member?: string,
  print: (key: string) => unknown = key => key,
): FieldError[] {
  const seen = new Set<string>()
  const again = (items ?? []).flatMap((item, i) => {
    const key = keyOf(item)
    const at = member === undefined ? path.index(i) : path.index(i).child(member)
    const errors = seen.has(key) ? [duplicate(at, print(key))] : []
    seen.add(key)
    return errors
  })
  return [...validateList(items, max, check, path), ...again]
}

/** Keys as a path shows them: cut in the middle where they are long. */
export function shortened(key: string, max: number): string {
  if (key.length <= max) return key
  const kept = max - 3
  return `${key.slice(0, Math.floor((kept + 1) / 2))}...${key.slice(key.length - Math.floor(kept / 2))}`
}
