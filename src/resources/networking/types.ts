import type { TypePackage } from '../../schema/idl.ts'
import { olderIngressTypes } from './older-types.ts'

/** Addresses of services are the same in v1 and v1beta1. */
const ADDRESS_TYPES = `
type IPAddress typemeta # An address that is taken, named by its own text, and by whom.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 IPAddressSpec? # What is wanted.

type IPAddressList typemeta
  metadata 1 meta.ListMeta?
  items 2 []IPAddress

type IPAddressSpec
  parentRef 1 *ParentReference omitempty # What has the address.

type ParentReference
  group 1 string?
  resource 2 string omitempty
  namespace 3 string?
  name 4 string omitempty

type ServiceCIDR typemeta # Ranges from which services get their cluster IPs.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 ServiceCIDRSpec? # What is wanted.
  status 3 ServiceCIDRStatus? # What is, as last reported; not set by those who want something.

type ServiceCIDRList typemeta
  metadata 1 meta.ListMeta?
  items 2 []ServiceCIDR

type ServiceCIDRSpec
  cidrs 1 []string? atomic # One range, or one of each family of addresses.

type ServiceCIDRStatus
  conditions 1 []meta.Condition? map(type) merge(type) # Whether addresses may be taken from it.
`

/** The types of networking.k8s.io/v1. */
export const networkingTypes: TypePackage = {
  id: 'networking',
  definition: 'io.k8s.api.networking.v1',
  source: `
enum PathType Exact ImplementationSpecific Prefix
enum PolicyType Egress Ingress
enum Protocol SCTP TCP UDP

type HTTPIngressPath
  path 1 string?
  pathType 3 *PathType
  backend 2 IngressBackend

type HTTPIngressRuleValue
  paths 1 []HTTPIngressPath atomic

type IPBlock
  cidr 1 string
  except 2 []string? atomic

type Ingress typemeta # Brings requests from outside of the cluster to services, by host and path.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 IngressSpec? # What is wanted.
  status 3 IngressStatus? # What is, as last reported; not set by those who want something.

type IngressBackend
  service 4 *IngressServiceBackend?
  resource 3 *core.TypedLocalObjectReference?

type IngressClass typemeta # A controller of ingresses, and its configuration.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 IngressClassSpec? # What is wanted.

type IngressClassList typemeta
  metadata 1 meta.ListMeta?
  items 2 []IngressClass

type IngressClassParametersReference
  apiGroup 1 *string?
  kind 2 string
  name 3 string
  scope 4 *string optional
  namespace 5 *string?

type IngressClassSpec
  controller 1 string? # Name of the controller, such as example.com/ingress.
  parameters 2 *IngressClassParametersReference? # An object with more configuration for the controller.

type IngressList typemeta
  metadata 1 meta.ListMeta?
  items 2 []Ingress

type IngressLoadBalancerIngress
  ip 1 string?
  hostname 2 string?
  ports 4 []IngressPortStatus? atomic

type IngressLoadBalancerStatus
  ingress 1 []IngressLoadBalancerIngress? atomic

type IngressPortStatus
  port 1 int32
  protocol 2 Protocol
  error 3 *string?

type IngressRule
  host 1 string?
  inline 2 IngressRuleValue

type IngressRuleValue
  http 1 *HTTPIngressRuleValue?

type IngressServiceBackend
  name 1 string
  port 2 ServiceBackendPort?

type IngressSpec
  ingressClassName 4 *string? # The class of controllers that serves it.
  defaultBackend 1 *IngressBackend? # Where requests go that no rule takes.
  tls 2 []IngressTLS? atomic # Certificates, and the hosts they are for.
  rules 3 []IngressRule? atomic # Where requests go, by host and path.

type IngressStatus
  loadBalancer 1 IngressLoadBalancerStatus? # Where it is reached from outside.

type IngressTLS
  hosts 1 []string? atomic
  secretName 2 string?

type NetworkPolicy typemeta # What traffic pods may have, in and out.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 NetworkPolicySpec? # What is wanted.

type NetworkPolicyEgressRule
  ports 1 []NetworkPolicyPort? atomic
  to 2 []NetworkPolicyPeer? atomic

type NetworkPolicyIngressRule
  ports 1 []NetworkPolicyPort? atomic
  from 2 []NetworkPolicyPeer? atomic

type NetworkPolicyList typemeta
  metadata 1 meta.ListMeta?
  items 2 []NetworkPolicy

type NetworkPolicyPeer
  podSelector 1 *meta.LabelSelector?
  namespaceSelector 2 *meta.LabelSelector?
  ipBlock 3 *IPBlock?

type NetworkPolicyPort
  protocol 1 *Protocol?
  port 2 *IntOrString?
  endPort 3 *int32?

type NetworkPolicySpec
  podSelector 1 meta.LabelSelector # The pods that it is for; empty for all of the namespace.
  ingress 2 []NetworkPolicyIngressRule? atomic # Who may reach them.
  egress 3 []NetworkPolicyEgressRule? atomic # Whom they may reach.
  policyTypes 4 []PolicyType? atomic # Whether it restricts Ingress, Egress or both.

type ServiceBackendPort atomic
  name 1 string?
  number 2 int32?

${ADDRESS_TYPES}`,
}

export const networkingV1beta1Types: TypePackage = {
  id: 'networkingV1beta1',
  definition: 'io.k8s.api.networking.v1beta1',
  source: ADDRESS_TYPES + olderIngressTypes,
}
