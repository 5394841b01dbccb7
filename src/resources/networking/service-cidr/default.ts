import type { KubeObject } from '../../../meta/object.ts'

/** Name of the ServiceCIDR that stands for `--service-cluster-ip-range`. */
export const DEFAULT_SERVICE_CIDR = 'kubernetes'

/** To be created when the server starts, if it is not there. */
export const defaultServiceCIDR = (cidrs: readonly string[]): KubeObject => ({
  kind: 'ServiceCIDR',
  apiVersion: 'networking.k8s.io/v1',
  metadata: { name: DEFAULT_SERVICE_CIDR },
  spec: { cidrs: [...cidrs] },
})

/** Its status, to be written through the subresource: addresses of a range that is not ready are not given out. `now`: RFC 3339. */
export const readyServiceCIDRStatus = (now: string): KubeObject['status'] => ({
  conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: now, reason: '', message: 'Kubernetes default Service CIDR is ready' }],
})
