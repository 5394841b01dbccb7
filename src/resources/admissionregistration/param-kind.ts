import type { FieldError } from '../../meta/field-error.ts'
import { invalid, required } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { isDns1035Label, isDns1123Subdomain } from '../../meta/names.ts'
import type { ParamKind } from './v1.types.ts'

const joined = (value: string, texts: readonly string[], path: FieldPath, before = ''): FieldError[] =>
  texts.length > 0 ? [invalid(path, value, before + texts.join(','))] : []

function validateApiVersion(text: string, path: FieldPath): FieldError[] {
  if (text === '') return [required(path)]
  const parts = text === '/' ? [] : text.split('/')
  if (parts.length > 2) return [invalid(path, text, `unexpected GroupVersion string: ${text}`)]
  const version = parts.at(-1) ?? ''
  const group = parts.length === 2 ? (parts[0] ?? '') : ''
  const errors = group === '' ? [] : joined(group, isDns1123Subdomain(group), path)
  return [...errors, ...(version === '' ? [invalid(path, text, 'version must be specified')] : joined(version, isDns1035Label(version), path))]
}

/** The kind of a policy's parameters: a group version and a kind that there may be. */
export function validateParamKind({ apiVersion = '', kind = '' }: ParamKind, path: FieldPath): FieldError[] {
  const errors = validateApiVersion(apiVersion, path.child('apiVersion'))
  const at = path.child('kind')
  if (kind === '') return [...errors, required(at)]
  return [...errors, ...joined(kind, isDns1035Label(kind.toLowerCase()), at, 'may have mixed case, but should otherwise match: ')]
}
