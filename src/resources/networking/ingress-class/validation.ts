import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid, notSupported, required, tooLong } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { isDomainPrefixedPath, nameIsDnsLabel } from '../../../meta/names.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { validateImmutableField } from '../../../meta/object-meta-validation.ts'
import { validateObjectReference } from '../object-reference.ts'

const CONTROLLER_LIMIT = 250
const SCOPES = ['Cluster', 'Namespace']

function validateController(controller: string, path: FieldPath): FieldError[] {
  if (controller === '') return [required(path)]
  const long = Buffer.byteLength(controller) > CONTROLLER_LIMIT ? [tooLong(path, CONTROLLER_LIMIT)] : []
  return [...long, ...isDomainPrefixedPath(controller).map(({ part, text }) => invalid(path, part, text))]
}

function validateScope({ scope, namespace }: KubeObject['spec'], path: FieldPath): FieldError[] {
  const at = path.child('namespace')
  if (typeof scope !== 'string') return [required(path.child('scope'))]
  if (!SCOPES.includes(scope)) return [notSupported(path.child('scope'), scope, SCOPES)]
  if (scope === 'Cluster') return namespace === undefined ? [] : [forbidden(at, "`parameters.scope` is set to 'Cluster'")]
  if (namespace === undefined) return [required(at, "`parameters.scope` is set to 'Namespace'")]
  return nameIsDnsLabel(namespace, false).map(text => invalid(at, namespace, text))
}

export function validateIngressClass(next: KubeObject, old: KubeObject | undefined): FieldError[] {
  const path = fieldPath('spec')
  const controller: string = next.spec?.controller ?? ''
  const parameters = next.spec?.parameters
  const errors = old ? validateImmutableField(controller, old.spec?.controller ?? '', path.child('controller')) : []
  errors.push(...validateController(controller, path.child('controller')))
  if (!parameters) return errors
  const at = path.child('parameters')
  return [...errors, ...validateObjectReference(parameters, at), ...validateScope(parameters, at)]
}
