import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, required } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { isDns1123Subdomain, isQualifiedName, longerThan } from '../../../meta/names.ts'
import type { KubeObject } from '../../../meta/object.ts'

const NAMESPACE_DIFFERS = 'does not match event.namespace'

/** Rules of core/v1. An event with an eventTime is of the new form, and has more of them. */
export function validateEvent(event: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const namespace = event.metadata.namespace ?? ''
  const objectNamespace: string = event.involvedObject?.namespace ?? ''
  const isNew = Boolean(event.eventTime)
  const elsewhere = isNew
    ? objectNamespace === '' && namespace !== 'default' && namespace !== 'kube-system'
    : objectNamespace === ''
      ? namespace !== '' && namespace !== 'default'
      : namespace !== objectNamespace
  if (elsewhere) errors.push(invalid(fieldPath('involvedObject', 'namespace'), objectNamespace, NAMESPACE_DIFFERS))
  if (isNew) errors.push(...validateNewForm(event))
  for (const message of isDns1123Subdomain(namespace)) errors.push(invalid(fieldPath('namespace'), namespace, message))
  return errors
}

function validateNewForm(event: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const checkText = (field: string, max: number, isRequired = true): void => {
    const text: string = event[field] ?? ''
    if (isRequired && text === '') errors.push(required(fieldPath(field)))
    if (longerThan(text, max)) errors.push(invalid(fieldPath(field), '', `can have at most ${max} characters`))
  }
  // The name of the field in the newer API, whose rule it is.
  const controller: string = event.reportingComponent ?? ''
  const path = fieldPath('reportingController')
  if (controller === '') errors.push(required(path))
  for (const message of isQualifiedName(controller)) errors.push(invalid(path, controller, message))
  checkText('reportingInstance', 128)
  checkText('action', 128)
  checkText('reason', 128)
  checkText('message', 1024, false)
  return errors
}
