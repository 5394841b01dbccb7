import type { AdmissionPlugin } from '../../../admission/chain.ts'
import { checkNamespace } from './namespace-check.ts'
import { podSecurityTarget } from './parts.ts'
import type { PodSecurityParts } from './pod-security-parts.ts'
import { checkWorkload } from './workload-check.ts'

/**
 * PodSecurity enforces the Pod Security Standards that the labels of a namespace name, and audits or warns of
 * violations. In 1.24 it has a feature gate. https://kubernetes.io/docs/concepts/security/pod-security-admission/
 */
export const podSecurity = (parts: PodSecurityParts): AdmissionPlugin => {
  const isOn = parts.features.enabled('PodSecurity')
  return {
    name: 'PodSecurity',
    handles: request =>
      isOn && (request.operation === 'CREATE' || request.operation === 'UPDATE') && podSecurityTarget(request) !== undefined,
    validate: request => {
      const { object } = request
      if (object === undefined) return undefined
      return podSecurityTarget(request) === 'namespace' ? checkNamespace(parts, request, object) : checkWorkload(parts, request, object)
    },
  }
}
