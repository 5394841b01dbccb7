import type { FieldError } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { validateClassName, validateDriverName, validateLabelName, validatePoolName } from '../names.ts'
import { validateSelectors } from '../selectors.ts'
import { validateTaint } from '../taints.ts'

const MEMBERS: readonly (readonly [string, (name: string, path: FieldPath) => FieldError[]])[] = [
  ['deviceClassName', validateClassName],
  ['driver', validateDriverName],
  ['pool', validatePoolName],
  ['device', validateLabelName],
]

export function validateDeviceTaintRule({ spec }: KubeObject): FieldError[] {
  const path = fieldPath('spec')
  const selector = spec?.deviceSelector
  const at = path.child('deviceSelector')
  const errors = selector ? MEMBERS.flatMap(([member, check]) => (selector[member] === undefined ? [] : check(selector[member], at.child(member)))) : []
  return [...errors, ...validateSelectors(selector?.selectors, at.child('selectors')), ...validateTaint(spec?.taint ?? {}, path.child('taint'))]
}
