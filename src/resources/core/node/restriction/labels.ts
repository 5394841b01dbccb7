/** Labels that kubelets set on their own node. Source: pkg/apis/well_known_labels.go in k8s.io/kubelet. */
const KUBELET_LABELS: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
])

const domainOf = (label: string): string => (label.includes('/') ? label.slice(0, label.indexOf('/')) : '')

/** Reports whether the domain is one of `parents` or a subdomain of one. */
const isIn = (domain: string, ...parents: string[]): boolean => parents.some(parent => domain === parent || domain.endsWith(`.${parent}`))

function isForbidden(label: string): boolean {
  const domain = domainOf(label)
  if (isIn(domain, 'node-restriction.kubernetes.io')) return true
  const isKubelets = KUBELET_LABELS.has(label) || isIn(domain, 'kubelet.kubernetes.io', 'node.kubernetes.io')
  return isIn(domain, 'kubernetes.io', 'k8s.io') && !isKubelets
}

/** Returns the labels that a kubelet may neither set nor change. Workloads are steered by them. */
export const forbiddenLabels = (labels: readonly string[]): string[] => labels.filter(isForbidden)
