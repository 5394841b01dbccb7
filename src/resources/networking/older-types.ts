import type { TypePackage } from '../../schema/idl.ts'

/**
 * Ingresses in networking.k8s.io/v1beta1, as earlier releases served them. Objects of that version are still read and written in every media type, by programs and by a server that
 * emulates a release that has them.
 */
export const olderIngressTypes = `
types HTTPIngressRuleValue Ingress IngressClass IngressClassList IngressClassSpec IngressList IngressLoadBalancerIngress like networking
types IngressLoadBalancerStatus IngressPortStatus IngressRule IngressRuleValue IngressStatus IngressTLS like networking

type HTTPIngressPath like networking.HTTPIngressPath
  pathType 3 *string?

type IngressBackend
  serviceName 1 string?
  servicePort 2 IntOrString?
  resource 3 *core.TypedLocalObjectReference?

type IngressClassParametersReference like networking.IngressClassParametersReference
  scope 4 *string

type IngressSpec
  ingressClassName 4 *string?
  backend 1 *IngressBackend?
  tls 2 []IngressTLS? atomic
  rules 3 []IngressRule? atomic
`

/** Addresses of services before they were v1beta1, likewise. */
export const networkingV1alpha1Types: TypePackage = {
  id: 'networkingV1alpha1',
  definition: 'io.k8s.api.networking.v1alpha1',
  source: 'types IPAddress IPAddressList IPAddressSpec ParentReference ServiceCIDR ServiceCIDRList ServiceCIDRSpec ServiceCIDRStatus like networkingV1beta1',
}
