import type { FieldError } from '../../../meta/field-error.ts'
import { invalid } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'

/** Reports whether a path element is `..`, even if the path stays within the directory, as `a/../b` does. */
export const hasBacksteps = (path: string): boolean => path.split('/').includes('..')

/** Rejects paths with `..`. */
export const validateNoBacksteps = (target: string, path: FieldPath): FieldError[] =>
  hasBacksteps(target) ? [invalid(path, target, "must not contain '..'")] : []

/** Checks that a path is relative and has no `..`. */
export const validateDescendingPath = (target: string, path: FieldPath): FieldError[] => [
  ...(target.startsWith('/') ? [invalid(path, target, 'must be a relative path')] : []),
  ...validateNoBacksteps(target, path),
]

/**
 * Checks a path like validateDescendingPath, and rejects names that begin with two dots, which the kubelet uses itself.
 * `..` alone is reported twice.
 */
export const validateNonReservedPath = (target: string, path: FieldPath): FieldError[] => [
  ...validateDescendingPath(target, path),
  ...(target.startsWith('..') && !target.startsWith('../') ? [invalid(path, target, "must not start with '..'")] : []),
]
