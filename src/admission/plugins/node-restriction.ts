import { qualifiedResource } from '../../meta/gvk.ts'
import type { AdmissionRequest } from '../../registry/types.ts'
import type { AdmissionPlugin } from '../chain.ts'
import { refuse } from '../refuse.ts'

const NODES = 'system:nodes'

/** Of which NodeRestriction lets a kubelet write some objects only. */
const RESTRICTED: ReadonlySet<string> = new Set([
  'pods',
  'nodes',
  'persistentvolumeclaims',
  'serviceaccounts',
  'leases.coordination.k8s.io',
  'csinodes.storage.k8s.io',
  'podcertificaterequests.certificates.k8s.io',
  'resourceslices.resource.k8s.io',
])

const isRestricted = ({ served: { version } }: AdmissionRequest): boolean =>
  RESTRICTED.has(qualifiedResource({ group: version.group, resource: version.names.plural }))

/**
 * In place of NodeRestriction, which is not built: nodes write nothing of what it would restrict, so that whoever asks for it never gets a server that allows more.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#noderestriction
 */
export const nodeRestriction: AdmissionPlugin = {
  name: 'NodeRestriction',
  handles: request => request.ctx.user.groups.includes(NODES) && isRestricted(request),
  validate: async request => {
    throw refuse(request, 'NodeRestriction is not implemented: without it nodes may not write this')
  },
}
