import { duplicate, type FieldError } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { validateClassName } from '../names.ts'
import { longerThanAllowed } from './version.ts'

const MOST_NODES = 128

/** Validates the name of a node, which is a subdomain. */
export const validateNodeName = (name: string, path: FieldPath): FieldError[] => validateClassName(name, path)

/** Validates names of nodes, which must be unique. */
export function validateNodeNames(nodes: readonly string[] | undefined, path: FieldPath): FieldError[] {
  const seen = new Set<string>()
  const errors = (nodes ?? []).flatMap((name, i) => {
    if (seen.has(name)) return [duplicate(path.index(i), name)]
    seen.add(name)
    return validateNodeName(name, path.index(i))
  })
  return (nodes ?? []).length > MOST_NODES ? [...errors, longerThanAllowed(path, MOST_NODES)] : errors
}
