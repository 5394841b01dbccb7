import type { ConfigMap } from '../../../api/core/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { Version } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { memberNames } from '../../../lib/wide-objects.ts'
import { age } from '../../../meta/age.ts'
import { forgetGivenEmpty } from '../../../meta/empty-members.ts'
import { type FieldError, invalid, tooLongError } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { isConfigMapKey } from '../../../meta/names.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { MAX_DATA_BYTES, validateImmutableData } from '../data-object.ts'

/**
 * Checks that each key occurs in only one of `data` and `binaryData`, and that the values stay within the size limit.
 * Text counts in UTF-8, binary data after decoding. Source: pkg/apis/core/validation in k8s.io/kubernetes.
 */
function* validateConfigMap(next: ConfigMap, old: ConfigMap | undefined): Steps<FieldError[]> {
  const errors = validateImmutableData(next, old, 'data', 'binaryData')
  const { data = {}, binaryData = {} } = next
  let size = 0
  // Iterates over keys and builds paths only for errors: a ConfigMap may have tens of thousands of keys.
  for (const key of yield* memberNames(data)) {
    if (isStepDone()) yield
    for (const message of isConfigMapKey(key)) errors.push(invalid(fieldPath('data').key(key), key, message))
    if (Object.hasOwn(binaryData, key)) errors.push(invalid(fieldPath('data').key(key), key, 'duplicate of key present in binaryData'))
    size += Buffer.byteLength(data[key] ?? '')
  }
  for (const key of yield* memberNames(binaryData)) {
    if (isStepDone()) yield
    for (const message of isConfigMapKey(key)) errors.push(invalid(fieldPath('binaryData').key(key), key, message))
    size += Buffer.byteLength(binaryData[key] ?? '', 'base64')
  }
  // The path stands for the whole object: Go prints one without a name as `[]`.
  if (size > MAX_DATA_BYTES) errors.push(tooLongError(fieldPath('[]'), MAX_DATA_BYTES))
  return errors
}

/** Defaults change nil data to an empty map, so a nil map and an empty one are the same. */
const setConfigMapDefaults = (object: ConfigMap): void => forgetGivenEmpty(object, 'data')

const memberCount = (map: object | undefined): number => (map === undefined ? 0 : Object.keys(map).length)

const v1: Version<ConfigMap> = {
  group: '',
  name: 'v1',
  kind: 'ConfigMap',
  names: { plural: 'configmaps', singular: 'configmap', shortNames: ['cm'] },
  verbs: STANDARD_VERBS,
  schema: types.type('core.ConfigMap'),
  setDefaults: setConfigMapDefaults,
  table: {
    columns: [nameColumn, column('Data', 'Number of keys in data and binaryData.'), ageColumn],
    cells: ({ metadata, data, binaryData }, now) => [
      metadata.name ?? '',
      memberCount(data) + memberCount(binaryData),
      age(metadata.creationTimestamp, now),
    ],
  },
}

/**
 * Configuration data for programs, at most 1 MiB. Data with `immutable` set never changes.
 * https://kubernetes.io/docs/concepts/configuration/configmap/
 * Source of its rules: pkg/registry/core/configmap.
 */
export const configMapResource = defineResource<ConfigMap>({
  scope: 'Namespaced',
  versions: [v1],
  hub: v1,
  storage: { prefix: 'configmaps', version: v1 },
  strategy: { metaRounds: ['change', 'whole'], validate: validateConfigMap },
})
