import type { TypePackage } from '../../schema/idl.ts'
import { conversionReviewTypes } from './review-types.ts'

/** The types of apiextensions.k8s.io/v1. */
export const apiextensionsTypes: TypePackage = {
  id: 'apiextensions',
  definition: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1',
  source: `
enum FieldValueErrorReason FieldValueDuplicate FieldValueForbidden FieldValueInvalid FieldValueRequired

union JSONSchemaPropsOrArray JSONSchemaProps list # One schema, or a list of them.
union JSONSchemaPropsOrBool JSONSchemaProps boolean # A schema, or whether anything is allowed.
union JSONSchemaPropsOrStringArray JSONSchemaProps strings # A schema, or a list of names.
${conversionReviewTypes}
type CustomResourceColumnDefinition # A column that kubectl get prints.
  name 1 string # Heading.
  type 2 string # integer, number, string, boolean or date.
  format 3 string? # How a value of that type is meant: int32, int64, float, double, byte, date, date-time or password.
  description 4 string? # What the column tells.
  priority 5 int32? # Columns above 0 are printed with -o wide only.
  jsonPath 6 string # Where in an object the value stands, such as .spec.replicas.

type CustomResourceConversion # How objects are turned from one version into another.
  strategy 1 string # None changes the apiVersion alone; Webhook asks a service.
  webhook 2 *WebhookConversion? # The service to ask, for the strategy Webhook.

type CustomResourceDefinition typemeta # Declares a kind of one's own, with its names, versions and schemas, which the server then serves like any other.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has. The name is the plural, a dot and the group.
  spec 2 CustomResourceDefinitionSpec # What the kind is to look like.
  status 3 CustomResourceDefinitionStatus? # What is, as last reported; not set by those who want something.

type CustomResourceDefinitionCondition # One aspect of the present state of a definition.
  type 1 string # Which aspect: Established, NamesAccepted, NonStructuralSchema, Terminating …
  status 2 string # True, False or Unknown.
  lastTransitionTime 3 Time? # When the status last changed.
  reason 4 string? # Why, in one word.
  message 5 string? # Why, for people.

type CustomResourceDefinitionList typemeta
  metadata 1 meta.ListMeta?
  items 2 []CustomResourceDefinition

type CustomResourceDefinitionNames # The names under which a kind and its resource are known.
  plural 1 string # The resource's name in paths, lower case: /apis/GROUP/VERSION/…/PLURAL.
  singular 2 string? # Its name for one object, lower case; the kind in lower case unless given.
  shortNames 3 []string? atomic # Shorter names for command lines.
  kind 4 string # What objects are called in their field kind, usually CamelCase and singular.
  listKind 5 string? # What lists of them are called; the kind with List unless given.
  categories 6 []string? atomic # Groups of resources that it belongs to, such as all.

type CustomResourceDefinitionSpec # What a kind of one's own looks like.
  group 1 string # The API group that serves it. Cannot be changed.
  names 3 CustomResourceDefinitionNames # The names under which the kind and its resource are known.
  scope 4 string # Namespaced, or Cluster where names stand for the whole cluster.
  versions 7 []CustomResourceDefinitionVersion atomic # The versions it has; one of them is stored.
  conversion 9 *CustomResourceConversion? # How objects are turned from one version into another.
  preserveUnknownFields 10 bool? deprecated # Kept unknown fields in releases long gone. Must be false.

type CustomResourceDefinitionStatus # How far the server has come with a definition.
  conditions 1 []CustomResourceDefinitionCondition optional map(type) # Aspects of its present state.
  acceptedNames 2 CustomResourceDefinitionNames optional # The names under which it is served, which no other kind of the group has.
  storedVersions 3 []string optional atomic # Versions in which objects may be stored still. One goes from here when all objects have been written anew, and only then from the spec.

type CustomResourceDefinitionVersion # One version of a kind.
  name 1 string # Its name in paths, such as v1beta1.
  served 2 bool # Whether requests may use it.
  storage 3 bool # Whether objects are stored in it. True of one version.
  deprecated 7 bool? # Whether requests to it get a warning.
  deprecationWarning 8 *string? # The text of that warning, in place of the usual one.
  schema 4 *CustomResourceValidation? # What objects of the version look like.
  subresources 5 *CustomResourceSubresources? # The subresources it has.
  additionalPrinterColumns 6 []CustomResourceColumnDefinition? atomic # What kubectl get prints; the age unless given.
  selectableFields 9 []SelectableField? atomic # The fields by which lists and watches may select.

type CustomResourceSubresourceScale # How the kind is scaled.
  specReplicasPath 1 string # Where the wanted number stands, below .spec.
  statusReplicasPath 2 string # Where the present number stands, below .status.
  labelSelectorPath 3 *string? # Where a selector of the pods stands, as text, below .spec or .status.

type CustomResourceSubresourceStatus # The status is written by a request of its own.

type CustomResourceSubresources # Parts of an object with a path of their own.
  status 1 *CustomResourceSubresourceStatus? # Gives the kind /status: others' writes leave the status alone, and its writes leave all else alone.
  scale 2 *CustomResourceSubresourceScale? # Gives the kind /scale, which kubectl scale and autoscalers use.

type CustomResourceValidation # What objects look like.
  openAPIV3Schema 1 *JSONSchemaProps? # The schema, in OpenAPI 3.0 with some additions. It must be structural.

type ExternalDocumentation # A page that says more.
  description 1 string? # What it says.
  url 2 string? # Where it is.

type JSONSchemaProps # A JSON schema, as OpenAPI 3.0 has it, with additions whose names begin with x-kubernetes.
  id 1 string? # Not supported.
  $schema 2 string? # Not supported.
  $ref 3 *string? # Not supported: schemas are written out.
  description 4 string? # What the value is for.
  type 5 string? # object, array, string, integer, number or boolean.
  format 6 string? # How a value of that type is meant, such as date-time. Unknown formats say nothing.
  title 7 string? # A short name.
  default 8 *JSON? # What stands for a value that is absent.
  maximum 9 *double? # No number above it is a value.
  exclusiveMaximum 10 bool? # The maximum itself is no value, either.
  minimum 11 *double? # No number below it is a value.
  exclusiveMinimum 12 bool? # The minimum itself is no value, either.
  maxLength 13 *int64? # Characters of a text at the most.
  minLength 14 *int64? # Characters of a text at the least.
  pattern 15 string? # A regular expression (RE2) that is found in a text.
  maxItems 16 *int64? # Items of a list at the most.
  minItems 17 *int64? # Items of a list at the least.
  uniqueItems 18 bool? # Must be false: a list of type set has unique items.
  multipleOf 19 *double? # A number that a value is a multiple of.
  enum 20 []JSON? atomic # All values that there are.
  maxProperties 21 *int64? # Members of an object at the most.
  minProperties 22 *int64? # Members of an object at the least.
  required 23 []string? atomic # Members that an object must have.
  items 24 *JSONSchemaPropsOrArray? # What items of a list look like: one schema.
  allOf 25 []JSONSchemaProps? atomic # Demands that must all be met.
  oneOf 26 []JSONSchemaProps? atomic # Demands of which exactly one must be met.
  anyOf 27 []JSONSchemaProps? atomic # Demands of which one at least must be met.
  not 28 *JSONSchemaProps? # A demand that must not be met.
  properties 29 map[string]JSONSchemaProps? # What members of an object look like, by their names.
  additionalProperties 30 *JSONSchemaPropsOrBool? # What values of a map look like; not beside properties.
  patternProperties 31 map[string]JSONSchemaProps? # Not supported.
  dependencies 32 map[string]JSONSchemaPropsOrStringArray? # Not supported.
  additionalItems 33 *JSONSchemaPropsOrBool? # Not supported.
  definitions 34 map[string]JSONSchemaProps? # Not supported.
  externalDocs 35 *ExternalDocumentation? # A page that says more.
  example 36 *JSON? # What a value may look like.
  nullable 37 bool? # Whether null is a value.
  x-kubernetes-preserve-unknown-fields 38 *bool? # Keeps fields that the schema does not name. True or absent.
  x-kubernetes-embedded-resource 39 bool? # The value is an object of the API, with kind, apiVersion and metadata.
  x-kubernetes-int-or-string 40 bool? # The value is an integer or a string.
  x-kubernetes-list-map-keys 41 []string? atomic # The fields that tell items of a list of type map apart.
  x-kubernetes-list-type 42 *string? # atomic: one value; set: items are unique; map: items are told apart by their keys.
  x-kubernetes-map-type 43 *string? # granular: members have owners of their own; atomic: one value.
  x-kubernetes-validations 44 []ValidationRule? map(rule) merge(rule) # Rules in the expression language CEL that hold of a value.

type SelectableField # A field by which lists and watches may select.
  jsonPath 1 string # Where it stands, such as .spec.color.

type ServiceReference # A service that answers webhooks.
  namespace 1 string # Its namespace.
  name 2 string # Its name.
  path 3 *string? # The path of the URL.
  port 4 *int32? # Its port; 443 unless given.

type ValidationRule # An expression that must be true of a value.
  rule 1 string # The expression. The value is self, the one before it oldSelf.
  message 2 string? # What is said where the rule does not hold.
  messageExpression 3 string? # An expression that makes this text.
  reason 4 *FieldValueErrorReason? # What kind of mistake it is; FieldValueInvalid unless given.
  fieldPath 5 string? # The field below the value that is said to be wrong.
  optionalOldSelf 6 *bool? # Evaluates the rule, too, where there is no earlier value: oldSelf is an optional then.

type WebhookClientConfig # How to reach a webhook.
  url 3 *string? # Its URL, or
  service 1 *ServiceReference? # its service.
  caBundle 2 bytes? # Certificates, PEM, that its certificate is checked against; the system's unless given.

type WebhookConversion # A service that converts objects.
  clientConfig 2 *WebhookClientConfig? # How to reach it.
  conversionReviewVersions 3 []string atomic # Versions of ConversionReview that it knows, the one it likes best first.
`,
}
