import { isSince, type Release } from '../../lifecycle/release.ts'
import type { Detail, FieldError } from '../../meta/field-error.ts'
import { covered, invalid, required, tooLongError, typeInvalid } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { isDns1123Label, isDns1123Subdomain, longerThan, regexError } from '../../meta/names.ts'
import { coveredDriverName, validateCsiDriverName } from '../core/volume/sources.ts'

/** Bytes of the whole name. */
const MAX_POOL_NAME = 253
/** Bytes of an identifier without its domain. */
const MAX_ID = 32
/** Limit on a name with a domain: `domain/id`. */
export const MAX_QUALIFIED_NAME = 63 + 1 + MAX_ID

/** C identifier, also in the message. */
const IDENTIFIER = '[A-Za-z_][A-Za-z0-9_]*'
const IDENTIFIER_REGEX = new RegExp(`^${IDENTIFIER}$`)
const identifierMessage = regexError(
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
  IDENTIFIER,
  'my_name',
  'MY_NAME',
  'MyName',
)

/** Turns messages about one value into errors. */
export const invalidFor = (texts: readonly Detail[], value: string, path: FieldPath): FieldError[] =>
  texts.map(text => invalid(path, value, text))

/** Validates the name of a driver, like that of a CSI driver. */
export const validateDriverName = (name: string, path: FieldPath, release?: Release): FieldError[] =>
  coveredDriverName(validateCsiDriverName(name, path, release))

/** Validates the name of a device, request or counter. */
export const validateLabelName = (name: string, path: FieldPath): FieldError[] => invalidFor(isDns1123Label(name), name, path)

/** Validates the name of a DeviceClass. */
export const validateClassName = (name: string, path: FieldPath): FieldError[] => invalidFor(isDns1123Subdomain(name), name, path)

/** Validates the name of a pool: subdomains separated by slashes. The limit applies to the whole name, in bytes. */
export function validatePoolName(name: string, path: FieldPath): FieldError[] {
  if (name === '') return covered('', [required(path)])
  const errors = longerThan(name, MAX_POOL_NAME) ? [tooLongError(path, MAX_POOL_NAME)] : []
  return [...errors, ...name.split('/').flatMap(part => validateClassName(part, path))]
}

/** Releases before 1.34 report a bad identifier as one of the wrong type. */
function validateIdentifier(id: string, release: Release, path: FieldPath): FieldError[] {
  const errors = longerThan(id, MAX_ID) ? [tooLongError(path, MAX_ID)] : []
  if (IDENTIFIER_REGEX.test(id)) return errors
  return [...errors, isSince(release, '1.34') ? invalid(path, id, identifierMessage) : typeInvalid(path, id, identifierMessage)]
}

/** Validates an identifier, optionally qualified by the domain of a driver. */
export function validateQualifiedName(name: string, release: Release, path: FieldPath): FieldError[] {
  if (name === '') return [required(path, 'name required')]
  const [first = '', second, ...more] = name.split('/')
  if (second === undefined) return validateIdentifier(first, release, path)
  // Upstream reports no error for a name with two or more slashes.
  if (more.length > 0) return []
  return [
    ...(first === '' ? [required(path, 'the domain must not be empty')] : validateDriverName(first, path, release)),
    ...(second === '' ? [required(path, 'the name must not be empty')] : validateIdentifier(second, release, path)),
  ]
}

/** Validates an identifier that must have a domain. */
export function validateFullyQualifiedName(name: string, release: Release, path: FieldPath): FieldError[] {
  const errors = validateQualifiedName(name, release, path)
  return name !== '' && !name.includes('/') ? [...errors, invalid(path, name, 'must include a domain')] : errors
}
