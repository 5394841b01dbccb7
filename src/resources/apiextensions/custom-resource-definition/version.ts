import type { CustomResourceDefinitionVersion } from '../../../api/apiextensions/v1.types.ts'
import type { Steps } from '../../../lib/steps.ts'
import { type FieldError, invalid, words } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { longerThan } from '../../../meta/names.ts'
import { PRINTABLE } from '../../../meta/object-meta-validation.ts'
import { validateColumns } from './printer-columns.ts'
import { type DefinitionSchemaRules, validateSchema } from './schema-validation.ts'
import { validateSelectableFields } from './selectable-fields.ts'
import { validateSubresources } from './subresources.ts'

/** Limit in bytes, although the message says characters. */
const MAX_WARNING = 256

/**
 * Validates a version, in steps. `hasStatus` is set if the version has the status subresource, of its own or shared.
 */
export function* validateVersion(
  version: CustomResourceDefinitionVersion,
  path: FieldPath,
  hasStatus: boolean,
  rules: DefinitionSchemaRules,
): Steps<FieldError[]> {
  const warning = path.child('deprecationWarning')
  const schema = version.schema?.openAPIV3Schema
  return [
    ...warningTexts(version).map(text => invalid(warning, version.deprecationWarning, text)),
    ...(yield* validateSchema(schema, path.child('schema'), hasStatus, rules)),
    ...validateSubresources(version.subresources, path.child('subresources')),
    ...(yield* validateColumns(version.additionalPrinterColumns, path.child('additionalPrinterColumns'))),
    ...validateSelectableFields(
      version.selectableFields,
      schema,
      path,
      path.child('schema.openAPIV3Schema'),
      // Upstream's message says the opposite of what is meant.
      words(
        'selectableFields may only be set when version.schema.openAPIV3Schema is not included',
        'may only be set when `version.schema.openAPIV3Schema` is not included',
      ),
    ),
  ]
}

/** Checks the deprecation warning. Only the first unprintable character is reported, with its index in bytes. */
function warningTexts({ deprecated, deprecationWarning: text }: CustomResourceDefinitionVersion): string[] {
  if (text === undefined) return []
  if (!deprecated) return ['can only be set for deprecated versions']
  const texts: string[] = []
  if (longerThan(text, MAX_WARNING)) texts.push(`must be <= ${MAX_WARNING} characters long`)
  if (text === '') texts.push('must not be an empty string')
  let index = 0
  for (const char of text) {
    if (!PRINTABLE.test(char)) {
      texts.push(`must only contain printable UTF-8 characters; non-printable character found at index ${index}`)
      break
    }
    index += Buffer.byteLength(char)
  }
  return texts
}
