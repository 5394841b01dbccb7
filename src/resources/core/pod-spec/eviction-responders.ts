import type { EvictionResponder, PodSpec } from '../../../api/core/v1.types.ts'
import { duplicate, type FieldError, invalid, required, tooMany } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { validatePrefixedKey, validateUnreserved } from '../../lifecycle/rules.ts'

const MOST_RESPONDERS = 10
const HIGHEST_PRIORITY = 100_000
/** Lower priorities are reserved for responders of Kubernetes, which pods do not name. */
const LOWEST_PRIORITY = 1000

function validatePriority(priority: number | null, path: FieldPath): FieldError[] {
  if (priority === null) return [required(path)]
  if (priority < 0) return [invalid(path, priority, 'must be greater than or equal to 0')]
  if (priority > HIGHEST_PRIORITY) return [invalid(path, priority, `must be less than or equal to ${HIGHEST_PRIORITY}`)]
  return priority < LOWEST_PRIORITY ? [invalid(path, priority, 'priorities 0-999 are reserved for responders with *.k8s.io suffix')] : []
}

const validateResponder = ({ name, priority }: EvictionResponder, path: FieldPath): FieldError[] => [
  ...validatePrefixedKey(name, path.child('name')),
  ...validateUnreserved(name, path.child('name')),
  ...validatePriority(priority, path.child('priority')),
]

/** Validates the responders of a pod. Source: declarative validation of core/v1, since 1.37. */
export function validateEvictionResponders({ evictionResponders: responders }: PodSpec, path: FieldPath): FieldError[] {
  if (!responders) return []
  const at = path.child('evictionResponders')
  if (responders.length > MOST_RESPONDERS) return [tooMany(at, responders.length, MOST_RESPONDERS)]
  const names = new Set<string>()
  return [
    ...responders.flatMap((responder, i) => {
      const again = names.has(responder.name) ? [duplicate(at.index(i), responder)] : []
      names.add(responder.name)
      return [...again, ...validateResponder(responder, at.index(i))]
    }),
  ]
}
