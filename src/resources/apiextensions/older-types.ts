import type { TypePackage } from '../../schema/idl.ts'

/**
 * The types of apiextensions.k8s.io/v1beta1, as earlier releases served them. Objects of such versions are still read and written in every media type, by programs and by a server that
 * emulates a release that has them.
 */
export const olderApiextensionsTypes: readonly TypePackage[] = [
  {
    id: 'apiextensionsV1beta1',
    definition: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1',
    source: `
union JSONSchemaPropsOrArray JSONSchemaProps list
union JSONSchemaPropsOrBool JSONSchemaProps boolean
union JSONSchemaPropsOrStringArray JSONSchemaProps strings

types ConversionRequest ConversionResponse ConversionReview like apiextensions
types CustomResourceDefinition CustomResourceDefinitionCondition CustomResourceDefinitionList CustomResourceDefinitionNames like apiextensions
types CustomResourceDefinitionStatus CustomResourceDefinitionVersion CustomResourceSubresourceScale CustomResourceSubresourceStatus like apiextensions
types CustomResourceSubresources CustomResourceValidation ExternalDocumentation JSONSchemaProps SelectableField ServiceReference like apiextensions
types ValidationRule WebhookClientConfig like apiextensions

type CustomResourceColumnDefinition
  name 1 string
  type 2 string
  format 3 string?
  description 4 string?
  priority 5 int32?
  JSONPath 6 string

type CustomResourceConversion
  strategy 1 string
  webhookClientConfig 2 *WebhookClientConfig?
  conversionReviewVersions 3 []string? atomic

type CustomResourceDefinitionSpec
  group 1 string
  version 2 string? deprecated
  names 3 CustomResourceDefinitionNames
  scope 4 string
  validation 5 *CustomResourceValidation?
  subresources 6 *CustomResourceSubresources?
  versions 7 []CustomResourceDefinitionVersion? atomic
  additionalPrinterColumns 8 []CustomResourceColumnDefinition? atomic
  selectableFields 11 []SelectableField? atomic
  conversion 9 *CustomResourceConversion?
  preserveUnknownFields 10 *bool? deprecated
`,
  },
]
