import type { TopologySelectorLabelRequirement, TopologySelectorTerm } from '../../../api/core/v1.types.ts'
import { repeats } from '../../../lib/repeats.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { duplicate, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isQualifiedName } from '../../../meta/names.ts'

/** Validates a requirement: at least one value, without duplicates, and a qualified name as key. */
function validateRequirement(key: string, values: readonly string[], path: FieldPath): FieldError[] {
  const at = path.child('values')
  const again = repeats(values)
  return [
    ...(values.length === 0 ? [required(at)] : []),
    ...values.flatMap((value, i) => (again[i] ? [duplicate(at.index(i), value)] : [])),
    ...isQualifiedName(key).map(text => invalid(path.child('key'), key, text)),
  ]
}

/** Returns the same text for terms that are equivalent. */
function termIdentity(expressions: readonly TopologySelectorLabelRequirement[]): string {
  const sets = new Map(expressions.map(({ key, values }): [string, string[]] => [key, [...new Set(values)].sort()]))
  return JSON.stringify([...sets].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/**
 * Validates topologies. Terms must be unique. A term without expressions is reported once for every term of the list,
 * as upstream does. Source: pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function validateAllowedTopologies(topologies: readonly TopologySelectorTerm[], path: FieldPath): FieldError[] {
  // Number of times each term was seen. For the empty term it starts at the number of all terms.
  const seen = new Map([[termIdentity([]), topologies.length]])
  return topologies.flatMap(({ matchLabelExpressions: expressions = [] }, i) => {
    const at = path.index(i).child('matchLabelExpressions')
    const again = repeats(expressions.map(({ key }) => key))
    const errors = expressions.flatMap(({ key, values }, j) => [
      ...validateRequirement(key, values ?? [], at.index(j)),
      ...(again[j] ? [duplicate(at.index(j).child('key'), key)] : []),
    ])
    const identity = termIdentity(expressions)
    const before = seen.get(identity) ?? 0
    for (let n = 0; n < before; n++) errors.push(duplicate(at, ''))
    seen.set(identity, before + 1)
    return errors
  })
}
