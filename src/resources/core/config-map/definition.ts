import { defineResource } from '../../../catalog/define.ts'
import type { Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { type FieldError, invalid, tooLong } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { forgetGivenEmpty } from '../../../meta/given-empty.ts'
import { isConfigMapKey } from '../../../meta/names.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import { MAX_DATA_BYTES, validateImmutableData } from '../data-object.ts'
import type { ConfigMap } from '../v1.types.ts'

/**
 * A key is in one of data and binaryData. The size is that of all values together: texts in UTF-8, binary data decoded. Source: pkg/apis/core/validation in
 * k8s.io/kubernetes.
 */
function validateConfigMap(next: ConfigMap, old: ConfigMap | undefined): FieldError[] {
  const errors = validateImmutableData(next, old, 'data', 'binaryData')
  const { data = {}, binaryData = {} } = next
  let size = 0
  // No entries, and paths for errors alone: there may be tens of thousands of keys.
  for (const key of Object.keys(data)) {
    for (const message of isConfigMapKey(key)) errors.push(invalid(fieldPath('data').key(key), key, message))
    if (Object.hasOwn(binaryData, key)) errors.push(invalid(fieldPath('data').key(key), key, 'duplicate of key present in binaryData'))
    size += Buffer.byteLength(data[key] ?? '')
  }
  for (const key of Object.keys(binaryData)) {
    for (const message of isConfigMapKey(key)) errors.push(invalid(fieldPath('binaryData').key(key), key, message))
    size += Buffer.byteLength(binaryData[key] ?? '', 'base64')
  }
  // The empty path stands for the whole object.
  if (size > MAX_DATA_BYTES) errors.push(tooLong(fieldPath(''), MAX_DATA_BYTES))
  return errors
}

/** Nil data becomes empty, and so the two are one. */
const setConfigMapDefaults = (object: ConfigMap): void => forgetGivenEmpty(object, 'data')

const sizeOf = (map: object | undefined): number => (map === undefined ? 0 : Object.keys(map).length)

const v1: Version<ConfigMap> = {
  group: '',
  name: 'v1',
  kind: 'ConfigMap',
  names: { plural: 'configmaps', singular: 'configmap', shortNames: ['cm'] },
  verbs: STANDARD_VERBS,
  schema: types.type('core.ConfigMap'),
  setDefaults: setConfigMapDefaults,
  table: {
    columns: [nameColumn, column('Data', 'How many keys data and binaryData have.'), ageColumn],
    cells: ({ metadata, data, binaryData }, now) => [metadata.name ?? '', sizeOf(data) + sizeOf(binaryData), age(metadata.creationTimestamp, now)],
  },
}

/**
 * Data for programs, in at most 1 MiB. With `immutable` nothing of it changes any more.
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
