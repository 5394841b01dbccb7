import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
} from '../../../api/apiextensions/v1.types.ts'
import type { Json } from '../../../api/meta/object.ts'
import { goJsonText } from '../../../lib/go-json-text.ts'
import { quote } from '../../../lib/go-quote.ts'
import { type Verbatim, verbatim } from '../../../meta/field-error.ts'
import { internalSchema } from './internal-schema.ts'

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

/** Returns a version in the form of the internal type, which has no JSON tags. */
const internalVersion = (one: CustomResourceDefinitionVersion): object => ({
  Name: one.name,
  Served: one.served,
  Storage: one.storage,
  Deprecated: one.deprecated ?? false,
  DeprecationWarning: one.deprecationWarning ?? null,
  Schema: one.schema ? { OpenAPIV3Schema: one.schema.openAPIV3Schema ? internalSchema(one.schema.openAPIV3Schema as Json) : null } : null,
  Subresources: one.subresources ? internalSubresources(one.subresources) : null,
  AdditionalPrinterColumns: one.additionalPrinterColumns?.map(internalColumn) ?? null,
  SelectableFields: one.selectableFields?.map(({ jsonPath }) => ({ JSONPath: jsonPath })) ?? null,
})

const internalSubresources = ({ status, scale }: CustomResourceSubresources): object => ({
  Status: status ? {} : null,
  Scale: scale
    ? {
        SpecReplicasPath: scale.specReplicasPath,
        StatusReplicasPath: scale.statusReplicasPath,
        LabelSelectorPath: scale.labelSelectorPath ?? null,
      }
    : null,
})

const internalColumn = ({ name, type, format = '', description = '', priority = 0, jsonPath }: CustomResourceColumnDefinition): object => ({
  Name: name,
  Type: type,
  Format: format,
  Description: description,
  Priority: priority,
  JSONPath: jsonPath,
})

/** Prints versions as Go's %#v does, and as JSON since 1.34. */
export const goVersions = (versions: readonly CustomResourceDefinitionVersion[] | undefined): Verbatim =>
  verbatim(goListText('CustomResourceDefinitionVersion', versions?.map(version)), () => goJsonText(versions?.map(internalVersion) ?? null))
