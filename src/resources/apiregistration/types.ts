import type { TypePackage } from '../../schema/idl.ts'

/** The types of apiregistration.k8s.io/v1. */
export const apiRegistrationTypes: TypePackage = {
  id: 'apiregistration',
  definition: 'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1',
  source: `
type APIService typemeta # Who serves a version of an API group: this server itself, or another one behind a service.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 APIServiceSpec? # What is wanted.
  status 3 APIServiceStatus? # What is, as last reported; not set by those who want something.

type APIServiceCondition
  type 1 string # What the condition is about: Available.
  status 2 string # True, False or Unknown.
  lastTransitionTime 3 Time? # When the status last changed.
  reason 4 string? # Why, in one word.
  message 5 string? # Why, in a sentence.

type APIServiceList typemeta
  metadata 1 meta.ListMeta?
  items 2 []APIService

type APIServiceSpec
  service 1 *ServiceReference? # The service of the other server; absent where this server serves the version.
  group 2 string? # The API group; empty for the core group.
  version 3 string? # The version of the group.
  insecureSkipTLSVerify 4 bool? # Whether the certificate of the other server is taken unseen. Not together with caBundle.
  caBundle 5 bytes? strayatomic # Certificates in PEM that vouch for the other server; those of the system unless said.
  groupPriorityMinimum 7 int32 # Place of the group among others: higher ones come first; from 1 to 20000.
  versionPriority 8 int32 # Place of the version in its group: higher ones come first; from 1 to 1000.

type APIServiceStatus
  conditions 1 []APIServiceCondition? map(type) merge(type) # The present state, by conditions.

type ServiceReference
  namespace 1 string? # Namespace of the service.
  name 2 string? # Name of the service.
  port 3 *int32? # Port of the service; 443 unless said.
`,
}
