import { invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isConfigMapKey, isRelaxedEnvVarName, nameIsDnsSubdomain } from '../../../meta/names.ts'
import type { ApiStruct, Errors } from '../checks.ts'
import { report } from '../checks.ts'
import { checkFieldRef, checkResourceFieldRef, ENVIRONMENT_FIELDS } from '../volume/downward-api.ts'

export function checkEnv(variables: readonly ApiStruct[], path: FieldPath, errors: Errors): void {
  variables.forEach((variable, i) => {
    const at = path.index(i)
    if (!variable.name) errors.push(required(at.child('name')))
    else report(isRelaxedEnvVarName(variable.name), at.child('name'), variable.name, errors)
    if (variable.valueFrom) checkValueFrom(variable, at.child('valueFrom'), errors)
  })
}

function checkValueFrom(variable: ApiStruct, path: FieldPath, errors: Errors): void {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = variable.valueFrom
  if (fieldRef) checkFieldRef(fieldRef, ENVIRONMENT_FIELDS, path.child('fieldRef'), errors)
  if (resourceFieldRef) checkResourceFieldRef(resourceFieldRef, false, path.child('resourceFieldRef'), errors)
  if (configMapKeyRef) checkKeyRef(configMapKeyRef, path.child('configMapKeyRef'), errors)
  if (secretKeyRef) checkKeyRef(secretKeyRef, path.child('secretKeyRef'), errors)
  const sources = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef].filter(Boolean).length
  if (sources === 0) errors.push(invalid(path, '', 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`'))
  else if (variable.value) errors.push(invalid(path, '', 'may not be specified when `value` is not empty'))
  else if (sources > 1) errors.push(invalid(path, '', 'may not have more than one field specified at a time'))
}

function checkKeyRef(ref: ApiStruct, path: FieldPath, errors: Errors): void {
  const name: string = ref.name ?? ''
  report(nameIsDnsSubdomain(name, false), path.child('name'), name, errors)
  if (!ref.key) errors.push(required(path.child('key')))
  else report(isConfigMapKey(ref.key), path.child('key'), ref.key, errors)
}

export function checkEnvFrom(sources: readonly ApiStruct[], path: FieldPath, errors: Errors): void {
  sources.forEach((source, i) => {
    const at = path.index(i)
    if (source.prefix) report(isRelaxedEnvVarName(source.prefix), at.child('prefix'), source.prefix, errors)
    for (const kind of ['configMapRef', 'secretRef']) {
      const ref = source[kind]
      if (!ref) continue
      if (!ref.name) errors.push(required(at.child(kind, 'name')))
      else report(nameIsDnsSubdomain(ref.name, true), at.child(kind, 'name'), ref.name, errors)
    }
    // Told at the list, not at its element: upstream has it so.
    if (!source.configMapRef && !source.secretRef) errors.push(invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`'))
    else if (source.configMapRef && source.secretRef) errors.push(invalid(path, '', 'may not have more than one field specified at a time'))
  })
}
