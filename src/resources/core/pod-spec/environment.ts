import type {
  ConfigMapKeySelector,
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  FileKeySelector,
  PodSpec,
  SecretKeySelector,
} from '../../../api/core/v1.types.ts'
import { isLongStepDone, type Steps } from '../../../lib/steps.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, notFound, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isConfigMapKey, isEnvVarName, isRelaxedEnvVarName, nameIsDnsSubdomain } from '../../../meta/names.ts'
import { validateDnsLabel } from '../checks.ts'
import { type HostIPsUse, validateEnvironmentField, validateResourceFieldRef } from '../volume/downward-api.ts'
import { validateNoBacksteps } from '../volume/paths.ts'
import { containersWithPath } from './visit.ts'

/** Rules that depend on gates and on the old object. */
export interface EnvironmentOptions {
  readonly allowRelaxedEnvironment: boolean
  readonly allowEnvFiles: boolean
  readonly hostIPs: HostIPsUse
}

const nameRule = ({ allowRelaxedEnvironment }: Pick<EnvironmentOptions, 'allowRelaxedEnvironment'>) =>
  allowRelaxedEnvironment ? isRelaxedEnvVarName : isEnvVarName

/**
 * Validates environment variables in steps. Each has a value or one source. Source: pkg/apis/core/validation in
 * k8s.io/kubernetes.
 */
export function* validateEnv(variables: readonly EnvVar[], path: FieldPath, options: EnvironmentOptions): Steps<FieldError[]> {
  const faultsOf = nameRule(options)
  const errors: FieldError[] = []
  for (const [i, variable] of variables.entries()) {
    if (isLongStepDone()) yield
    const at = path.index(i)
    if (!variable.name) errors.push(required(at.child('name')))
    else for (const text of faultsOf(variable.name)) errors.push(invalid(at.child('name'), variable.name, text))
    if (variable.valueFrom) errors.push(...validateValueFrom(variable, variable.valueFrom, at.child('valueFrom'), options))
  }
  return errors
}

/** Validates each source, then checks that there is exactly one and no value. An empty value counts as unset. */
function validateValueFrom(
  { value }: EnvVar,
  from: EnvVarSource,
  path: FieldPath,
  { allowEnvFiles, hostIPs }: EnvironmentOptions,
): FieldError[] {
  const errors: FieldError[] = []
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = from
  if (fieldRef) errors.push(...validateEnvironmentField(fieldRef, hostIPs, path.child('fieldRef')))
  if (resourceFieldRef) errors.push(...validateResourceFieldRef(resourceFieldRef, false, path.child('resourceFieldRef')))
  if (configMapKeyRef) errors.push(...validateKeyRef(configMapKeyRef, path.child('configMapKeyRef')))
  if (secretKeyRef) errors.push(...validateKeyRef(secretKeyRef, path.child('secretKeyRef')))
  if (fileKeyRef) errors.push(...validateFileKeyRef(fileKeyRef, path.child('fileKeyRef')))
  const sources = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef].filter(Boolean).length
  const last = allowEnvFiles ? '`configMapKeyRef`, `secretKeyRef` or `fileKeyRef`' : '`configMapKeyRef` or `secretKeyRef`'
  if (sources === 0) errors.push(invalid(path, '', `must specify one of: \`fieldRef\`, \`resourceFieldRef\`, ${last}`))
  else if (value) errors.push(invalid(path, '', 'may not be specified when `value` is not empty'))
  else if (sources > 1) errors.push(invalid(path, '', 'may not have more than one field specified at a time'))
  return errors
}

/**
 * Validates a reference to a variable in a file. Its name may be any valid name of a variable. Source:
 * pkg/apis/core/validation in k8s.io/kubernetes, since 1.34.
 */
function validateFileKeyRef({ key, volumeName, path: file }: FileKeySelector, path: FieldPath): FieldError[] {
  return [
    ...(key ? isRelaxedEnvVarName(key).map(text => invalid(path.child('key'), key, text)) : [required(path.child('key'))]),
    ...(volumeName ? validateDnsLabel(volumeName, path.child('volumeName')) : [required(path.child('volumeName'))]),
    ...(file ? validateNoBacksteps(file, path.child('path')) : [required(path.child('path'))]),
  ]
}

/** Checks that files with variables are in emptyDir volumes of the pod. */
export function validateFileVolumes(spec: PodSpec, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const volumes = new Map(spec.volumes?.toReversed().map(volume => [volume.name, volume]))
  for (const [{ env = [] }, at] of containersWithPath(spec, path)) {
    env.forEach(({ valueFrom }, i) => {
      if (!valueFrom?.fileKeyRef) return
      const { volumeName } = valueFrom.fileKeyRef
      const place = at.child('env').index(i).child('valueFrom', 'fileKeyRef', 'volumeName')
      const volume = volumes.get(volumeName)
      if (!volume) errors.push(notFound(place, volumeName))
      else if (!volume.emptyDir) errors.push(invalid(place, volumeName, 'referenced volume must be of type emptyDir'))
    })
  }
  return errors
}

function validateKeyRef(ref: ConfigMapKeySelector | SecretKeySelector, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const { name = '' } = ref
  for (const text of nameIsDnsSubdomain(name, false)) errors.push(invalid(path.child('name'), name, text))
  if (!ref.key) errors.push(required(path.child('key')))
  else for (const text of isConfigMapKey(ref.key)) errors.push(invalid(path.child('key'), ref.key, text))
  return errors
}

/**
 * Validates envFrom in steps. Each source is a config map or a secret, with an optional prefix for names. Source:
 * pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function* validateEnvFrom(sources: readonly EnvFromSource[], path: FieldPath, options: EnvironmentOptions): Steps<FieldError[]> {
  const faultsOf = nameRule(options)
  const errors: FieldError[] = []
  for (const [i, source] of sources.entries()) {
    if (isLongStepDone()) yield
    const at = path.index(i)
    if (source.prefix) for (const text of faultsOf(source.prefix)) errors.push(invalid(at.child('prefix'), source.prefix, text))
    for (const kind of ['configMapRef', 'secretRef'] as const) {
      const ref = source[kind]
      if (!ref) continue
      if (!ref.name) errors.push(required(at.child(kind, 'name')))
      else for (const text of nameIsDnsSubdomain(ref.name, true)) errors.push(invalid(at.child(kind, 'name'), ref.name, text))
    }
    // Upstream reports these errors for the list, not for its element.
    if (!source.configMapRef && !source.secretRef) errors.push(invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`'))
    else if (source.configMapRef && source.secretRef) errors.push(invalid(path, '', 'may not have more than one field specified at a time'))
  }
  return errors
}
