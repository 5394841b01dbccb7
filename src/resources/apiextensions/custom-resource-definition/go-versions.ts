import type { CustomResourceColumnDefinition, CustomResourceDefinitionVersion } from '../../../api/apiextensions/v1.types.ts'
import { quote } from '../../../lib/go-quote.ts'
import { type Verbatim, verbatim } from '../../../meta/field-error.ts'

const goListText = (type: string, items: readonly string[] | undefined): string =>
  items ? `[]apiextensions.${type}{${items.join(', ')}}` : `[]apiextensions.${type}(nil)`

/** Prints a pointer with a fixed address, since the address is arbitrary. */
const pointer = (type: string, value: unknown): string => `(*${type})(${value === undefined ? 'nil' : '0xc000000000'})`

const column = ({ name, type, format = '', description = '', priority = 0, jsonPath }: CustomResourceColumnDefinition): string =>
  `apiextensions.CustomResourceColumnDefinition{Name:${quote(name)}, Type:${quote(type)}, Format:${quote(format)}, Description:${quote(description)}, Priority:${priority}, JSONPath:${quote(jsonPath)}}`

const version = (one: CustomResourceDefinitionVersion): string =>
  `apiextensions.CustomResourceDefinitionVersion{${[
    `Name:${quote(one.name)}`,
    `Served:${one.served}`,
    `Storage:${one.storage}`,
    `Deprecated:${one.deprecated ?? false}`,
    `DeprecationWarning:${pointer('string', one.deprecationWarning)}`,
    `Schema:${pointer('apiextensions.CustomResourceValidation', one.schema)}`,
    `Subresources:${pointer('apiextensions.CustomResourceSubresources', one.subresources)}`,
    `AdditionalPrinterColumns:${goListText('CustomResourceColumnDefinition', one.additionalPrinterColumns?.map(column))}`,
    `SelectableFields:${goListText(
      'SelectableField',
      one.selectableFields?.map(({ jsonPath }) => `apiextensions.SelectableField{JSONPath:${quote(jsonPath)}}`),
    )}`,
  ].join(', ')}}`

/** Prints versions as Go's %#v does. */
export const goVersions = (versions: readonly CustomResourceDefinitionVersion[] | undefined): Verbatim =>
  verbatim(goListText('CustomResourceDefinitionVersion', versions?.map(version)))
