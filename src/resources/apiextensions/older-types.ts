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
union JSONSchemaPropsOrArray JSONSchemaProps list # One schema, or a list of them.
union JSONSchemaPropsOrBool JSONSchemaProps boolean # A schema, or whether anything is allowed.
union JSONSchemaPropsOrStringArray JSONSchemaProps strings # A schema, or a list of names.

types ConversionRequest ConversionResponse ConversionReview like apiextensions
types CustomResourceDefinition CustomResourceDefinitionCondition CustomResourceDefinitionList CustomResourceDefinitionNames like apiextensions
types CustomResourceDefinitionStatus CustomResourceDefinitionVersion CustomResourceSubresourceScale CustomResourceSubresourceStatus like apiextensions
types CustomResourceSubresources CustomResourceValidation ExternalDocumentation JSONSchemaProps SelectableField ServiceReference like apiextensions
types ValidationRule WebhookClientConfig like apiextensions

type CustomResourceColumnDefinition # A column that kubectl get prints.
  name 1 string # Heading.
  type 2 string # integer, number, string, boolean or date.
  format 3 string? # How a value of that type is meant: int32, int64, float, double, byte, date, date-time or password.
  description 4 string? # What the column tells.
  priority 5 int32? # Columns above 0 are printed with -o wide only.
  JSONPath 6 string # Where in an object the value stands, such as .spec.replicas.

type CustomResourceConversion # How objects are turned from one version into another.
  strategy 1 string # None changes the apiVersion alone; Webhook asks a service.
  webhookClientConfig 2 *WebhookClientConfig? # How to reach the service to ask, for the strategy Webhook.
  conversionReviewVersions 3 []string? atomic # Versions of ConversionReview that it knows, the one it likes best first; v1beta1 unless given.

type CustomResourceDefinitionSpec # What a kind of one's own looks like.
  group 1 string # The API group that serves it. Cannot be changed.
  version 2 string? deprecated # The only version, or the first of the versions.
  names 3 CustomResourceDefinitionNames # The names under which the kind and its resource are known.
  scope 4 string # Namespaced, or Cluster where names stand for the whole cluster.
  validation 5 *CustomResourceValidation? # What objects look like, if all versions are the same.
  subresources 6 *CustomResourceSubresources? # The subresources it has, if all versions are the same.
  versions 7 []CustomResourceDefinitionVersion? atomic # The versions it has; one of them is stored.
  additionalPrinterColumns 8 []CustomResourceColumnDefinition? atomic # What kubectl get prints, if all versions are the same.
  selectableFields 11 []SelectableField? atomic # The fields by which lists and watches may select, if all versions are the same.
  conversion 9 *CustomResourceConversion? # How objects are turned from one version into another.
  preserveUnknownFields 10 *bool? deprecated # Whether fields are kept that the schema does not name; true unless given.
`,
  },
]
