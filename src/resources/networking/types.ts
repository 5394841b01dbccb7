import type { TypePackage } from '../../schema/idl.ts'
import { olderIngressTypes } from './older-types.ts'

/** Addresses of services are the same in v1 and v1beta1. */
const ADDRESS_TYPES = `
type IPAddress typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 IPAddressSpec?

type IPAddressList typemeta
  metadata 1 meta.ListMeta?
  items 2 []IPAddress

type IPAddressSpec
  parentRef 1 *ParentReference omitempty

type ParentReference
  group 1 string?
  resource 2 string omitempty
  namespace 3 string?
  name 4 string omitempty

type ServiceCIDR typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 ServiceCIDRSpec?
  status 3 ServiceCIDRStatus?

type ServiceCIDRList typemeta
  metadata 1 meta.ListMeta?
  items 2 []ServiceCIDR

type ServiceCIDRSpec
  cidrs 1 []string? atomic

type ServiceCIDRStatus
  conditions 1 []meta.Condition? map(type) merge(type)
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

type Ingress typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 IngressSpec?
  status 3 IngressStatus?

type IngressBackend
  service 4 *IngressServiceBackend?
  resource 3 *core.TypedLocalObjectReference?

type IngressClass typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 IngressClassSpec?

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
  controller 1 string?
  parameters 2 *IngressClassParametersReference?

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
  ingressClassName 4 *string?
  defaultBackend 1 *IngressBackend?
  tls 2 []IngressTLS? atomic
  rules 3 []IngressRule? atomic

type IngressStatus
  loadBalancer 1 IngressLoadBalancerStatus?

type IngressTLS
  hosts 1 []string? atomic
  secretName 2 string?

type NetworkPolicy typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 NetworkPolicySpec?

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
  podSelector 1 meta.LabelSelector
  ingress 2 []NetworkPolicyIngressRule? atomic
  egress 3 []NetworkPolicyEgressRule? atomic
  policyTypes 4 []PolicyType? atomic

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
