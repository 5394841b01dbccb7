import { type FieldError, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isDns1035Label } from '../../../meta/names.ts'
import type { CustomResourceDefinitionNames } from '../v1.types.ts'

function labelErrors(name: string, path: FieldPath): FieldError[] {
  const texts = isDns1035Label(name)
  return texts.length === 0 ? [] : [invalid(path, name, texts.join(','))]
}

function kindErrors(kind: string, path: FieldPath): FieldError[] {
  const texts = isDns1035Label(kind.toLowerCase())
  return texts.length === 0 ? [] : [invalid(path, kind, `may have mixed case, but should otherwise match: ${texts.join(',')}`)]
}

/** The names that a definition must have; those of a status may be empty. */
export const requiredNames = (names: CustomResourceDefinitionNames, path: FieldPath): FieldError[] =>
  (['plural', 'singular', 'kind', 'listKind'] as const).filter(name => !names[name]).map(name => required(path.child(name)))

export function validateNames(
  { plural, singular, kind, listKind, shortNames = [], categories = [] }: CustomResourceDefinitionNames,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = []
  if (plural) errors.push(...labelErrors(plural, path.child('plural')))
  if (singular) errors.push(...labelErrors(singular, path.child('singular')))
  if (kind) errors.push(...kindErrors(kind, path.child('kind')))
  if (listKind) errors.push(...kindErrors(listKind, path.child('listKind')))
  errors.push(...shortNames.flatMap((name, i) => labelErrors(name, path.child('shortNames').index(i))))
  if (kind && kind === listKind) errors.push(invalid(path.child('listKind'), listKind, 'kind and listKind may not be the same'))
  return [...errors, ...categories.flatMap((name, i) => labelErrors(name, path.child('categories').index(i)))]
}
