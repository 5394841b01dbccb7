import { invalid } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import type { Errors } from '../checks.ts'

export const hasBacksteps = (path: string): boolean => path.split('/').includes('..')

export function checkNoBacksteps(target: string, path: FieldPath, errors: Errors): void {
  if (hasBacksteps(target)) errors.push(invalid(path, target, "must not contain '..'"))
}

/** A relative path that stays below where it starts. */
export function checkDescendingPath(target: string, path: FieldPath, errors: Errors): void {
  if (target.startsWith('/')) errors.push(invalid(path, target, 'must be a relative path'))
  checkNoBacksteps(target, path, errors)
}

/** As checkDescendingPath; names that begin with two dots are the kubelet's own. */
export function checkNonReservedPath(target: string, path: FieldPath, errors: Errors): void {
  checkDescendingPath(target, path, errors)
  if (target.startsWith('..') && !target.startsWith('../')) errors.push(invalid(path, target, "must not start with '..'"))
}
