import type {
  ServerStorageVersion,
  StorageVersion,
  StorageVersionCondition,
  StorageVersionStatus,
} from '../../../api/apiserverinternal/v1alpha1.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { repeats } from '../../../lib/repeats.ts'
import { isSince } from '../../../lifecycle/release.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { duplicate, invalid, required, words } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { emptyError, isDns1035Label, isDns1123Subdomain, isQualifiedName, regexError } from '../../../meta/names.ts'

const NO_API_VERSION = `an apiVersion is ${regexError(
  "a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  '[a-z]([-a-z0-9]*[a-z0-9])?',
  'my-name',
  'abc-123',
)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')`

/** Checks names such as `apps.deployments`: the resource follows the last dot. */
export function nameIsGroupAndResource(name: string): string[] {
  const dot = name.lastIndexOf('.')
  if (dot < 0) return ['name must be in the form of <group>.<resource>']
  return [
    ...isDns1123Subdomain(name.slice(0, dot)).map(text => `the group segment ${text}`),
    ...isDns1035Label(name.slice(dot + 1)).map(text => `the resource segment ${text}`),
  ]
}

/** Checks `version` or `group/version`. More than one slash is a single fault; otherwise each fault names its part. */
function apiVersionFaults(apiVersion: string): string[] {
  const parts = apiVersion.split('/')
  if (parts.length > 2) return [NO_API_VERSION]
  const part = (text: string, what: string, faults: string[]): string[] =>
    (text === '' ? [emptyError()] : faults).map(fault => `${what} part: ${fault}`)
  const version = parts.at(-1) ?? ''
  const group = parts[0] ?? ''
  return [
    ...(parts.length === 2 ? part(group, 'group', isDns1123Subdomain(group)) : []),
    ...part(version, 'version', isDns1035Label(version)),
  ]
}

/** Combines all faults into one error. */
const validateApiVersion = (apiVersion: string, path: FieldPath): FieldError[] => {
  const faults = apiVersionFaults(apiVersion)
  return faults.length > 0 ? [invalid(path, apiVersion, faults.join(','))] : []
}

/** Checks that decodableVersions contain encodingVersion and, since 1.28, every served version. */
function validateServer(server: ServerStorageVersion, path: FieldPath, judgesServed: boolean): FieldError[] {
  const { apiServerID = '', encodingVersion = '', decodableVersions: decodable = [], servedVersions: served = [] } = server
  const known = new Set(decodable)
  const errors = isDns1123Subdomain(apiServerID).map(text => invalid(path.child('apiServerID'), apiServerID, text))
  errors.push(...validateApiVersion(encodingVersion, path.child('encodingVersion')))
  errors.push(...decodable.flatMap((version, i) => validateApiVersion(version, path.child('decodableVersions').index(i))))
  if (!known.has(encodingVersion)) {
    errors.push(invalid(path.child('decodableVersions'), decodable, `decodableVersions must include encodingVersion ${encodingVersion}`))
  }
  for (const [i, version] of judgesServed ? served.entries() : []) {
    const at = path.child('servedVersions').index(i)
    errors.push(...validateApiVersion(version, at))
    if (known.has(version)) continue
    errors.push(
      invalid(at, version, `individual served version : ${version} must be included in decodableVersions : [${decodable.join(' ')}]`),
    )
  }
  return errors
}

/** Validates the servers. Since 1.28 their IDs must be unique. */
function validateServers(servers: readonly ServerStorageVersion[], path: FieldPath, judgesMore: boolean): FieldError[] {
  const again = repeats(servers.map(({ apiServerID = '' }) => apiServerID))
  return servers.flatMap((server, i) => [
    ...(judgesMore && again[i] ? [duplicate(path.index(i).child('apiServerID'), server.apiServerID ?? '')] : []),
    ...validateServer(server, path.index(i), judgesMore),
  ])
}

/** Checks that the common version is set if and only if all servers store the same one. Without servers it is unset. */
function validateCommonVersion(
  { storageVersions = [], commonEncodingVersion: declared }: StorageVersionStatus,
  path: FieldPath,
): FieldError[] {
  const encodings = new Set(storageVersions.map(({ encodingVersion = '' }) => encodingVersion))
  const [common] = encodings.size === 1 ? encodings : []
  if (common === declared) return []
  if (common === undefined) {
    const text =
      'should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet'
    return [invalid(path, declared, text)]
  }
  return [
    invalid(
      path,
      declared,
      declared === undefined ? `the common encoding version is ${common}` : `the actual common encoding version is ${common}`,
    ),
  ]
}

/** Validates conditions. As in upstream, paths lack an element, and the error for an invalid status shows the type. */
function validateStorageConditions(conditions: readonly StorageVersionCondition[], path: FieldPath): FieldError[] {
  const seen = new Map<string, number>()
  return conditions.flatMap(({ type, status, reason, message }, i) => {
    const at = path.index(i)
    const first = seen.get(type)
    seen.set(type, i)
    return [
      ...(first === undefined
        ? []
        : [invalid(at.child('type'), type, `the type of the condition is not unique, it also appears in conditions[${first}]`)]),
      ...isQualifiedName(type).map(text => invalid(at.child('type'), type, text)),
      ...isQualifiedName(status).map(text => invalid(at.child('status'), type, text)),
      ...(reason ? [] : [required(at.child('reason'), words('reason cannot be empty', ''))]),
      ...(message ? [] : [required(at.child('message'), words('message cannot be empty', ''))]),
    ]
  })
}

/**
 * Validates the status, in this order: servers, common encoding version, conditions. Source:
 * pkg/apis/apiserverinternal/validation in k8s.io/kubernetes.
 */
export function validateStorageVersionStatus(
  { status }: StorageVersion,
  _old: StorageVersion | undefined,
  { features }: Pick<HookContext, 'features'>,
): FieldError[] {
  const path = fieldPath('status')
  return [
    ...validateServers(status.storageVersions ?? [], path.child('storageVersions'), isSince(features.release, '1.28')),
    ...validateCommonVersion(status, path.child('commonEncodingVersion')),
    ...validateStorageConditions(status.conditions ?? [], path),
  ]
}
