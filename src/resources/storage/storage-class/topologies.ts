import type { FieldError } from '../../../meta/field-error.ts'
import { duplicate, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isQualifiedName } from '../../../meta/names.ts'
import type { ApiStruct } from '../../core/checks.ts'

function validateRequirement(key: string, values: readonly string[], path: FieldPath): FieldError[] {
  const at = path.child('values')
  return [
    ...(values.length === 0 ? [required(at)] : []),
    ...values.flatMap((value, i) => (values.indexOf(value) < i ? [duplicate(at.index(i), value)] : [])),
    ...isQualifiedName(key).map(text => invalid(path.child('key'), key, text)),
  ]
}

/** The same text for terms that mean the same. */
function identityOf(expressions: readonly ApiStruct[]): string {
  const sets = new Map(expressions.map(({ key = '', values }): [string, string[]] => [key, [...new Set<string>(values ?? [])].sort()]))
  return JSON.stringify([...sets].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Where volumes may be made: no term twice. A term without expressions says nothing, and is told once for every term, as upstream does. */
export function validateAllowedTopologies(topologies: readonly ApiStruct[], path: FieldPath): FieldError[] {
  const seen: string[] = topologies.map(() => identityOf([]))
  return topologies.flatMap(({ matchLabelExpressions }, i) => {
    const at = path.index(i).child('matchLabelExpressions')
    const expressions: ApiStruct[] = matchLabelExpressions ?? []
    const keys = expressions.map(({ key = '' }): string => key)
    const errors = expressions.flatMap(({ values }, j) => [
      ...validateRequirement(keys[j] as string, values ?? [], at.index(j)),
      ...(keys.indexOf(keys[j] as string) < j ? [duplicate(at.index(j).child('key'), keys[j])] : []),
    ])
    const identity = identityOf(expressions)
    errors.push(...seen.filter(other => other === identity).map(() => duplicate(at, '')))
    seen.push(identity)
    return errors
  })
}
