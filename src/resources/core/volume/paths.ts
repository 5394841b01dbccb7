import type { FieldError } from '../../../meta/field-error.ts'
import { invalid } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'

/** Whether a part of the path is `..`, even one that does not leave the folder, as in `a/../b`. */
export const hasBacksteps = (path: string): boolean => path.split('/').includes('..')

/** The same as an error. */
export const validateNoBacksteps = (target: string, path: FieldPath): FieldError[] =>
  hasBacksteps(target) ? [invalid(path, target, "must not contain '..'")] : []

/** A relative path that stays below where it starts. */
export const validateDescendingPath = (target: string, path: FieldPath): FieldError[] => [
  ...(target.startsWith('/') ? [invalid(path, target, 'must be a relative path')] : []),
  ...validateNoBacksteps(target, path),
]

/** As validateDescendingPath; names that begin with two dots are the kubelet’s own. `..` alone is reported twice. */
export const validateNonReservedPath = (target: string, path: FieldPath): FieldError[] => [
  ...validateDescendingPath(target, path),
  ...(target.startsWith('..') && !target.startsWith('../') ? [invalid(path, target, "must not start with '..'")] : []),
]
