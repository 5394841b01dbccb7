import type { AdmissionPlugin } from '../../../admission/chain.ts'
import { isAbout, refuse } from '../../../admission/refuse.ts'
import type { KubeObject } from '../../../api/meta/object.ts'
import { asKind } from '../../../catalog/define.ts'
import { SERVICES } from '../../kinds.ts'

const externalIPsOf = (object: KubeObject | undefined): readonly string[] => (object && asKind(SERVICES, object).spec.externalIPs) ?? []

/**
 * DenyServiceExternalIPs rejects new external IPs of services, with which traffic of others could be intercepted
 * (CVE-2020-8554). Existing ones may stay.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#denyserviceexternalips
 */
export const denyServiceExternalIPs: AdmissionPlugin = {
  name: 'DenyServiceExternalIPs',
  handles: request => (request.operation === 'CREATE' || request.operation === 'UPDATE') && isAbout(request, 'services'),
  validate: async request => {
    const known = new Set(externalIPsOf(request.old))
    if (externalIPsOf(request.object).some(ip => !known.has(ip)))
      throw refuse(request, 'Use of external IPs is denied by admission control')
  },
}
