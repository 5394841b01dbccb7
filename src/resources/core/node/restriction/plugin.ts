import type { AdmissionPlugin } from '../../../../admission/chain.ts'
import { refuse } from '../../../../admission/refuse.ts'
import { nodeNameOf } from '../../../../auth/node-identity.ts'
import { quote } from '../../../../lib/go-quote.ts'
import { isSince } from '../../../../lifecycle/release.ts'
import type { AdmissionRequest } from '../../../../registry/types.ts'
import { restrictCertificateRequest, restrictSigningRequest } from './certificates.ts'
import { restrictClaim } from './claim-status.ts'
import { restrictNode } from './node.ts'
import { restrictCsiNode, restrictLease, restrictSlice } from './owned.ts'
import { restrictPod } from './pods.ts'
import type { Restriction, RestrictionOptions } from './restricted.ts'
import { restrictToken } from './tokens.ts'

/** Restriction of each resource that nodes may write, by `GROUP/RESOURCE`. */
function restrictionsOf({ features }: RestrictionOptions): ReadonlyMap<string, Restriction> {
  const since = (release: '1.30' | '1.31' | '1.34'): boolean => isSince(features.release, release)
  const restrictions: [string, Restriction][] = [
    ['/pods', restrictPod],
    ['/nodes', restrictNode],
    ['/persistentvolumeclaims', restrictClaim],
    ['/serviceaccounts', restrictToken],
    ['coordination.k8s.io/leases', restrictLease],
    ['storage.k8s.io/csinodes', restrictCsiNode],
  ]
  if (since('1.30')) restrictions.push(['resource.k8s.io/resourceslices', restrictSlice])
  if (since('1.31') && !features.enabled('AllowInsecureKubeletCertificateSigningRequests'))
    restrictions.push(['certificates.k8s.io/certificatesigningrequests', restrictSigningRequest])
  if (since('1.34')) restrictions.push(['certificates.k8s.io/podcertificaterequests', restrictCertificateRequest])
  return new Map(restrictions)
}

/**
 * NodeRestriction limits a kubelet to its own Node and lease, pods on its node, and tokens for their service accounts.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#noderestriction
 */
export function nodeRestriction(options: RestrictionOptions): AdmissionPlugin {
  const restrictions = restrictionsOf(options)
  const restrictionOf = ({ served: { version } }: AdmissionRequest): Restriction | undefined =>
    restrictions.get(`${version.group}/${version.names.plural}`)
  return {
    name: 'NodeRestriction',
    handles: ({ operation, ctx }) => operation !== 'CONNECT' && nodeNameOf(ctx.user) !== undefined,
    // Checks in the mutating phase, as upstream does.
    mutate: async request => {
      const node = nodeNameOf(request.ctx.user) ?? ''
      if (node === '') throw refuse(request, `could not determine node from user ${quote(request.ctx.user.name)}`)
      await restrictionOf(request)?.({ request, node, options })
      return request.object
    },
  }
}
