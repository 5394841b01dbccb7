import type { TypePackage } from '../../schema/idl.ts'
import { conversionReviewTypes } from './review-types.ts'

/** The types of apiextensions.k8s.io/v1. */
export const apiextensionsTypes: TypePackage = {
  id: 'apiextensions',
  definition: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1',
  source: `
enum FieldValueErrorReason FieldValueDuplicate FieldValueForbidden FieldValueInvalid FieldValueRequired

union JSONSchemaPropsOrArray JSONSchemaProps list
union JSONSchemaPropsOrBool JSONSchemaProps boolean
union JSONSchemaPropsOrStringArray JSONSchemaProps strings
${conversionReviewTypes}
type CustomResourceColumnDefinition
  name 1 string
  type 2 string
  format 3 string?
  description 4 string?
  priority 5 int32?
  jsonPath 6 string

type CustomResourceConversion
  strategy 1 string
  webhook 2 *WebhookConversion?

type CustomResourceDefinition typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 CustomResourceDefinitionSpec
  status 3 CustomResourceDefinitionStatus?

type CustomResourceDefinitionCondition
  type 1 string
  status 2 string
  lastTransitionTime 3 Time?
  reason 4 string?
  message 5 string?

type CustomResourceDefinitionList typemeta
  metadata 1 meta.ListMeta?
  items 2 []CustomResourceDefinition

type CustomResourceDefinitionNames
  plural 1 string
  singular 2 string?
  shortNames 3 []string? atomic
  kind 4 string
  listKind 5 string?
  categories 6 []string? atomic

type CustomResourceDefinitionSpec
  group 1 string
  names 3 CustomResourceDefinitionNames
  scope 4 string
  versions 7 []CustomResourceDefinitionVersion atomic
  conversion 9 *CustomResourceConversion?
  preserveUnknownFields 10 bool? deprecated

type CustomResourceDefinitionStatus
  conditions 1 []CustomResourceDefinitionCondition optional map(type)
  acceptedNames 2 CustomResourceDefinitionNames optional
  storedVersions 3 []string optional atomic

type CustomResourceDefinitionVersion
  name 1 string
  served 2 bool
  storage 3 bool
  deprecated 7 bool?
  deprecationWarning 8 *string?
  schema 4 *CustomResourceValidation?
  subresources 5 *CustomResourceSubresources?
  additionalPrinterColumns 6 []CustomResourceColumnDefinition? atomic
  selectableFields 9 []SelectableField? atomic

type CustomResourceSubresourceScale
  specReplicasPath 1 string
  statusReplicasPath 2 string
  labelSelectorPath 3 *string?

type CustomResourceSubresourceStatus

type CustomResourceSubresources
  status 1 *CustomResourceSubresourceStatus?
  scale 2 *CustomResourceSubresourceScale?

type CustomResourceValidation
  openAPIV3Schema 1 *JSONSchemaProps?

type ExternalDocumentation
  description 1 string?
  url 2 string?

type JSONSchemaProps
  id 1 string?
  $schema 2 string?
  $ref 3 *string?
  description 4 string?
  type 5 string?
  format 6 string?
  title 7 string?
  default 8 *JSON?
  maximum 9 *double?
  exclusiveMaximum 10 bool?
  minimum 11 *double?
  exclusiveMinimum 12 bool?
  maxLength 13 *int64?
  minLength 14 *int64?
  pattern 15 string?
  maxItems 16 *int64?
  minItems 17 *int64?
  uniqueItems 18 bool?
  multipleOf 19 *double?
  enum 20 []JSON? atomic
  maxProperties 21 *int64?
  minProperties 22 *int64?
  required 23 []string? atomic
  items 24 *JSONSchemaPropsOrArray?
  allOf 25 []JSONSchemaProps? atomic
  oneOf 26 []JSONSchemaProps? atomic
  anyOf 27 []JSONSchemaProps? atomic
  not 28 *JSONSchemaProps?
  properties 29 map[string]JSONSchemaProps?
  additionalProperties 30 *JSONSchemaPropsOrBool?
  patternProperties 31 map[string]JSONSchemaProps?
  dependencies 32 map[string]JSONSchemaPropsOrStringArray?
  additionalItems 33 *JSONSchemaPropsOrBool?
  definitions 34 map[string]JSONSchemaProps?
  externalDocs 35 *ExternalDocumentation?
  example 36 *JSON?
  nullable 37 bool?
  x-kubernetes-preserve-unknown-fields 38 *bool?
  x-kubernetes-embedded-resource 39 bool?
  x-kubernetes-int-or-string 40 bool?
  x-kubernetes-list-map-keys 41 []string? atomic
  x-kubernetes-list-type 42 *string?
  x-kubernetes-map-type 43 *string?
  x-kubernetes-validations 44 []ValidationRule? map(rule) merge(rule)

type SelectableField
  jsonPath 1 string

type ServiceReference
  namespace 1 string
  name 2 string
  path 3 *string?
  port 4 *int32?

type ValidationRule
  rule 1 string
  message 2 string?
  messageExpression 3 string?
  reason 4 *FieldValueErrorReason?
  fieldPath 5 string?
  optionalOldSelf 6 *bool?

type WebhookClientConfig
  url 3 *string?
  service 1 *ServiceReference?
  caBundle 2 bytes?

type WebhookConversion
  clientConfig 2 *WebhookClientConfig?
  conversionReviewVersions 3 []string atomic
`,
}
