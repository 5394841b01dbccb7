import { quote } from '../../../lib/go-quote.ts'
import { deepEqual } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, required, verbatim } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { validateIpStrict } from '../../../meta/ip.ts'
import type { ValidateName } from '../../../meta/names.ts'
import { isDns1123Subdomain, nameIsPathSegment } from '../../../meta/names.ts'
import type { KubeObject } from '../../../meta/object.ts'

/** The name is the address in its canonical form. */
export const nameIsAddress: ValidateName = name =>
  validateIpStrict(fieldPath(), name).map(error => error.body.slice(error.body.indexOf(': ', 'Invalid value: '.length) + 2))

const segment = (value: string | undefined, path: FieldPath): FieldError[] =>
  value ? nameIsPathSegment(value, false).map(text => invalid(path, value, text)) : []

function validateParent(parent: KubeObject['spec'], path: FieldPath): FieldError[] {
  if (!parent) return [required(path)]
  const { group, resource, name, namespace } = parent
  return [
    ...(group ? isDns1123Subdomain(group).map(text => invalid(path.child('group'), group, text)) : []),
    ...(resource ? segment(resource, path.child('resource')) : [required(path.child('resource'))]),
    ...(name ? segment(name, path.child('name')) : [required(path.child('name'))]),
    ...segment(namespace, path.child('namespace')),
  ]
}

export function validateIPAddress(next: KubeObject, old: KubeObject | undefined): FieldError[] {
  const path = fieldPath('spec', 'parentRef')
  const parent = next.spec?.parentRef
  const errors = validateParent(parent, path)
  if (!old || deepEqual(parent, old.spec?.parentRef)) return errors
  const members = parent && ['Group', 'Resource', 'Namespace', 'Name'].map(field => `${field}:${quote(parent[field.toLowerCase()] ?? '')}`)
  return [...errors, invalid(path, members && verbatim(`networking.ParentReference{${members.join(', ')}}`), 'field is immutable')]
}
