import type { TypePackage } from '../../schema/idl.ts'

/** The types of apiregistration.k8s.io/v1. */
export const apiRegistrationTypes: TypePackage = {
  id: 'apiregistration',
  definition: 'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1',
  source: `
type APIService typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 APIServiceSpec?
  status 3 APIServiceStatus?

type APIServiceCondition
  type 1 string
  status 2 string
  lastTransitionTime 3 Time?
  reason 4 string?
  message 5 string?

type APIServiceList typemeta
  metadata 1 meta.ListMeta?
  items 2 []APIService

type APIServiceSpec
  service 1 *ServiceReference?
  group 2 string?
  version 3 string?
  insecureSkipTLSVerify 4 bool?
  caBundle 5 bytes? strayatomic
  groupPriorityMinimum 7 int32
  versionPriority 8 int32

type APIServiceStatus
  conditions 1 []APIServiceCondition? map(type) merge(type)

type ServiceReference
  namespace 1 string?
  name 2 string?
  port 3 *int32?
`,
}
