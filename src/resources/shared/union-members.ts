import { type FieldError, invalid } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'

/** Checks that exactly one of the members is set, with the messages of declarative validation. */
export function validateUnion(value: object, members: readonly string[], path: FieldPath): FieldError[] {
  const given = members.filter(member => Object.hasOwn(value, member) && Reflect.get(value, member) != null).map(member => `\`${member}\``)
  const all = members.map(member => `\`${member}\``).join(', ')
  if (given.length === 0) return [invalid(path, '', `must specify one of: ${all}`)]
  return given.length > 1 ? [invalid(path, `{${given.join(', ')}}`, `must specify exactly one of: ${all}`)] : []
}
