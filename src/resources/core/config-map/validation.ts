import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, tooLong } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { isConfigMapKey } from '../../../meta/names.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { MAX_DATA_BYTES, validateImmutableData } from '../data-object.ts'

export function validateConfigMap(next: KubeObject, old: KubeObject | undefined): FieldError[] {
  const errors = validateImmutableData(next, old, 'data', 'binaryData')
  const data: Record<string, string> = next.data ?? {}
  const binaryData: Record<string, string> = next.binaryData ?? {}
  let size = 0
  for (const key in data) {
    const path = fieldPath('data').key(key)
    for (const message of isConfigMapKey(key)) errors.push(invalid(path, key, message))
    if (Object.hasOwn(binaryData, key)) errors.push(invalid(path, key, 'duplicate of key present in binaryData'))
    size += Buffer.byteLength(data[key] as string)
  }
  for (const key in binaryData) {
    for (const message of isConfigMapKey(key)) errors.push(invalid(fieldPath('binaryData').key(key), key, message))
    size += Buffer.byteLength(binaryData[key] as string, 'base64')
  }
  // The empty path stands for the whole object.
  if (size > MAX_DATA_BYTES) errors.push(tooLong(fieldPath(''), MAX_DATA_BYTES))
  return errors
}
