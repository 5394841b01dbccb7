import type { CustomResourceColumnDefinition } from '../../../api/apiextensions/v1.types.ts'
import type { Steps } from '../../../lib/steps.ts'
import { type FieldError, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { itemErrors } from '../../../meta/item-errors.ts'
import { simplePathErrors } from './simple-path.ts'

const TYPES = ['boolean', 'date', 'integer', 'number', 'string']
const FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password']

const oneOfMessage = (list: readonly string[]): string => `must be one of ${list.join(',')}`

/**
 * Validates a column. Paths of errors contain `JSONPath`, the name of the member in v1beta1, whatever the client wrote.
 */
function validateColumn({ name, type, format, jsonPath }: CustomResourceColumnDefinition, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (!name) errors.push(required(path.child('name')))
  if (!type) errors.push(required(path.child('type'), oneOfMessage(TYPES)))
  else if (!TYPES.includes(type)) errors.push(invalid(path.child('type'), type, oneOfMessage(TYPES)))
  if (format && !FORMATS.includes(format)) errors.push(invalid(path.child('format'), format, oneOfMessage(FORMATS)))
  const at = path.child('JSONPath')
  return [...errors, ...(jsonPath ? simplePathErrors(jsonPath, at) : [required(at)])]
}

/**
 * Validates columns: each has a name, a known type and a path with a leading dot. An optional format must be known, but
 * is not compared with the type. Source: pkg/apis/apiextensions/validation in k8s.io/apiextensions-apiserver.
 */
export const validateColumns = (columns: readonly CustomResourceColumnDefinition[] = [], path: FieldPath): Steps<FieldError[]> =>
  itemErrors(columns, path, validateColumn)
